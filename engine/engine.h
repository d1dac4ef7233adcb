// SPDX-License-Identifier: Apache-2.0
// An engine: the executor threads and what they share. Built by cmd/ from the interfaces; serves
// commands from a CommandBus. Start and Stop are called once each, by the thread that built it.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "base/clock.h"
#include "log/definition_store.h"
#include "log/event_log.h"
#include "queue/command_bus.h"
#include "queue/event_stream.h"
#include "queue/task_cancels.h"
#include "queue/task_queue.h"

namespace jaque {

struct EngineOptions {
  std::string engine_id;
  uint32_t shards = 128;
  int executors = 1;  // threads
  uint64_t seed = 0;  // of jitter and ids
};

// What an engine is built from; all outlive it.
struct EngineParts {
  const Clock* clock = nullptr;
  EventLog* log = nullptr;
  TaskQueue* tasks = nullptr;
  TaskCancels* cancels = nullptr;
  CommandBus* commands = nullptr;
  EventStream* events = nullptr;
  DefinitionStore* definitions = nullptr;
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Reads its shards from the log, opens them and begins to serve.
  virtual absl::Status Start() = 0;
  // Ends the appends in flight and leaves; later commands are answered Unavailable.
  virtual void Stop() = 0;
};

std::unique_ptr<Engine> MakeEngine(const EngineOptions& options, const EngineParts& parts);

}  // namespace jaque
