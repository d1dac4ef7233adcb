// SPDX-License-Identifier: Apache-2.0
#include "store/timeline.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "store/instance_query.h"

namespace jaque::store {
namespace {

constexpr std::string_view kHistory = R"(
    SELECT h.seq, h.at, h.epoch, h.kind, COALESCE(d.pointer, ''), h.event
    FROM instances i CROSS JOIN history h
      LEFT JOIN definition_tasks d ON d.definition = i.definition AND d.task = h.task
    WHERE i.id = $1 AND h.instance = $1 AND )";
constexpr std::string_view kTasks = R"(
    SELECT t.seq, t.parent, t.frame, COALESCE(d.pointer, ''), COALESCE(d.name, ''),
      COALESCE(d.kind, ''), t.iteration, t.attempt, t.status, t.started, t.ended, t.due,
      t.error_title, t.error_detail, t.changed
    FROM instances i CROSS JOIN tasks t
      LEFT JOIN definition_tasks d ON d.definition = i.definition AND d.task = t.task
    WHERE i.id = $1 AND t.instance = $1 AND )";
constexpr std::string_view kEndedTasks = R"(
    SELECT t.seq, t.parent, t.frame, COALESCE(d.pointer, ''), COALESCE(d.name, ''),
      COALESCE(d.kind, ''), t.iteration, t.attempt, t.status, t.started, t.ended, t.due,
      t.error_title, t.error_detail, COALESCE(f.type, '')
    FROM instances i CROSS JOIN tasks t
      LEFT JOIN definition_tasks d ON d.definition = i.definition AND d.task = t.task
      LEFT JOIN failures f ON f.instance = t.instance AND f.seq = t.changed
    WHERE i.id = $1 AND t.instance = $1 AND t.changed >= $2 AND t.changed <= $3 AND t.ended > 0
    ORDER BY t.seq)";
constexpr std::string_view kRetries = R"(
    SELECT t.seq, a.attempt, a.started
    FROM tasks t JOIN attempts a ON a.instance = t.instance AND a.task = t.task
      AND a.seq > t.seq AND a.seq <= t.changed AND a.started > 0
    WHERE t.instance = $1 AND t.changed >= $2 AND t.changed <= $3 AND t.ended > 0
    ORDER BY a.seq)";

TaskRow TaskOf(const Row& row) {
  TaskRow task;
  task.seq = row.Int(0);
  task.parent = row.Int(1);
  task.frame = static_cast<uint32_t>(row.Int(2));
  task.pointer = row.Text(3);
  task.name = row.Text(4);
  task.kind = row.Text(5);
  task.iteration = static_cast<uint32_t>(row.Int(6));
  task.attempt = static_cast<uint32_t>(row.Int(7));
  task.status = row.Text(8);
  task.started = row.Int(9);
  task.ended = row.Int(10);
  task.due = row.Int(11);
  task.error_title = row.Text(12);
  task.error_detail = row.Text(13);
  return task;
}

// Ordered by `column`, which `next` is of.
absl::StatusOr<TaskPage> ReadTaskPage(Database* database, const std::string& id,
                                      std::string_view column, HistorySeq after, size_t limit) {
  limit = std::min(limit, limits::kPageItems);
  const std::string sql =
      Cat(kTasks, "t.", column, " > $2 ORDER BY t.", column, ", t.seq LIMIT $3");
  TaskPage page;
  std::vector<HistorySeq> places;
  RETURN_IF_ERROR(
      database->Read({sql, {id, after, static_cast<int64_t>(limit + 1)}}, [&](const Row& row) {
        page.items.push_back(TaskOf(row));
        places.push_back(column == "seq" ? row.Int(0) : row.Int(14));
      }));
  if (page.items.size() <= limit || limit == 0) return page;
  // One fact can change many tasks: a page ends between two facts, if it can.
  size_t end = limit;
  while (end > 0 && places[end - 1] == places[limit]) --end;
  page.items.resize(end == 0 ? limit : end);
  page.next = places[page.items.size() - 1];
  return page;
}

// Fills `count` of the points that rows (interval, number) name.
absl::Status FillSeries(Database* database, const Sql& sql, int64_t SeriesPoint::*count,
                        std::vector<SeriesPoint>* points) {
  return database->Read(sql.statement(), [&](const Row& row) {
    const int64_t interval = row.Int(0);
    if (interval < 0 || interval >= static_cast<int64_t>(points->size())) return;
    (*points)[interval].*count += row.Int(1);
  });
}

}  // namespace

