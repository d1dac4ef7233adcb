// SPDX-License-Identifier: Apache-2.0
// How much waits in the pools of the task queue, for people and for what scales workers. Siblings:
// memory_task_queue (of its own), nats_task_depths. Any thread; the call may wait for a server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace jaque {

struct PoolDepth {
  std::string pool;
  uint64_t waiting = 0;  // no worker has them
  uint64_t running = 0;  // a worker has them, or gave them back to be tried later
};

class TaskDepths {
 public:
  virtual ~TaskDepths() = default;
  virtual absl::StatusOr<std::vector<PoolDepth>> Depths() = 0;  // by name
};

}  // namespace jaque
