// SPDX-License-Identifier: Apache-2.0
// The log in memory, for one process. Any thread. `done` and tails are called on the appender's
// thread (a tail's stored records on the thread that asks for it), under no lock. Sequences are
// numbered across the shards, as JetStream's are, so that nobody comes to rely on dense ones.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/ordered_delivery.h"
#include "base/recent_ids.h"
#include "log/event_log.h"

namespace jaque {

struct MemoryEventLogOptions {
  // Records of one shard that are kept; older ones are trimmed by the log itself. A process whose
  // state dies with it needs none but the newest.
  size_t retained = SIZE_MAX;
  absl::Duration dedup_window = absl::Seconds(limits::kDeduplicationSeconds);
};

class MemoryEventLog final : public EventLog {
 public:
  using Options = MemoryEventLogOptions;

  explicit MemoryEventLog(const Clock* clock, const Options& options = {})
      : clock_(clock), options_(options) {}

  void Append(ShardId shard, Sequence expected, std::string batch_id, std::string bytes,
              absl::AnyInvocable<void(AppendResult)> done) override;
  void Confirm(ShardId shard, Sequence expected,
               absl::AnyInvocable<void(AppendResult)> done) override;
  absl::Status Read(ShardId shard, Sequence after,
                    absl::FunctionRef<absl::Status(const LogRecord&)> visit) override;
  absl::Status Trim(ShardId shard, Sequence through) override;
  using EventLog::Tail;
  std::unique_ptr<Subscription> Tail(ShardId shard, Sequence after, TailFn visit,
                                     CaughtUpFn caught_up) override;

 private:
  struct Record {
    Sequence sequence = 0;
    std::shared_ptr<const std::string> bytes;
  };
  using Delivery = OrderedDelivery<Record>;
  using Tails = std::vector<std::shared_ptr<Delivery>>;
  struct Shard {
    explicit Shard(absl::Duration window) : recent(window, limits::kDeduplicationBatches) {}
    std::deque<Record> records;
    Sequence last = 0;
    RecentIds recent;
    Tails tails;
  };
  class MemorySubscription;

  Shard& ShardOf(ShardId shard) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Stores the record if it may be; fills the tails to be drained once the lock is gone.
  AppendResult Store(ShardId shard, Sequence expected, std::string batch_id, std::string bytes,
                     Tails* tails);
  // Records of `shard` after `after`, as they are now.
  std::vector<Record> Snapshot(ShardId shard, Sequence after);
  void Forget(ShardId shard, const std::shared_ptr<Delivery>& tail);

  const Clock* const clock_;
  const Options options_;
  absl::Mutex mutex_;
  Sequence last_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<ShardId, std::unique_ptr<Shard>> shards_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace jaque
