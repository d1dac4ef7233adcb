// SPDX-License-Identifier: Apache-2.0
// Facts about instances, shards and schedules.
#include <set>
#include <utility>

#include "base/text.h"
#include "expression/json.h"
#include "store/fact_rows.h"
#include "store/terms.h"

namespace jaque::store {
namespace {

constexpr std::string_view kOpening =
    "INSERT INTO openings (shard, seq, epoch, engine, at, unclean)"
    " VALUES ($1, $2, $3, $4, $5, $6)";

constexpr std::string_view kSetSchedule = R"(
    INSERT INTO schedules (id, namespace, name, definition, paused, reason, next_due, last_due,
                           last_instance, fired, updated)
    VALUES ($1, $2, $3, $4, 0, '', $5, 0, '', 0, $6)
    ON CONFLICT (id) DO UPDATE SET definition = excluded.definition,
      next_due = CASE WHEN schedules.paused = 1 THEN 0 ELSE excluded.next_due END,
      updated = excluded.updated)";
constexpr std::string_view kFireSchedule = R"(
    UPDATE schedules SET last_due = $2, last_instance = $3, fired = fired + 1, updated = $4,
      next_due = CASE WHEN $5 = 1 THEN next_due ELSE $6 END WHERE id = $1)";
constexpr std::string_view kPauseSchedule =
    "UPDATE schedules SET paused = 1, reason = $2, next_due = 0, updated = $3 WHERE id = $1";
constexpr std::string_view kResumeSchedule =
    "UPDATE schedules SET paused = 0, reason = '', next_due = $2, updated = $3 WHERE id = $1";
constexpr std::string_view kRemoveSchedule = "DELETE FROM schedules WHERE id = $1";

// The task of what names only a frame is the open one of it.
constexpr std::string_view kHistory = R"(
    INSERT INTO history (instance, seq, at, epoch, kind, task, event)
    SELECT $1, $2, $3, $4, $5, $6, $7 WHERE EXISTS (SELECT 1 FROM instances WHERE id = $1))";
constexpr std::string_view kHistoryOfFrame = R"(
    INSERT INTO history (instance, seq, at, epoch, kind, task, event)
    SELECT $1, $2, $3, $4, $5,
      COALESCE((SELECT task FROM tasks WHERE instance = $1 AND frame = $6 AND ended = 0), -1), $7
    WHERE EXISTS (SELECT 1 FROM instances WHERE id = $1))";

// The id may have belonged to an earlier instance, which is forgotten then.
constexpr std::string_view kStart = R"(
    INSERT INTO instances (id, shard, definition, namespace, name, version, status, suspended,
      started, updated, ended, parent, rerun_of, schedule, actor, tags, error_title, error_detail,
      error_task, reason, first_seq, last_seq, end_seq)
    VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $8, 0, $9, $10, $11, $12, $13, '', '', '', '',
            $14, $14, 0)
    ON CONFLICT (id) DO UPDATE SET shard = excluded.shard, definition = excluded.definition,
      namespace = excluded.namespace, name = excluded.name, version = excluded.version,
      status = excluded.status, suspended = 0, started = excluded.started,
      updated = excluded.updated, ended = 0, parent = excluded.parent,
      rerun_of = excluded.rerun_of, schedule = excluded.schedule, actor = excluded.actor,
      tags = excluded.tags, error_title = '', error_detail = '', error_task = '', reason = '',
      first_seq = excluded.first_seq, last_seq = excluded.last_seq, end_seq = 0)";
constexpr std::string_view kForget[] = {
    "DELETE FROM terms WHERE instance = $1",    "DELETE FROM history WHERE instance = $1",
    "DELETE FROM tasks WHERE instance = $1",    "DELETE FROM attempts WHERE instance = $1",
    "DELETE FROM failures WHERE instance = $1", "DELETE FROM consumed WHERE instance = $1"};
constexpr std::string_view kTerm =
    "INSERT INTO terms (term, started, instance)"
    " SELECT $2, started, id FROM instances WHERE id = $1 ON CONFLICT DO NOTHING";
constexpr std::string_view kEnd = R"(
    UPDATE instances SET status = $2, suspended = 0, updated = $3, ended = $3, end_seq = $4,
      error_title = $5, error_detail = $6, error_task = $7, reason = $8 WHERE id = $1)";
