// SPDX-License-Identifier: Apache-2.0
#include "log/memory_event_log.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace jaque {
namespace {

template <typename Records>
auto FirstAfter(Records& records, Sequence after) {
  return std::upper_bound(records.begin(), records.end(), after,
                          [](Sequence s, const auto& record) { return s < record.sequence; });
}

}  // namespace

class MemoryEventLog::MemorySubscription final : public EventLog::Subscription {
 public:
  MemorySubscription(MemoryEventLog* log, ShardId shard, std::shared_ptr<Delivery> tail)
      : log_(log), shard_(shard), tail_(std::move(tail)) {}
  ~MemorySubscription() override {
    log_->Forget(shard_, tail_);
    tail_->Close();
  }

 private:
  MemoryEventLog* const log_;
  const ShardId shard_;
  const std::shared_ptr<Delivery> tail_;
};

MemoryEventLog::Shard& MemoryEventLog::ShardOf(ShardId shard) {
  std::unique_ptr<Shard>& slot = shards_[shard];
  if (slot == nullptr) slot = std::make_unique<Shard>(options_.dedup_window);
  return *slot;
}

void MemoryEventLog::Append(ShardId shard, Sequence expected, std::string batch_id,
                            std::string bytes, absl::AnyInvocable<void(AppendResult)> done) {
  Tails tails;
  AppendResult result = Store(shard, expected, std::move(batch_id), std::move(bytes), &tails);
  done(std::move(result));
  for (const std::shared_ptr<Delivery>& tail : tails) tail->Drain();
}

AppendResult MemoryEventLog::Store(ShardId shard, Sequence expected, std::string batch_id,
                                   std::string bytes, Tails* tails) {
  absl::MutexLock lock(&mutex_);
  Shard& s = ShardOf(shard);
  const absl::Duration now = clock_->Monotonic();
  // The id is looked at before the sequence, as JetStream does.
  if (const auto first = s.recent.Find(batch_id, now)) {
    return {AppendOutcome::kCommitted, *first, absl::OkStatus()};
  }
  if (expected != s.last) {
    return {AppendOutcome::kConflict, 0,
            absl::FailedPreconditionError(absl::StrCat("shard ", shard, " is at ", s.last,
                                                       ", the append expected ", expected))};
  }
  Record record{++last_, std::make_shared<const std::string>(std::move(bytes))};
  s.last = record.sequence;
  s.recent.Insert(std::move(batch_id), record.sequence, now);
  for (const std::shared_ptr<Delivery>& tail : s.tails) tail->Push(record);
  s.records.push_back(std::move(record));
  while (s.records.size() > std::max<size_t>(options_.retained, 1)) s.records.pop_front();
  *tails = s.tails;
  return {AppendOutcome::kCommitted, s.last, absl::OkStatus()};
}

void MemoryEventLog::Confirm(ShardId shard, Sequence expected,
                             absl::AnyInvocable<void(AppendResult)> done) {
  Sequence last = 0;
  {
    absl::MutexLock lock(&mutex_);
    last = ShardOf(shard).last;
  }
  if (last == expected) return done({AppendOutcome::kCommitted, last, absl::OkStatus()});
  done({AppendOutcome::kConflict, 0,
        absl::FailedPreconditionError(absl::StrCat("shard ", shard, " is at ", last))});
}

std::vector<MemoryEventLog::Record> MemoryEventLog::Snapshot(ShardId shard, Sequence after) {
  absl::MutexLock lock(&mutex_);
  const auto& records = ShardOf(shard).records;
  return {FirstAfter(records, after), records.end()};
}

absl::Status MemoryEventLog::Read(ShardId shard, Sequence after,
                                  absl::FunctionRef<absl::Status(const LogRecord&)> visit) {
  for (const Record& record : Snapshot(shard, after)) {
    absl::Status status = visit({record.sequence, *record.bytes});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status MemoryEventLog::Trim(ShardId shard, Sequence through) {
  absl::MutexLock lock(&mutex_);
  auto& records = ShardOf(shard).records;
  while (records.size() > 1 && records.front().sequence <= through) records.pop_front();
  return absl::OkStatus();
}

std::unique_ptr<EventLog::Subscription> MemoryEventLog::Tail(ShardId shard, Sequence after,
                                                             TailFn visit, CaughtUpFn caught_up) {
  auto tail = std::make_shared<Delivery>(
      [shard, visit = std::move(visit), caught_up = std::move(caught_up)](const Record& record) {
        if (record.bytes != nullptr) return visit(shard, {record.sequence, *record.bytes});
        if (caught_up) caught_up();
      });
  {
    absl::MutexLock lock(&mutex_);
    Shard& s = ShardOf(shard);
    for (auto it = FirstAfter(s.records, after); it != s.records.end(); ++it) tail->Push(*it);
    tail->Push(Record());  // the end of what is stored
    s.tails.push_back(tail);
  }
  tail->Drain();
  return std::make_unique<MemorySubscription>(this, shard, std::move(tail));
}

void MemoryEventLog::Forget(ShardId shard, const std::shared_ptr<Delivery>& tail) {
  absl::MutexLock lock(&mutex_);
  Tails& tails = ShardOf(shard).tails;
  tails.erase(std::remove(tails.begin(), tails.end(), tail), tails.end());
}

}  // namespace jaque
