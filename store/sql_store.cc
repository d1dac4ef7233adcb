// SPDX-License-Identifier: Apache-2.0
#include "store/sql_store.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "store/instance_query.h"
#include "store/positions.h"
#include "store/timeline.h"

namespace jaque::store {
namespace {

// Instances that have a word, up to which they are all looked at rather than met on the way.
constexpr size_t kFewInstances = 5'000;

class SqlStore final : public Store {
 public:
  explicit SqlStore(std::shared_ptr<Database> database) : database_(std::move(database)) {}

  absl::StatusOr<InstancePage> ListInstances(const InstanceFilter& filter,
                                             const Page& page) override {
    std::optional<InstanceCursor> after;
    if (!page.cursor.empty()) {
      ASSIGN_OR_RETURN(after, InstanceCursor::Parse(page.cursor));
    }
    InstanceQuery query(filter);
    RETURN_IF_ERROR(Prepare(&query));
    const size_t limit = std::min(page.limit, limits::kPageItems);
    const Sql sql = query.List(after, page.oldest_first, limit + 1);
    InstancePage result;
    RETURN_IF_ERROR(
        Read(sql.statement(), [&](const Row& row) { result.items.push_back(RowOf(row)); }));
    if (result.items.size() > limit) {
      result.items.resize(limit);
      if (limit > 0) {
        result.next = InstanceCursor{result.items.back().started, result.items.back().id}.Text();
      }
    }
    return result;
  }

  absl::StatusOr<StatusCounts> CountInstances(const InstanceFilter& filter) override {
    InstanceQuery query(filter);
    RETURN_IF_ERROR(Prepare(&query));
    StatusCounts counts;
    for (int number = v1::INSTANCE_STATUS_PENDING; number <= v1::INSTANCE_STATUS_COMPLETED;
         ++number) {
      const auto status = static_cast<v1::InstanceStatus>(number);
      const bool wanted = filter.statuses.empty() ||
                          std::find(filter.statuses.begin(), filter.statuses.end(), status) !=
                              filter.statuses.end();
      if (!wanted) continue;
      const Sql sql = query.Count(status, limits::kCountedInstances + 1);
      int64_t count = 0;
      RETURN_IF_ERROR(Read(sql.statement(), [&](const Row& row) { count = row.Int(0); }));
      if (count > 0) counts.counts.emplace_back(status, count);
    }
    return counts;
  }

  absl::StatusOr<std::vector<SeriesPoint>> Series(const InstanceFilter& filter, Micros from,
                                                  Micros to, int buckets) override {
    return ReadSeries(database_.get(), filter, from, to, buckets);
  }

  absl::StatusOr<InstanceRecord> GetInstance(const std::string& id) override {
    InstanceRecord record;
    bool found = false;
    int64_t first = 0, end = 0;
    RETURN_IF_ERROR(Read(SelectInstance(id).statement(), [&](const Row& row) {
      found = true;
      record.row = RowOf(row);
      first = row.Int(17);
      end = row.Int(18);
      record.last_seq = row.Int(19);
    }));
    if (!found) return absl::NotFoundError(Cat("there is no instance ", id));
    const auto take = [&](const Row& row) {
      v1::Event event;
      if (!event.ParseFromString(row.Text(0))) return;
      if (event.has_instance_started()) record.input = event.input();
      if (event.has_instance_completed()) record.output = event.data();
      if (event.has_instance_faulted()) record.error = event.instance_faulted().error();
    };
    RETURN_IF_ERROR(Read(
        {"SELECT event FROM history WHERE instance = $1 AND seq IN ($2, $3)", {id, first, end}},
        take));
    return record;
  }

  absl::StatusOr<HistoryPage> History(const std::string& id, HistorySeq after, size_t limit,
                                      bool newest_first) override {
    return ReadHistory(database_.get(), id, after, limit, newest_first);
  }
  absl::StatusOr<TaskPage> Tasks(const std::string& id, HistorySeq after, size_t limit) override {
    return ReadTasks(database_.get(), id, after, limit);
  }
  absl::StatusOr<TaskPage> TasksChanged(const std::string& id, HistorySeq since,
                                        size_t limit) override {
    return ReadTasksChanged(database_.get(), id, since, limit);
  }

  absl::StatusOr<std::vector<InstanceRow>> Children(const std::string& id, size_t limit) override {
    InstanceFilter filter;
    filter.parent = id;
    Page page;
    page.limit = limit;
    page.oldest_first = true;
    ASSIGN_OR_RETURN(InstancePage children, ListInstances(filter, page));
    return std::move(children.items);
  }

