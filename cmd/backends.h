// SPDX-License-Identifier: Apache-2.0
// What a process stands on: log, queues, events, definitions and the buckets of coordination, in
// memory, in a folder, or on NATS as -queue, -data-dir and -coordination say. The only place that
// knows which sibling of an interface is used. Built by the main thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "cmd/flags.h"
#include "coordination/kv_store.h"
#include "log/definition_deletion.h"
#include "log/definition_store.h"
#include "log/event_log.h"
#include "nats/connection.h"
#include "queue/command_bus.h"
#include "queue/dead_letters.h"
#include "queue/event_stream.h"
#include "queue/task_cancels.h"
#include "queue/task_depths.h"
#include "queue/task_queue.h"
#include "sqlite/data_folder.h"

namespace jaque::cmd {

// Members go in reverse order: the connections last.
struct Backends {
  std::unique_ptr<sqlite::DataFolder> folder;                 // null without -data-dir
  std::unique_ptr<nats::Connection> queue_connection;         // null: memory
  std::unique_ptr<nats::Connection> coordination_connection;  // null: memory, or as the queue's

  std::unique_ptr<EventLog> log;
  std::unique_ptr<TaskQueue> tasks;
  TaskDepths* depths = nullptr;  // the same in memory, or the next
  std::unique_ptr<TaskDepths> depths_on_nats;
  std::unique_ptr<TaskCancels> cancels;
  std::unique_ptr<CommandBus> commands;
  std::unique_ptr<EventStream> events;
  std::unique_ptr<DefinitionStore> definitions;
  DefinitionDeletion* deletion = nullptr;  // the same

  std::unique_ptr<KvStore> state;  // snapshots; null on memory alone, and where there is no engine
  // How far who reads the log beside the engines has come; null where nobody asks.
  std::unique_ptr<KvStore> progress;

  // Parked and dead ones; null where there is neither notifier nor ui.
  std::unique_ptr<KvStore> notifications;

  // Of coordination; null on memory.
  std::unique_ptr<KvStore> engines, workers, sinks, notifiers, cluster;

  // Announcements by role, where a ui shows them; empty on memory.
  std::vector<std::pair<std::string, std::unique_ptr<KvStore>>> members;
  DeadLetters* dead_commands = nullptr;  // the bus in memory, or the next
  std::unique_ptr<DeadLetters> dead_on_nats;

  // What waits in memory looks at the clock when these are called.
  std::vector<std::function<void()>> pulses;

  // OK, or why nothing can be stored now.
  absl::Status Reachable() const;
};

// Tries again while NATS or a store is away or NATS chooses its leaders, for half a minute:
// processes and servers start together. `what` is for the message.
absl::Status PatientlyWhileAway(const Clock* clock, const std::string& what,
                                absl::FunctionRef<absl::Status()> attempt);

absl::StatusOr<std::unique_ptr<Backends>> MakeBackends(const Flags& flags, const Clock* clock);

}  // namespace jaque::cmd
