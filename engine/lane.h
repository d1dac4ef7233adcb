// SPDX-License-Identifier: Apache-2.0
// An executor thread and the shards that live on it (shard % executors). Any thread may call, but
// Start and Stop once each.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "engine/engine.h"
#include "engine/executor.h"
#include "engine/listener.h"
#include "engine/performer.h"
#include "engine/shard.h"

namespace jaque::engine {

class Lane {
 public:
  // `commands` is how what the shards send finds its owner.
  Lane(const EngineOptions& options, const EngineParts& parts, CommandBus* commands,
       SnapshotKeeper* snapshots, CarefulTurn* turn, int number);

  void Start();
  bool Step() { return executor_.RunOnce(); }
  void SetOwnership(std::shared_ptr<const Ownership> ownership);
  void Handle(uint32_t shard, v1::Command command, Shard::ReplyFn reply);
  // Gives up its shards, as far as the appends in flight allow within some seconds, and ends.
  void Stop();

  // As of the last round.
  int owned() const { return owned_.load(); }
  int open() const { return open_.load(); }

 private:
  void Flush();
  bool Idle() const;

  const EngineOptions options_;
  const Clock* const clock_;
  const int number_;
  Executor executor_;
  Listener listener_;
  Performer performer_;
  std::vector<std::unique_ptr<Shard>> shards_;  // number_, number_ + executors, …
  std::atomic<int> owned_ = 0, open_ = 0;
  std::unique_ptr<ExecutorThread> thread_;
};

}  // namespace jaque::engine
