// SPDX-License-Identifier: Apache-2.0
// The task queue in memory, for one process. Any thread. Callbacks run on the thread whose call
// made them due (Publish, Pull, ExpireOverdue), under no lock. Nothing happens by itself when time
// passes: somebody calls ExpireOverdue at intervals (cmd/ with a Ticker; tests after stepping their
// clock).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "queue/task_depths.h"
#include "queue/task_queue.h"

namespace jaque {

struct MemoryTaskQueueOptions {
  absl::Duration ack_wait = absl::Seconds(limits::kAcknowledgeSeconds);
  absl::Duration dedup_window = absl::Seconds(limits::kDeduplicationSeconds);
  size_t capacity = limits::kQueuedTasks;  // messages not yet acknowledged, all pools together
};

class MemoryTaskQueue final : public TaskQueue, public TaskDepths {
 public:
  using Options = MemoryTaskQueueOptions;

  explicit MemoryTaskQueue(const Clock* clock, const Options& options = {});
  ~MemoryTaskQueue() override;  // drops waiting pulls uncalled; deliveries may outlive the queue

  void Publish(const std::string& pool, const std::string& id, std::string bytes,
               absl::AnyInvocable<void(absl::Status)> done) override;
  void Pull(const std::string& pool, int max, absl::Duration wait,
            absl::AnyInvocable<void(std::vector<std::unique_ptr<TaskDelivery>>)> deliver) override;

  absl::StatusOr<std::vector<PoolDepth>> Depths() override;

  // Delivers again what was not acknowledged in time or was handed back with a delay that is over,
  // and answers the pulls whose wait is over.
  void ExpireOverdue();

  // Messages stored and not yet acknowledged.
  size_t size() const;

 private:
  class Core;
  class Delivery;
  std::shared_ptr<Core> core_;
};

}  // namespace jaque
