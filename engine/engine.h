// SPDX-License-Identifier: Apache-2.0
// An engine: the executor threads, their shards, and the router in front of them. Built by cmd/
// from the interfaces; serves commands from a CommandBus. It owns what SetOwnership says and
// nothing before.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "base/clock.h"
#include "base/limits.h"
#include "coordination/kv_store.h"
#include "coordination/ownership.h"
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
  int executors = 1;    // threads
  uint64_t seed = 0;    // of jitter and ids
  bool standby = true;  // follow the shards that this engine is the next to own
  absl::Duration retention = absl::Hours(24);  // of the log below its snapshots
  size_t snapshot_bytes = limits::kSnapshotLogBytes;
  // No threads: whoever built it calls Step (simulations).
  bool stepped = false;
};

// What an engine is built from. They outlive Stop, not the engine: their last callbacks, when they
// go, still find it.
struct EngineParts {
  const Clock* clock = nullptr;
  EventLog* log = nullptr;
  TaskQueue* tasks = nullptr;
  TaskCancels* cancels = nullptr;
  CommandBus* commands = nullptr;
  EventStream* events = nullptr;
  DefinitionStore* definitions = nullptr;
  KvStore* state = nullptr;  // snapshots; null: the log is read from its beginning
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Begins to serve commands. Once, by the thread that built it.
  virtual void Start() = 0;
  // Who owns which shard from now on. Any thread.
  virtual void SetOwnership(std::shared_ptr<const Ownership> ownership) = 0;
  // OK when every shard that this engine owns is open. Any thread.
  virtual absl::Status Ready() const = 0;
  // How this process reaches the engines: straight where it can. Any thread.
  virtual CommandBus* commands() = 0;
  // To be called every few tens of milliseconds, by one thread.
  virtual void Tick() = 0;
  // Does what is posted and due; true if there was something. Only if `stepped`.
  virtual bool Step() = 0;
  // Ends the appends in flight and leaves; later commands are answered Unavailable. Once.
  virtual void Stop() = 0;
};

std::unique_ptr<Engine> MakeEngine(const EngineOptions& options, const EngineParts& parts);

}  // namespace jaque
