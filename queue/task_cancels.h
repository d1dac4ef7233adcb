// SPDX-License-Identifier: Apache-2.0
// Notices that an attempt of a task is no longer wanted (its instance was cancelled, its time is
// up, a compete was decided): the worker that has it aborts it, others ignore it. Best effort: a
// lost notice costs work, never correctness, because results are fenced by attempt. Engines
// publish, workers subscribe. Siblings: memory_task_cancels,
// nats_task_cancels. Any thread; callbacks on any thread, must only post.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace jaque {

struct TaskCancel {
  std::string instance_id;
  uint32_t frame = 0;
  uint32_t attempt = 0;
};

class TaskCancels {
 public:
  virtual ~TaskCancels() = default;

  virtual void Publish(const TaskCancel& cancel) = 0;

  // Calls `visit` with each notice published from now on, until the handle goes.
  class Subscription {
   public:
    virtual ~Subscription() = default;
  };
  virtual std::unique_ptr<Subscription> Subscribe(std::function<void(const TaskCancel&)> visit) = 0;
};

}  // namespace jaque
