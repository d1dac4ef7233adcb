// SPDX-License-Identifier: Apache-2.0
// The object graph of a process: what is shared on memory, the engine, the worker. Built, started
// and stopped once by the main thread. The only place that knows which sibling of an interface is
// used.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/ticker.h"
#include "cmd/flags.h"
#include "engine/engine.h"
#include "log/memory_definition_store.h"
#include "log/memory_event_log.h"
#include "queue/memory_command_bus.h"
#include "queue/memory_event_stream.h"
#include "queue/memory_task_cancels.h"
#include "queue/memory_task_queue.h"
#include "worker/loop.h"

namespace jaque::cmd {

class Node {
 public:
  // InvalidArgument for flags that cannot work.
  static absl::StatusOr<std::unique_ptr<Node>> Create(const Flags& flags);
  ~Node();  // Stop

  // Starts what -target names. Tails that shall see everything are taken before.
  absl::Status Start();
  // Lets tasks under way end for as long as the flags say, then leaves. May be called again.
  void Stop();

  const Clock* clock() const { return clock_; }
  IdGenerator* ids() { return &ids_; }
  EventLog* log() { return &log_; }
  CommandBus* commands() { return &commands_; }
  EventStream* events() { return &events_; }
  DefinitionStore* definitions() { return &definitions_; }

 private:
  explicit Node(const Flags& flags);

  const Clock* const clock_ = &SystemClock();
  IdGenerator ids_;
  MemoryEventLog log_;
  MemoryTaskQueue tasks_;
  const std::unique_ptr<TaskCancels> cancels_;
  MemoryCommandBus commands_;
  MemoryEventStream events_;
  MemoryDefinitionStore definitions_;
  const std::string id_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Worker> worker_;
  Ticker ticker_;
  bool started_ = false;
};

}  // namespace jaque::cmd
