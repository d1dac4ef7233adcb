// SPDX-License-Identifier: Apache-2.0
#include "tests/support/faulty_event_log.h"

#include <utility>

#include "base/status_macros.h"

namespace jaque {
namespace {

AppendResult Unknown() {
  return {AppendOutcome::kUnknown, 0, absl::DeadlineExceededError("injected: no answer")};
}

}  // namespace

void FaultyEventLog::Append(ShardId shard, Sequence expected, std::string batch_id,
                            std::string bytes, absl::AnyInvocable<void(AppendResult)> done) {
  int draw = static_cast<int>(random_.Below(100));
  const auto falls = [&draw](int percent) { return (draw -= percent) < 0; };
  if (falls(faults_.conflict)) {
    return done({AppendOutcome::kConflict, 0, absl::FailedPreconditionError("injected: refused")});
  }
  if (falls(faults_.unknown_lost)) return done(Unknown());
  if (falls(faults_.unknown_stored)) {
    return inner_->Append(shard, expected, std::move(batch_id), std::move(bytes),
                          [done = std::move(done)](AppendResult) mutable { done(Unknown()); });
  }
  if (falls(faults_.unknown_later)) {
    held_.push_back(
        [=, this]() { inner_->Append(shard, expected, batch_id, bytes, [](AppendResult) {}); });
    return done(Unknown());
  }
  if (falls(faults_.delayed_request)) {
    held_.push_back([=, this, done = std::move(done)]() mutable {
      inner_->Append(shard, expected, batch_id, bytes, std::move(done));
    });
    return;
  }
  if (falls(faults_.delayed_answer)) {
    return DelayAnswer(shard, expected, std::move(batch_id), std::move(bytes), std::move(done));
  }
  inner_->Append(shard, expected, std::move(batch_id), std::move(bytes), std::move(done));
}

void FaultyEventLog::DelayAnswer(ShardId shard, Sequence expected, std::string batch_id,
                                 std::string bytes, absl::AnyInvocable<void(AppendResult)> done) {
  inner_->Append(shard, expected, std::move(batch_id), std::move(bytes),
                 [this, done = std::move(done)](AppendResult result) mutable {
                   held_.push_back([result = std::move(result), done = std::move(done)]() mutable {
                     done(std::move(result));
                   });
                 });
}

void FaultyEventLog::Confirm(ShardId shard, Sequence expected,
                             absl::AnyInvocable<void(AppendResult)> done) {
  if (static_cast<int>(random_.Below(100)) < faults_.unknown_lost) {
    return done({AppendOutcome::kUnknown, 0, absl::DeadlineExceededError("injected: lost")});
  }
  if (static_cast<int>(random_.Below(100)) >= faults_.delayed_request) {
    return inner_->Confirm(shard, expected, std::move(done));
  }
  held_.push_back([this, shard, expected, done = std::move(done)]() mutable {
    inner_->Confirm(shard, expected, std::move(done));
  });
}

absl::Status FaultyEventLog::Read(ShardId shard, Sequence after,
                                  absl::FunctionRef<absl::Status(const LogRecord&)> visit) {
  if (static_cast<int>(random_.Below(100)) >= faults_.read_failed) {
    return inner_->Read(shard, after, visit);
  }
  uint64_t left = random_.Below(10);
  RETURN_IF_ERROR(inner_->Read(shard, after, [&](const LogRecord& record) {
    if (left-- == 0) return absl::UnavailableError("injected: the read broke off");
    return visit(record);
  }));
  return absl::UnavailableError("injected: the read broke off");
}

absl::Status FaultyEventLog::Trim(ShardId shard, Sequence through) {
  return inner_->Trim(shard, through);
}

std::unique_ptr<EventLog::Subscription> FaultyEventLog::Tail(ShardId shard, Sequence after,
                                                             TailFn visit, CaughtUpFn caught_up) {
  return inner_->Tail(
      shard, after,
      [this, number = ++tails_, visit = std::move(visit)](ShardId of, const LogRecord& record) {
        if (number > muted_) visit(of, record);
      },
      std::move(caught_up));
}

bool FaultyEventLog::ReleaseNext() {
  if (held_.empty()) return false;
  std::swap(held_[random_.Below(held_.size())], held_.back());
  Held next = std::move(held_.back());
  held_.pop_back();
  next();
  return true;
}

}  // namespace jaque
