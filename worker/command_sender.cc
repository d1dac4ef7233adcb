// SPDX-License-Identifier: Apache-2.0
#include "worker/command_sender.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace jaque {
namespace {

// An engine that takes longer has died, or is of no use: then any engine may take it.
constexpr absl::Duration kDirectWait = absl::Seconds(3);
constexpr absl::Duration kReplyWait = absl::Seconds(10);
constexpr absl::Duration kFirstDelay = absl::Milliseconds(50);
constexpr absl::Duration kLongestDelay = absl::Seconds(5);

absl::Duration DelayAfter(int failures) {
  return std::min(kFirstDelay * (int64_t{1} << std::min(failures - 1, 10)), kLongestDelay);
}

}  // namespace

std::shared_ptr<CommandSender> CommandSender::Create(CommandBus* bus, const Clock* clock) {
  return std::shared_ptr<CommandSender>(new CommandSender(bus, clock));
}

void CommandSender::Send(const std::string& engine_id, const v1::Command& command, DoneFn done) {
  auto pending = std::make_shared<Pending>();
  pending->engine_id = engine_id;
  pending->command_id = command.id();
  pending->bytes = command.SerializeAsString();
  pending->done = std::move(done);
  Try(pending);
}

void CommandSender::Try(const PendingPtr& pending) {
  if (pending->engine_id.empty()) return Submit(pending);
  bus_->Send(pending->engine_id, pending->bytes, kDirectWait,
             [self = shared_from_this(), pending](absl::StatusOr<std::string> reply) {
               self->Receive(pending, false, std::move(reply));
             });
}

void CommandSender::Submit(const PendingPtr& pending) {
  // Under an id of its own each time: one that was stored before gets no second reply.
  const std::string id = Cat(pending->command_id, "/", pending->submitted++);
  bus_->Submit(pending->bytes, id, kReplyWait,
               [self = shared_from_this(), pending](absl::StatusOr<std::string> reply) {
                 self->Receive(pending, true, std::move(reply));
               });
}

void CommandSender::Receive(const PendingPtr& pending, bool submitted,
                            absl::StatusOr<std::string> reply) {
  v1::CommandReply parsed;
  if (reply.ok() && parsed.ParseFromString(*reply)) {
    switch (parsed.code()) {
      case v1::CommandReply::CODE_OK:
      case v1::CommandReply::CODE_NOT_FOUND:
      case v1::CommandReply::CODE_CONFLICT:
      case v1::CommandReply::CODE_INVALID:
        return pending->done(std::move(parsed));
      case v1::CommandReply::CODE_NOT_OWNED:
        return submitted ? TryLater(pending) : Submit(pending);
      default:
        return TryLater(pending);
    }
  }
  // Whoever owns the object now takes it from the ingress.
  const bool stopped = [this] {
    absl::MutexLock lock(&mutex_);
    return stopped_;
  }();
  submitted || stopped ? TryLater(pending) : Submit(pending);
}

void CommandSender::TryLater(const PendingPtr& pending) {
  {
    absl::MutexLock lock(&mutex_);
    if (!stopped_) {
      pending->due = clock_->Monotonic() + DelayAfter(++pending->failures);
      waiting_.push_back(pending);
      return;
    }
  }
  pending->done(std::nullopt);
}

void CommandSender::Tick() {
  const absl::Duration now = clock_->Monotonic();
  std::vector<PendingPtr> due;
  {
    absl::MutexLock lock(&mutex_);
    const auto first = std::partition(waiting_.begin(), waiting_.end(),
                                      [now](const PendingPtr& p) { return p->due > now; });
    due.assign(first, waiting_.end());
    waiting_.erase(first, waiting_.end());
  }
  for (const PendingPtr& pending : due) Try(pending);
}

void CommandSender::Stop() {
  std::vector<PendingPtr> waiting;
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
    waiting.swap(waiting_);
  }
  for (const PendingPtr& pending : waiting) pending->done(std::nullopt);
}

}  // namespace jaque