  absl::StatusOr<std::vector<ScheduleRow>> ListSchedules() override {
    std::vector<ScheduleRow> schedules;
    const auto take = [&](const Row& row) {
      ScheduleRow& schedule = schedules.emplace_back();
      schedule.schedule.set_id(row.Text(0));
      schedule.namespace_ = row.Text(1);
      schedule.name = row.Text(2);
      schedule.schedule.set_definition(row.Text(3));
      schedule.schedule.set_paused(row.Int(4) != 0);
      schedule.schedule.set_reason(row.Text(5));
      schedule.schedule.set_next_due_micros(row.Int(6));
      schedule.schedule.set_last_due_micros(row.Int(7));
      schedule.schedule.set_last_instance(row.Text(8));
      schedule.schedule.set_fired(static_cast<uint64_t>(row.Int(9)));
      schedule.updated = row.Int(10);
    };
    RETURN_IF_ERROR(Read({"SELECT id, namespace, name, definition, paused, reason, next_due,"
                          " last_due, last_instance, fired, updated FROM schedules"
                          " ORDER BY namespace, name"},
                         take));
    return schedules;
  }

  absl::StatusOr<std::vector<EventMatch>> EventMatches(const std::string& source,
                                                       const std::string& id,
                                                       size_t limit) override {
    std::vector<EventMatch> matches;
    RETURN_IF_ERROR(
        Read({"SELECT c.instance, COALESCE(d.pointer, ''), c.seq, c.at FROM consumed c"
              " JOIN instances i ON i.id = c.instance"
              " LEFT JOIN definition_tasks d ON d.definition = i.definition AND d.task = c.task"
              " WHERE c.source = $1 AND c.event = $2 ORDER BY c.instance, c.seq LIMIT $3",
              {source, id, static_cast<int64_t>(limit)}},
             [&](const Row& row) {
               matches.push_back({row.Text(0), row.Text(1), row.Int(2), row.Int(3)});
             }));
    return matches;
  }

  absl::StatusOr<std::vector<ShardPosition>> Positions() override {
    ASSIGN_OR_RETURN(const auto positions, ReadPositions(database_.get(), kStoreOutput));
    std::vector<ShardPosition> list;
    for (const auto& [shard, position] : positions) list.push_back(position);
    return list;
  }

  absl::StatusOr<std::vector<ShardOpening>> Openings(size_t limit) override {
    std::vector<ShardOpening> openings;
    RETURN_IF_ERROR(Read({"SELECT shard, epoch, engine, at, unclean FROM openings"
                          " ORDER BY at DESC, shard DESC, seq DESC LIMIT $1",
                          {static_cast<int64_t>(limit)}},
                         [&](const Row& row) {
                           openings.push_back({static_cast<uint32_t>(row.Int(0)),
                                               static_cast<uint64_t>(row.Int(1)), row.Text(2),
                                               row.Int(3), row.Int(4) != 0});
                         }));
    return openings;
  }

  absl::Status AppendAudit(const AuditEntry& entry) override {
    return database_
        ->Write({{"INSERT INTO audit (at, actor, address, method, path, object, status)"
                  " VALUES ($1, $2, $3, $4, $5, $6, $7)",
                  {entry.at, entry.actor, entry.address, entry.method, entry.path, entry.object,
                   int64_t{entry.status}}}})
        .status();
  }

  absl::StatusOr<AuditPage> ListAudit(int64_t before, size_t limit) override {
    limit = std::min(limit, limits::kPageItems);
    if (before <= 0) before = std::numeric_limits<int64_t>::max();
    AuditPage page;
    RETURN_IF_ERROR(Read({"SELECT id, at, actor, address, method, path, object, status FROM audit"
                          " WHERE id < $1 ORDER BY id DESC LIMIT $2",
                          {before, static_cast<int64_t>(limit + 1)}},
                         [&](const Row& row) {
                           page.items.push_back({row.Int(0), row.Int(1), row.Text(2), row.Text(3),
                                                 row.Text(4), row.Text(5), row.Text(6),
                                                 static_cast<int>(row.Int(7))});
                         }));
    if (page.items.size() > limit) {
      page.items.resize(limit);
      if (limit > 0) page.next = page.items.back().id;
    }
    return page;
  }

 private:
  absl::Status Read(const Statement& statement, absl::FunctionRef<void(const Row&)> visit) {
    return database_->Read(statement, visit);
  }

  // Finds out which of the words few instances have.
  absl::Status Prepare(InstanceQuery* query) {
    size_t least = kFewInstances + 1;
    for (size_t i = 0; i < query->ranges().size(); ++i) {
      const TermRange& range = query->ranges()[i];
      int64_t found = 0;
      RETURN_IF_ERROR(
          Read({"SELECT COUNT(*) FROM (SELECT 1 FROM terms WHERE term >= $1 AND term < $2"
                " LIMIT $3) c",
                {range.from, range.before, static_cast<int64_t>(kFewInstances + 1)}},
               [&](const Row& row) { found = row.Int(0); }));
      if (static_cast<size_t>(found) >= least) continue;
      least = static_cast<size_t>(found);
      query->BeginWith(i);
    }
    return absl::OkStatus();
  }

  const std::shared_ptr<Database> database_;
};

}  // namespace

std::unique_ptr<Store> MakeStore(std::shared_ptr<Database> database) {
  return std::make_unique<SqlStore>(std::move(database));
}

absl::StatusOr<std::unique_ptr<Store>> OpenStore(const std::string& url) {
  ASSIGN_OR_RETURN(std::shared_ptr<Database> database, OpenDatabase(url));
  return MakeStore(std::move(database));
}

}  // namespace jaque::store