absl::StatusOr<HistoryPage> ReadHistory(Database* database, const std::string& id, HistorySeq after,
                                        size_t limit, bool newest_first) {
  limit = std::min(limit, limits::kPageItems);
  if (newest_first && after == 0) after = std::numeric_limits<HistorySeq>::max();
  const std::string sql =
      Cat(kHistory, newest_first ? "h.seq < $2 ORDER BY h.seq DESC" : "h.seq > $2 ORDER BY h.seq",
          " LIMIT $3");
  HistoryPage page;
  RETURN_IF_ERROR(
      database->Read({sql, {id, after, static_cast<int64_t>(limit + 1)}}, [&](const Row& row) {
        HistoryItem& item = page.items.emplace_back();
        item.seq = row.Int(0);
        item.at = row.Int(1);
        item.epoch = static_cast<uint64_t>(row.Int(2));
        item.kind = row.Text(3);
        item.task = row.Text(4);
        item.event.ParseFromString(row.Text(5));
      }));
  if (page.items.size() > limit) {
    page.items.resize(limit);
    if (limit > 0) page.next = page.items.back().seq;
  }
  return page;
}

absl::StatusOr<TaskPage> ReadTasks(Database* database, const std::string& id, HistorySeq after,
                                   size_t limit) {
  return ReadTaskPage(database, id, "seq", after, limit);
}

absl::StatusOr<TaskPage> ReadTasksChanged(Database* database, const std::string& id,
                                          HistorySeq since, size_t limit) {
  return ReadTaskPage(database, id, "changed", since, limit);
}

absl::StatusOr<Endings> ReadEndings(Database* database, const std::string& id, HistorySeq first,
                                    HistorySeq last) {
  Endings endings;
  RETURN_IF_ERROR(database->Read(SelectInstance(id).statement(), [&](const Row& row) {
    const HistorySeq end = row.Int(18);
    if (end >= first && end <= last) endings.instance = RowOf(row);
  }));
  std::map<HistorySeq, size_t> tries;  // places among the tasks
  RETURN_IF_ERROR(database->Read({kEndedTasks, {id, first, last}}, [&](const Row& row) {
    EndedTask& task = endings.tasks.emplace_back();
    task.row = TaskOf(row);
    task.error_type = row.Text(14);
    if (task.row.kind == "try") tries[task.row.seq] = endings.tasks.size() - 1;
  }));
  if (tries.empty()) return endings;
  RETURN_IF_ERROR(database->Read({kRetries, {id, first, last}}, [&](const Row& row) {
    const auto found = tries.find(row.Int(0));
    if (found == tries.end()) return;
    endings.tasks[found->second].retries.push_back({static_cast<uint32_t>(row.Int(1)), row.Int(2)});
  }));
  return endings;
}

absl::StatusOr<std::vector<SeriesPoint>> ReadSeries(Database* database,
                                                    const InstanceFilter& filter, Micros from,
                                                    Micros to, int buckets) {
  if (buckets < 1 || to <= from) return std::vector<SeriesPoint>();
  const Micros width = (to - from + buckets - 1) / buckets;
  std::vector<SeriesPoint> points(buckets);
  for (int i = 0; i < buckets; ++i) points[i].at = from + i * width;
  const auto within = [&](std::string_view column, Sql* sql) {
    sql->Add("SELECT (").Add(column).Add(" - ").Bind(Parameter(from)).Add(") / ");
    sql->Bind(Parameter(width)).Add(", COUNT(*) FROM instances i WHERE ").Add(column).Add(" >= ");
    sql->Bind(Parameter(from)).Add(" AND ").Add(column).Add(" < ").Bind(Parameter(to));
    AddDefinitionConditions(filter, sql);
  };
  Sql starts;
  within("i.started", &starts);
  RETURN_IF_ERROR(FillSeries(database, starts.Add(" GROUP BY 1"), &SeriesPoint::started, &points));
  const std::pair<v1::InstanceStatus, int64_t SeriesPoint::*> ends[] = {
      {v1::INSTANCE_STATUS_COMPLETED, &SeriesPoint::completed},
      {v1::INSTANCE_STATUS_FAULTED, &SeriesPoint::faulted},
      {v1::INSTANCE_STATUS_CANCELLED, &SeriesPoint::cancelled}};
  for (const auto& [status, count] : ends) {
    Sql sql;
    within("i.ended", &sql);
    sql.Add(" AND i.ended > 0 AND i.status = ").Bind(Parameter(int64_t{status}));
    RETURN_IF_ERROR(FillSeries(database, sql.Add(" GROUP BY 1"), count, &points));
  }
  return points;
}

}  // namespace jaque::store
