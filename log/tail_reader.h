// SPDX-License-Identifier: Apache-2.0
// Reads the tails of shards ahead of whoever takes their batches, up to so many bytes. When that is
// full it lets go of the tails and takes them again where it was once there is room: a slow taker
// holds nothing but the log. Used by sinks and the notifier. All but Wake by one thread, which must
// not be a callback's.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/limits.h"
#include "log/event_log.h"

namespace jaque {

class TailReader {
 public:
  struct Record {
    ShardId shard = 0;
    Sequence sequence = 0;
    std::string bytes;  // a serialized jaque.v1.LogBatch
    absl::Duration read_at;
  };

  // Both outlive it.
  TailReader(const Clock* clock, EventLog* log, size_t max_bytes = limits::kSinkBufferedBytes)
      : clock_(clock), log_(log), max_bytes_(max_bytes) {}
  ~TailReader();

  // What comes after `after` from now on; what was read of the shard and not taken is forgotten.
  void Follow(ShardId shard, Sequence after);
  void Leave(ShardId shard);

  // All that was stored when the following began has been taken.
  bool CaughtUp(ShardId shard);

  // What has been read, in the order of each shard, up to so many bytes and one record more.
  std::vector<Record> Take(size_t bytes);
  // Until there is something to take, or Wake, or so long.
  void Wait(absl::Duration patience);
  // The same, whatever there is to take.
  void WaitForWake(absl::Duration patience);
  void Wake();

  size_t buffered_bytes();
  // When the oldest record not yet taken was read; infinite if there is none.
  absl::Duration oldest_read_at();

 private:
  struct Shard {
    Sequence last = 0, taken = 0;
    std::optional<Sequence> stored;  // through here, when the following began
    uint64_t turn = 0;  // of the tail held, so that a late call of an earlier one is known
    bool full = false;  // something was not kept: the tail is to be taken again
    std::unique_ptr<EventLog::Subscription> tail;
  };

  void TakeTail(ShardId shard);
  void OnRecord(ShardId shard, uint64_t turn, const LogRecord& record);
  void OnCaughtUp(ShardId shard, uint64_t turn);
  // Of the shards that are to be read again, now that there is room.
  std::vector<ShardId> FullShards();

  const Clock* const clock_;
  EventLog* const log_;
  const size_t max_bytes_;
  absl::Mutex mutex_;
  std::map<ShardId, Shard> shards_ ABSL_GUARDED_BY(mutex_);
  std::deque<Record> records_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t turns_ ABSL_GUARDED_BY(mutex_) = 0;
  bool awake_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace jaque
