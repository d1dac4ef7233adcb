// SPDX-License-Identifier: Apache-2.0
// What the API asks of the store: the SQL database into which sinks project the log
// (docs/product.md has the tables). Siblings of the database below: SQLite and PostgreSQL. Any
// thread; every call blocks for as long as the database takes. Unavailable if it cannot be reached;
// InvalidArgument for a cursor that is none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "jaque/v1/command.pb.h"
#include "jaque/v1/event.pb.h"

namespace jaque::store {

using Micros = int64_t;  // Unix time; 0: none
using Tags = std::vector<std::pair<std::string, std::string>>;

// Position of a fact in its instance's history: <sequence of its batch> << 20 | <place in it>.
// Increases with the log, so it is the id of live events too.
using HistorySeq = int64_t;

struct InstanceFilter {
  std::string namespace_, name, version;  // empty: any; name needs namespace_, version needs name
  std::vector<v1::InstanceStatus> statuses;  // empty: any
  std::string
      text;   // every word begins a word of the id, the definition's name, a tag or the error
  Tags tags;  // all of them; an empty value: the key alone
  std::string parent, rerun_of, schedule;  // ids; empty: any
  Micros started_from = 0, started_before = 0, ended_from = 0, ended_before = 0;
  std::vector<std::string> namespaces;  // that the caller may see; empty: all
};

// Newest start first, by (started, id). The cursor is opaque text and stays valid while rows come
// and go.
struct Page {
  size_t limit = 50;
  std::string cursor;  // empty: the first page
  bool oldest_first = false;
};

struct InstanceRow {
  std::string id, namespace_, name, version;
  v1::InstanceStatus status = v1::INSTANCE_STATUS_UNSPECIFIED;
  Micros started = 0, updated = 0, ended = 0;
  std::string parent, rerun_of, schedule, actor;
  Tags tags;
  std::string error_title, error_detail, error_task;  // of a faulted one; the pointer of the task
  std::string reason;                                 // of a cancelled or suspended one
};
struct InstancePage {
  std::vector<InstanceRow> items;
  std::string next;  // empty: there are no more
};
// With what is big.
struct InstanceRecord {
  InstanceRow row;
  std::string input, output;         // JSON; output if completed
  std::optional<v1::Problem> error;  // if faulted
  HistorySeq last_seq = 0;
};

struct StatusCounts {
  // By status; limits::kCountedInstances + 1 where there are more.
  std::vector<std::pair<v1::InstanceStatus, int64_t>> counts;
};
struct SeriesPoint {
  Micros at = 0;  // beginning of the interval
  int64_t started = 0, completed = 0, faulted = 0, cancelled = 0;
};

struct HistoryItem {
  HistorySeq seq = 0;
  Micros at = 0;
  uint64_t epoch = 0;
  std::string kind;  // "TaskStarted", the name of the event's message
  std::string task;  // JSON pointer; empty: none
  v1::Event event;
};
struct HistoryPage {
  std::vector<HistoryItem> items;
  HistorySeq next = 0;  // to go on after; 0: there are no more
};

struct TaskRow {
  HistorySeq seq = 0;     // of the fact that began it: its id
  HistorySeq parent = 0;  // the task around it; 0: the workflow
  uint32_t frame = 0;     // 0: a task that was done at once
  std::string pointer, name, kind;
  uint32_t iteration = 0;  // of the loop around it, from 1; 0: none
  uint32_t attempt = 0;    // of the try around it, from 1; 0: none
  std::string status;      // running, waiting, completed, faulted, cancelled, skipped
  Micros started = 0, ended = 0, due = 0;
  std::string error_title, error_detail;
};
struct TaskPage {
  std::vector<TaskRow> items;
  HistorySeq next = 0;
};

struct ScheduleRow {
  v1::ScheduleDescription schedule;
  std::string namespace_, name;
  Micros updated = 0;
};

// An instance that took an event.
struct EventMatch {
  std::string instance, task;  // pointer of the listen
  HistorySeq seq = 0;
  Micros at = 0;
};

struct ShardPosition {
  uint32_t shard = 0;
  uint64_t sequence = 0, epoch = 0;
  Micros at = 0;       // of the last batch projected
  std::string engine;  // that wrote it
};
// An opening of a shard: who took it over when.
struct ShardOpening {
  uint32_t shard = 0;
  uint64_t epoch = 0;
  std::string engine;
  Micros at = 0;
  bool unclean = false;
};

struct AuditEntry {
  int64_t id = 0;
  Micros at = 0;
  std::string actor, address, method, path, object;
  int status = 0;
};
struct AuditPage {
  std::vector<AuditEntry> items;
  int64_t next = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  virtual absl::StatusOr<InstancePage> ListInstances(const InstanceFilter& filter,
                                                     const Page& page) = 0;
  virtual absl::StatusOr<StatusCounts> CountInstances(const InstanceFilter& filter) = 0;
  // Starts and ends in [from, to), in `buckets` equal intervals. Only the definition, the
  // namespaces and the schedule of the filter count.
  virtual absl::StatusOr<std::vector<SeriesPoint>> Series(const InstanceFilter& filter, Micros from,
                                                          Micros to, int buckets) = 0;
  virtual absl::StatusOr<InstanceRecord> GetInstance(const std::string& id) = 0;  // NotFound
  // In order; after 0: from the beginning. `newest_first` goes backwards, before `after` then.
  virtual absl::StatusOr<HistoryPage> History(const std::string& id, HistorySeq after, size_t limit,
                                              bool newest_first = false) = 0;
  virtual absl::StatusOr<TaskPage> Tasks(const std::string& id, HistorySeq after, size_t limit) = 0;
  // Every task whose row changed with a fact after `since`: what a live view asks for.
  virtual absl::StatusOr<TaskPage> TasksChanged(const std::string& id, HistorySeq since,
                                                size_t limit) = 0;
  virtual absl::StatusOr<std::vector<InstanceRow>> Children(const std::string& id,
                                                            size_t limit) = 0;

  virtual absl::StatusOr<std::vector<ScheduleRow>> ListSchedules() = 0;
  virtual absl::StatusOr<std::vector<EventMatch>> EventMatches(const std::string& source,
                                                               const std::string& id,
                                                               size_t limit) = 0;

  virtual absl::StatusOr<std::vector<ShardPosition>> Positions() = 0;
  virtual absl::StatusOr<std::vector<ShardOpening>> Openings(size_t limit) = 0;  // newest first

  virtual absl::Status AppendAudit(const AuditEntry& entry) = 0;  // `id` is given by the store
  virtual absl::StatusOr<AuditPage> ListAudit(int64_t before, size_t limit) = 0;  // newest first
};

// Opens what -store names, "sqlite:PATH", "sqlite::memory:" (of this process: every call with it
// gives the same database) or "postgres://…", and brings its tables to this version.
// FailedPrecondition if they are of a newer one.
absl::StatusOr<std::unique_ptr<Store>> OpenStore(const std::string& url);

}  // namespace jaque::store
