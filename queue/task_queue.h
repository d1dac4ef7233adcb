// SPDX-License-Identifier: Apache-2.0
// The queue of worker tasks: at-least-once delivery, one queue for each pool, pulled by workers.
// Siblings: memory_task_queue, nats_task_queue. Any thread; callbacks on any thread, must only
// post.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"

namespace jaque {

// One delivery of a message. Dropped without Ack or Nak it comes again after the acknowledgement
// wait. Any thread, none of these blocks. An Ack counts even when the message has been delivered
// again since; InProgress and Nak of such an outdated delivery may do nothing.
class TaskDelivery {
 public:
  virtual ~TaskDelivery() = default;
  virtual const std::string& bytes() const = 0;  // a serialized jaque.v1.TaskMessage
  virtual int delivered() const = 0;             // 1 for the first delivery
  virtual void Ack() = 0;
  virtual void InProgress() = 0;  // starts the acknowledgement wait anew
  virtual void Nak(absl::Duration delay) = 0;
};

class TaskQueue {
 public:
  virtual ~TaskQueue() = default;

  // Stores a message; the same `id` again within the deduplication window is stored once. `done` is
  // called exactly once, perhaps before Publish returns: OK, ResourceExhausted (full; try again
  // later), or another status after which the message may be stored or not (publish it again: the
  // id makes it safe).
  virtual void Publish(const std::string& pool, const std::string& id, std::string bytes,
                       absl::AnyInvocable<void(absl::Status)> done) = 0;

  // Asks for up to `max` messages of `pool`; `deliver` is called once with 1 to `max` of them, or
  // with none when `wait` has passed; perhaps before Pull returns. A message published meanwhile is
  // delivered at once. Flow control is the caller's: one that is full does not pull. A queue that
  // goes away drops its waiting pulls uncalled. max > 0.
  virtual void Pull(
      const std::string& pool, int max, absl::Duration wait,
      absl::AnyInvocable<void(std::vector<std::unique_ptr<TaskDelivery>>)> deliver) = 0;
};

}  // namespace jaque
