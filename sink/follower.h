// SPDX-License-Identifier: Apache-2.0
// Brings the shards that this process owns to one output: reads positions, follows the tails,
// hands over what came, tries again while something is away. Two that follow one shard do no harm:
// the positions are the fence. One thread, but for Passed.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "log/tail_reader.h"
#include "sink/output.h"
#include "store/database.h"

namespace jaque {

class Follower {
 public:
  using OwnedShards = std::function<std::vector<ShardId>()>;

  // How far another follower has come, by shard.
  using PassedBy = std::function<std::map<ShardId, Sequence>()>;

  // All outlive it. With `before` the output gets nothing that is not behind that place; whoever
  // moves it calls Wake.
  Follower(const Clock* clock, EventLog* log, store::Database* store, Output* output,
           OwnedShards owned, PassedBy before = nullptr);

  // One turn; true if there was something to do.
  bool Step();
  // Until there may be something.
  void Wait(absl::Duration patience);
  void Wake() { reader_.Wake(); }

  // What the output has taken, of the shards followed. Any thread.
  std::map<ShardId, Sequence> Passed();
  // Of what was read and not taken, or since the output takes nothing.
  absl::Duration lag();
  size_t buffered_bytes() { return reader_.buffered_bytes(); }

 private:
  absl::Status FollowOwned();
  std::vector<SinkBatch> Parse(std::vector<TailReader::Record> records) const;
  // What the output may have now, in order.
  std::vector<SinkBatch> TakeBatches();
  void LeaveAll();
  void Failed(const absl::Status& status);
  void NotePassed();

  const Clock* const clock_;
  store::Database* const store_;
  Output* const output_;
  const OwnedShards owned_;
  const PassedBy before_;  // null: nobody goes before
  TailReader reader_;
  std::vector<SinkBatch> held_;                         // that another has to take first
  SinkPositions positions_;                             // of the shards followed
  absl::Duration look_at_ = -absl::InfiniteDuration();  // at what is owned, again
  absl::Duration failing_since_ = absl::InfiniteDuration();

  absl::Mutex mutex_;
  std::map<ShardId, Sequence> passed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace jaque
