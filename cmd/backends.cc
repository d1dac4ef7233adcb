// SPDX-License-Identifier: Apache-2.0
#include "cmd/backends.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_split.h"
#include "absl/synchronization/notification.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "coordination/memory_kv_store.h"
#include "coordination/nats_kv_store.h"
#include "coordination/sqlite_kv_store.h"
#include "fmt/format.h"
#include "log/memory_definition_store.h"
#include "log/memory_event_log.h"
#include "log/nats_definition_store.h"
#include "log/nats_event_log.h"
#include "log/sqlite_definition_store.h"
#include "log/sqlite_event_log.h"
#include "nats/jetstream.h"
#include "nats/names.h"
#include "queue/memory_command_bus.h"
#include "queue/memory_event_stream.h"
#include "queue/memory_task_cancels.h"
#include "queue/memory_task_queue.h"
#include "queue/nats_command_bus.h"
#include "queue/nats_dead_letters.h"
#include "queue/nats_event_stream.h"
#include "queue/nats_task_cancels.h"
#include "queue/nats_task_depths.h"
#include "queue/nats_task_queue.h"
#include "queue/sqlite_event_stream.h"

namespace jaque::cmd {
namespace {

// Servers that start together with this process get this long.
constexpr absl::Duration kPatience = absl::Seconds(30);
constexpr absl::Duration kPause = absl::Milliseconds(250);
// Of each shard of a log in memory, while the sink has not passed them.
constexpr size_t kRecordsForSink = 8'192;

// Servers that are up and have chosen a leader for JetStream.
absl::StatusOr<std::unique_ptr<nats::Connection>> ConnectOnce(
    const nats::ConnectionOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<nats::Connection> connection,
                   nats::Connection::Connect(options));
  RETURN_IF_ERROR(nats::CallApi(*connection, "$JS.API.INFO", "").status());
  return connection;
}

absl::StatusOr<std::unique_ptr<nats::Connection>> Connect(const std::string& flag,
                                                          const std::string& urls,
                                                          const Flags& flags, const Clock* clock) {
  nats::ConnectionOptions options;
  options.urls = absl::StrSplit(urls, ',', absl::SkipWhitespace());
  options.name = "jaque " + flags.id;
  options.credentials_file = flags.nats_creds;
  options.nkey_file = flags.nats_nkey;
  options.tls = flags.nats_tls;
  options.ca_file = flags.nats_ca;
  options.certificate_file = flags.nats_cert;
  options.key_file = flags.nats_key;
  std::unique_ptr<nats::Connection> connection;
  RETURN_IF_ERROR(
      PatientlyWhileAway(clock, fmt::format("-{} {}", flag, urls), [&]() -> absl::Status {
        ASSIGN_OR_RETURN(connection, ConnectOnce(options));
        return absl::OkStatus();
      }));
  return connection;
}

// Queues of one process. With -data-dir too they need no disk: a command is answered when the log
// has what it did, and a shard that is opened sends again every task that the log says is open.
void AddQueuesInMemory(const Clock* clock, const MemoryCommandBus::Options& options,
                       Backends* backends) {
  auto tasks = std::make_unique<MemoryTaskQueue>(clock);
  auto commands = std::make_unique<MemoryCommandBus>(clock, options);
  backends->pulses = {[bus = commands.get()] { bus->ExpireOverdue(); },
                      [queue = tasks.get()] { queue->ExpireOverdue(); }};
  backends->depths = tasks.get();
  backends->tasks = std::move(tasks);
  backends->dead_commands = commands.get();
  backends->commands = std::move(commands);
  backends->cancels = MakeMemoryTaskCancels();
}

void AddMemory(const Flags& flags, const Clock* clock, Backends* backends) {
  AddQueuesInMemory(clock, {}, backends);
  // State dies with the process, so no engine reads the log back; a sink does, and trims it.
  MemoryEventLog::Options options;
  options.retained = flags.roles.contains(Role::kSink) ? kRecordsForSink : 1;
  backends->log = std::make_unique<MemoryEventLog>(clock, options);
  backends->progress = std::make_unique<MemoryKvStore>(clock);
  backends->notifications = std::make_unique<MemoryKvStore>(clock);
  backends->events = std::make_unique<MemoryEventStream>(clock);
  auto definitions = std::make_unique<MemoryDefinitionStore>();
  backends->deletion = definitions.get();
  backends->definitions = std::move(definitions);
}

absl::Status AddFolder(const Flags& flags, const Clock* clock, Backends* backends) {
  sqlite::DataFolderOptions options;
  options.path = flags.data_dir;
  options.sync = flags.data_sync;
  options.shards = flags.shards;
  options.schema = SqliteEventLog::Schema() + SqliteEventStream::Schema() +
                   SqliteDefinitionStore::Schema() + SqliteKvStore::Schema();
  ASSIGN_OR_RETURN(backends->folder, sqlite::DataFolder::Open(clock, options));
  sqlite::DataFolder* const folder = backends->folder.get();
  sqlite::GroupCommit* const writer = folder->writer();
  AddQueuesInMemory(clock, {.unanswered = absl::StatusCode::kUnknown}, backends);
  backends->pulses.push_back([folder] { folder->Pulse(); });
  ASSIGN_OR_RETURN(backends->log, SqliteEventLog::Open(clock, writer, folder->file()));
  ASSIGN_OR_RETURN(backends->events, SqliteEventStream::Open(clock, writer, folder->file()));
  ASSIGN_OR_RETURN(auto definitions, SqliteDefinitionStore::Open(writer));
  backends->deletion = definitions.get();
  backends->definitions = std::move(definitions);
  backends->state = std::make_unique<SqliteKvStore>(clock, writer, "state");
  backends->notifications = std::make_unique<SqliteKvStore>(clock, writer, "notifications");
  backends->progress = std::make_unique<SqliteKvStore>(clock, writer, "progress");
  return absl::OkStatus();
}

absl::Status AddQueue(const Flags& flags, const nats::Names& names, Backends* backends) {
  nats::Connection* const queue = backends->queue_connection.get();
  nats::Connection* const coordination = backends->coordination_connection != nullptr
                                             ? backends->coordination_connection.get()
                                             : queue;
  const int replicas = flags.nats_replicas;
  ASSIGN_OR_RETURN(backends->log, NatsEventLog::Open(queue, names, {.replicas = replicas}));
  std::vector<std::string> pools;
  if (flags.roles.contains(Role::kWorker)) {
    for (const auto& [pool, concurrency] : flags.worker_pools) pools.push_back(pool);
  }
  ASSIGN_OR_RETURN(backends->tasks,
                   NatsTaskQueue::Open(queue, names, pools, {.replicas = replicas}));
  backends->depths_on_nats = std::make_unique<NatsTaskDepths>(queue, names);
  backends->depths = backends->depths_on_nats.get();
  backends->cancels = std::make_unique<NatsTaskCancels>(queue, names);
  ASSIGN_OR_RETURN(backends->commands,
                   NatsCommandBus::Open(queue, coordination, names, {.replicas = replicas}));
  backends->dead_on_nats = std::make_unique<NatsDeadLetters>(queue, names);
  backends->dead_commands = backends->dead_on_nats.get();
  ASSIGN_OR_RETURN(backends->events, NatsEventStream::Open(queue, names, {.replicas = replicas}));
  ASSIGN_OR_RETURN(auto definitions, NatsDefinitionStore::Open(queue, names, replicas));
  backends->deletion = definitions.get();
  backends->definitions = std::move(definitions);
  if (flags.roles.contains(Role::kEngine)) {
    ASSIGN_OR_RETURN(backends->state,
                     NatsKvStore::Open(queue, names, "state", replicas, absl::ZeroDuration()));
  }
  if (!flags.notify_rules.empty() || flags.roles.contains(Role::kUi)) {
    ASSIGN_OR_RETURN(backends->notifications, NatsKvStore::Open(queue, names, "notifications",
                                                                replicas, absl::ZeroDuration()));
  }
  if (flags.roles.contains(Role::kEngine) || flags.roles.contains(Role::kSink) ||
      flags.roles.contains(Role::kUi) || !flags.notify_rules.empty()) {
    ASSIGN_OR_RETURN(backends->progress,
                     NatsKvStore::Open(queue, names, "progress", replicas, absl::ZeroDuration()));
  }
  return absl::OkStatus();
}

absl::Status AddCoordination(const Flags& flags, const nats::Names& names, Backends* backends) {
  nats::Connection* const connection = backends->coordination_connection != nullptr
                                           ? backends->coordination_connection.get()
                                           : backends->queue_connection.get();
  const auto open = [&](const std::string& name, absl::Duration ttl) {
    return NatsKvStore::Open(connection, names, name, flags.nats_replicas, ttl);
  };
  if (flags.roles.contains(Role::kEngine)) {
    ASSIGN_OR_RETURN(backends->engines, open("membership", flags.heartbeat_ttl));
  }
  if (backends->engines != nullptr || flags.roles.contains(Role::kUi)) {
    ASSIGN_OR_RETURN(backends->cluster, open("cluster", absl::ZeroDuration()));
  }
  if (flags.roles.contains(Role::kWorker)) {
    ASSIGN_OR_RETURN(backends->workers, open("worker_membership", flags.heartbeat_ttl));
  }
  if (flags.roles.contains(Role::kSink)) {
    ASSIGN_OR_RETURN(backends->sinks, open("sink_membership", flags.heartbeat_ttl));
  }
  if (flags.roles.contains(Role::kUi)) {
    for (const auto& [role, bucket] :
         {std::pair("engine", "membership"), std::pair("worker", "worker_membership"),
          std::pair("sink", "sink_membership"), std::pair("notifier", "notifier_membership")}) {
      ASSIGN_OR_RETURN(auto members, open(bucket, flags.heartbeat_ttl));
      backends->members.emplace_back(role, std::move(members));
    }
  }
  if (!flags.notify_rules.empty()) {
    ASSIGN_OR_RETURN(backends->notifiers, open("notifier_membership", flags.heartbeat_ttl));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Backends::Reachable() const {
  if (folder != nullptr && !folder->writer()->Health().ok()) {
    return absl::UnavailableError(
        Cat("the data folder cannot be written: ", Message(folder->writer()->Health())));
  }
  if (queue_connection == nullptr || queue_connection->connected()) return absl::OkStatus();
  return absl::UnavailableError("NATS cannot be reached: nothing can be stored now");
}

absl::Status PatientlyWhileAway(const Clock* clock, const std::string& what,
                                absl::FunctionRef<absl::Status()> attempt) {
  const absl::Duration deadline = clock->Monotonic() + kPatience;
  for (bool told = false;; told = true) {
    const absl::Status status = attempt();
    if (status.ok()) return status;
    const bool away = absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
    if (!away) return status;
    if (clock->Monotonic() > deadline) {
      return absl::UnavailableError(Cat(what, ": ", Message(status)));
    }
    if (!told) LogWarn("waiting", {{"for", what}, {"why", Message(status)}});
    absl::Notification never;
    never.WaitForNotificationWithTimeout(kPause);
  }
}

absl::StatusOr<std::unique_ptr<Backends>> MakeBackends(const Flags& flags, const Clock* clock) {
  auto backends = std::make_unique<Backends>();
  if (!flags.data_dir.empty()) {
    RETURN_IF_ERROR(AddFolder(flags, clock, backends.get()));
    return backends;
  }
  if (flags.queue == "memory") {
    AddMemory(flags, clock, backends.get());
    return backends;
  }
  ASSIGN_OR_RETURN(const nats::Names names, nats::Names::Make(flags.nats_prefix));
  ASSIGN_OR_RETURN(backends->queue_connection, Connect("queue", flags.queue, flags, clock));
  if (flags.coordination != "memory" && flags.coordination != flags.queue) {
    ASSIGN_OR_RETURN(backends->coordination_connection,
                     Connect("coordination", flags.coordination, flags, clock));
  }
  RETURN_IF_ERROR(PatientlyWhileAway(clock, "streams and buckets", [&]() -> absl::Status {
    RETURN_IF_ERROR(AddQueue(flags, names, backends.get()));
    if (flags.coordination == "memory") return absl::OkStatus();
    return AddCoordination(flags, names, backends.get());
  }));
  return backends;
}

}  // namespace jaque::cmd
