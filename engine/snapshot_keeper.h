// SPDX-License-Identifier: Apache-2.0
// Keeps snapshots of shards in the bucket `state`, and trims the log below them once they are older
// than the retention. A snapshot is cut into parts; its head is written last, and only forwards. On
// a thread of its own, since buckets wait; Load and Save may be called by any.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "coordination/kv_store.h"
#include "engine/executor.h"
#include "jaque/v1/snapshot.pb.h"
#include "log/event_log.h"

namespace jaque::engine {

class SnapshotKeeper {
 public:
  struct Loaded {
    Sequence sequence = 0;  // of the last batch in it; 0: there is no snapshot
    v1::ShardSnapshot snapshot;
  };

  // All outlive it. `stepped`: no thread, Step is called.
  SnapshotKeeper(const Clock* clock, KvStore* bucket, EventLog* log, absl::Duration retention,
                 bool stepped);

  // `done` comes on the keeper's thread, and not at all once it has gone.
  void Load(ShardId shard, std::function<void(absl::StatusOr<Loaded>)> done);
  void Save(ShardId shard, Sequence sequence, std::string snapshot,
            std::function<void(absl::Status)> done);

  bool Step() { return executor_.RunOnce(); }

 private:
  absl::StatusOr<v1::SnapshotHead> ReadHead(ShardId shard, uint64_t* revision);
  absl::StatusOr<Loaded> LoadNow(ShardId shard);
  absl::Status SaveNow(ShardId shard, Sequence sequence, const std::string& snapshot);
  // Remembers the old head for trimming; the sequence that the log may be trimmed to, or 0.
  Sequence Retire(const v1::SnapshotHead& old, v1::SnapshotHead* head) const;

  const Clock* const clock_;
  KvStore* const bucket_;
  EventLog* const log_;
  const absl::Duration retention_;
  Executor executor_;
  std::unique_ptr<ExecutorThread> thread_;  // goes first
};

}  // namespace jaque::engine