constexpr std::string_view kSuspend =
    "UPDATE instances SET suspended = $2, reason = $3 WHERE id = $1 AND ended = 0";
constexpr std::string_view kStatus = R"(
    UPDATE instances SET updated = $2, last_seq = $3, status = CASE
        WHEN ended > 0 THEN status
        WHEN suspended = 1 THEN $4
        WHEN EXISTS (SELECT 1 FROM tasks WHERE instance = $1 AND activity = 1) THEN $5
        WHEN EXISTS (SELECT 1 FROM tasks WHERE instance = $1 AND activity = 2) THEN $6
        ELSE $5 END
    WHERE id = $1)";

int64_t Number(v1::InstanceStatus status) { return status; }

std::string TagsJson(const v1::InstanceStarted& started) {
  Value tags = Value::Object();
  for (const v1::Tag& tag : started.tags()) tags.Set(tag.key(), Value::String(tag.value()));
  return ToJson(tags);
}

void AddTerms(std::string_view instance, const std::set<std::string>& terms,
              std::vector<Statement>* rows) {
  for (const std::string& term : terms) rows->push_back({kTerm, {std::string(instance), term}});
}

void AddStart(const FactPlace& place, const v1::InstanceStarted& started,
              std::vector<Statement>* rows) {
  const std::string id(place.object);
  const DefinitionId definition = SplitDefinitionId(started.definition());
  // A schedule that waits for the end is told it as a parent is, but is none.
  const std::string parent = started.schedule().empty() ? started.parent().instance_id() : "";
  rows->push_back(
      {kStart,
       {id, int64_t{place.shard}, started.definition(), definition.namespace_, definition.name,
        definition.version, Number(v1::INSTANCE_STATUS_RUNNING), place.at, parent,
        started.rerun_of(), started.schedule(), started.actor(), TagsJson(started), place.seq}});
  for (const std::string_view forget : kForget) rows->push_back({forget, {id}});
  std::set<std::string> terms;
  AddWords(place.object, &terms);
  AddWords(definition.name, &terms);
  for (const v1::Tag& tag : started.tags()) AddWords(Cat(tag.key(), " ", tag.value()), &terms);
  for (const v1::Tag& tag : started.tags()) terms.insert(TagTerm(tag.key(), tag.value()));
  AddTerms(place.object, terms, rows);
}

void AddEnd(const FactPlace& place, v1::InstanceStatus status, const v1::Problem& error,
            const std::string& reason, std::vector<Statement>* rows) {
  rows->push_back({kEnd,
                   {std::string(place.object), Number(status), place.at, place.seq, error.title(),
                    error.detail(), error.instance(), reason}});
  AddTerms(place.object, WordsOf(Cat(error.title(), " ", error.detail())), rows);
}

void AddSuspension(const FactPlace& place, bool suspended, const std::string& reason,
                   std::vector<Statement>* rows) {
  rows->push_back({kSuspend, {std::string(place.object), int64_t{suspended}, reason}});
}

std::string KindOf(const v1::Event& event) {
  const auto* field = v1::Event::descriptor()->FindFieldByNumber(event.kind_case());
  return field == nullptr ? "Unknown" : field->message_type()->name();
}

// Where the task of a fact is said: its index, or the frame that it has.
struct TaskPlace {
  bool is_frame = false;
  int64_t number = -1;
};
TaskPlace TaskOf(const v1::Event& event) {
  switch (event.kind_case()) {
    case v1::Event::kTaskStarted:
      return {false, event.task_started().task()};
    case v1::Event::kTaskCompleted:
      return {false, event.task_completed().task()};
    case v1::Event::kErrorRaised:
      return {false, event.error_raised().has_task() ? event.error_raised().task() : int64_t{-1}};
    case v1::Event::kIterationStarted:
      return {true, event.iteration_started().frame()};
    case v1::Event::kRetryScheduled:
      return {true, event.retry_scheduled().frame()};
    case v1::Event::kAttemptStarted:
      return {true, event.attempt_started().frame()};
    case v1::Event::kCatchStarted:
      return {true, event.catch_started().frame()};
    case v1::Event::kEventConsumed:
      return {true, event.event_consumed().frame()};
    case v1::Event::kForeachStarted:
      return {true, event.foreach_started().frame()};
    case v1::Event::kForeachCompleted:
      return {true, event.foreach_completed().frame()};
    default:
      return {};
  }
}

}  // namespace

