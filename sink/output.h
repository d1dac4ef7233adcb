// SPDX-License-Identifier: Apache-2.0
// Where a follower brings the batches of the log: the store, or an exporter. Its follower's thread,
// but for Stop.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "jaque/v1/event.pb.h"
#include "log/event_log.h"
#include "store/store.h"

namespace jaque {

struct SinkBatch {
  ShardId shard = 0;
  Sequence sequence = 0;
  v1::LogBatch batch;
};
// By shard; 0: nothing yet.
using SinkPositions = std::map<ShardId, store::ShardPosition>;

class Output {
 public:
  virtual ~Output() = default;
  // Of its positions in the store; "" is the store itself.
  virtual const std::string& name() const = 0;
  // Takes them in order and moves the positions, here and in the store. After an error what became
  // of it is asked of the store. Aborted: the store was elsewhere.
  virtual absl::Status Take(const std::vector<SinkBatch>& batches, SinkPositions* positions) = 0;
  // A Take that waits for the outside ends soon, with an error. Any thread.
  virtual void Stop() {}
  // Batches are to come to it after they have come to the store.
  virtual bool after_store() const { return false; }
};

}  // namespace jaque
