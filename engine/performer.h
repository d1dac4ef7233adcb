// SPDX-License-Identifier: Apache-2.0
// Does what durable facts made necessary: dispatches tasks, arms timers, empties outboxes, listens.
// What comes back (a timer, a confirmation, a matched event) is a command to the shard again. One
// for each executor, on its thread.
#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "engine/effects.h"
#include "engine/executor.h"
#include "engine/listener.h"
#include "queue/command_bus.h"
#include "queue/event_stream.h"
#include "queue/task_cancels.h"
#include "queue/task_queue.h"

namespace jaque::engine {

class Shard;

// The command that an outbox entry is (none for kEmit, which is published). Its id is
// deterministic, so that a repetition is known as one.
v1::Command CommandOf(const SendOutbox& outbox);

struct PerformerParts {
  std::string engine_id;
  Executor* executor = nullptr;
  TaskQueue* tasks = nullptr;
  TaskCancels* cancels = nullptr;
  CommandBus* commands = nullptr;
  EventStream* events = nullptr;
  Listener* listener = nullptr;
};

class Performer {
 public:
  explicit Performer(PerformerParts parts) : parts_(std::move(parts)) {}

  void Perform(Shard* shard, Effect effect);

 private:
  void Do(Shard* shard, DispatchTask dispatch);
  void Do(Shard* shard, CancelTask cancel);
  void Do(Shard* shard, ArmTimer timer);
  void Do(Shard* shard, StartListening listening);
  void Do(Shard* shard, SendOutbox outbox);
  void Do(Shard* shard, ContinueLater later);
  void Do(Shard* shard, const AnswerWaiters&) {
    static_cast<void>(shard);
  }  // the shard's own affair

  void Publish(Shard* shard, SendOutbox outbox);
  void Submit(Shard* shard, SendOutbox outbox, v1::Command command);
  void Confirm(Shard* shard, const SendOutbox& outbox, std::optional<v1::Problem> failure);
  void TryLater(Shard* shard, SendOutbox outbox);

  const PerformerParts parts_;
};

}  // namespace jaque::engine