DefinitionId SplitDefinitionId(const std::string& id) {
  const size_t slash = id.find('/');
  const size_t colon = id.find(':', slash == std::string::npos ? 0 : slash);
  if (slash == std::string::npos || colon == std::string::npos) return {"", id, ""};
  return {id.substr(0, slash), id.substr(slash + 1, colon - slash - 1), id.substr(colon + 1)};
}

void AddShardRows(const FactPlace& place, const v1::Event& event, std::vector<Statement>* rows) {
  if (!event.has_shard_opened()) return;
  const v1::ShardOpened& opened = event.shard_opened();
  rows->push_back({kOpening,
                   {int64_t{place.shard}, place.seq, static_cast<int64_t>(place.epoch),
                    opened.engine(), place.at, int64_t{opened.unclean()}}});
}

void AddScheduleRows(const FactPlace& place, const v1::Event& event, std::vector<Statement>* rows) {
  const std::string id(place.object);
  if (event.has_schedule_set()) {
    const v1::ScheduleSet& set = event.schedule_set();
    const DefinitionId definition = SplitDefinitionId(set.definition());
    rows->push_back({kSetSchedule,
                     {id, definition.namespace_, definition.name, set.definition(),
                      set.next_due_micros(), place.at}});
  } else if (event.has_schedule_fired()) {
    const v1::ScheduleFired& fired = event.schedule_fired();
    rows->push_back({kFireSchedule,
                     {id, fired.due_micros(), fired.instance_id(), place.at,
                      int64_t{fired.manual()}, fired.next_due_micros()}});
  } else if (event.has_schedule_paused()) {
    rows->push_back({kPauseSchedule, {id, event.schedule_paused().reason(), place.at}});
  } else if (event.has_schedule_resumed()) {
    rows->push_back({kResumeSchedule, {id, event.schedule_resumed().next_due_micros(), place.at}});
  } else if (event.has_schedule_removed()) {
    rows->push_back({kRemoveSchedule, {id}});
  }
}

void AddHistoryRow(const FactPlace& place, const v1::Event& event, std::vector<Statement>* rows) {
  const TaskPlace task = TaskOf(event);
  rows->push_back(
      {task.is_frame ? kHistoryOfFrame : kHistory,
       {std::string(place.object), place.seq, place.at, static_cast<int64_t>(place.epoch),
        KindOf(event), task.number, Blob{event.SerializeAsString()}}});
}

void AddInstanceRows(const FactPlace& place, const v1::Event& event, std::vector<Statement>* rows) {
  switch (event.kind_case()) {
    case v1::Event::kInstanceStarted:
      return AddStart(place, event.instance_started(), rows);
    case v1::Event::kInstanceCompleted:
      return AddEnd(place, v1::INSTANCE_STATUS_COMPLETED, {}, "", rows);
    case v1::Event::kInstanceFaulted:
      return AddEnd(place, v1::INSTANCE_STATUS_FAULTED, event.instance_faulted().error(), "", rows);
    case v1::Event::kInstanceCancelled:
      return AddEnd(place, v1::INSTANCE_STATUS_CANCELLED, {}, event.instance_cancelled().reason(),
                    rows);
    case v1::Event::kInstanceSuspended:
      return AddSuspension(place, true, event.instance_suspended().reason(), rows);
    case v1::Event::kInstanceQuarantined:
      return AddSuspension(place, true, "quarantined: engines died while they ran it", rows);
    case v1::Event::kInstanceResumed:
    case v1::Event::kQuarantineLifted:
      return AddSuspension(place, false, "", rows);
    default:
      return;
  }
}

void AddStatusRow(const FactPlace& last, std::vector<Statement>* rows) {
  rows->push_back(
      {kStatus,
       {std::string(last.object), last.at, last.seq, Number(v1::INSTANCE_STATUS_SUSPENDED),
        Number(v1::INSTANCE_STATUS_RUNNING), Number(v1::INSTANCE_STATUS_WAITING)}});
}

}  // namespace jaque::store
