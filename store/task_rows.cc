// SPDX-License-Identifier: Apache-2.0
#include "base/limits.h"
#include "store/fact_rows.h"

namespace jaque::store {
namespace {

constexpr uint32_t kRootFrame = 1;  // the instance itself: no row

// Which loop's iteration and which try's attempt a task is in, it has from the task around it.
constexpr std::string_view kStart = R"(
    INSERT INTO tasks (instance, seq, frame, parent_frame, parent, task, iteration, attempt,
      inner_iteration, inner_attempt, status, activity, started, ended, due, changed, error_title,
      error_detail)
    SELECT i.id, $2, $3, $4, COALESCE(p.seq, 0), $5,
      COALESCE(p.inner_iteration, 0), COALESCE(p.inner_attempt, 0),
      CASE WHEN d.kind IN ('for', 'listen') THEN 0 ELSE COALESCE(p.inner_iteration, 0) END,
      CASE WHEN d.kind = 'try' THEN 1 ELSE COALESCE(p.inner_attempt, 0) END,
      CASE WHEN d.kind IN ('wait', 'listen') THEN 'waiting' ELSE 'running' END,
      CASE WHEN d.kind IN ('wait', 'listen') THEN 2
        WHEN d.kind IN ('call', 'run') THEN 1 ELSE 0 END,
      $6, 0, $7, $2, '', ''
    FROM instances i LEFT JOIN definition_tasks d ON d.definition = i.definition AND d.task = $5
      LEFT JOIN tasks p ON p.instance = i.id AND p.frame = $4 AND p.ended = 0
    WHERE i.id = $1)";
// One that was done at once.
constexpr std::string_view kDone = R"(
    INSERT INTO tasks (instance, seq, frame, parent_frame, parent, task, iteration, attempt,
      inner_iteration, inner_attempt, status, activity, started, ended, due, changed, error_title,
      error_detail)
    SELECT i.id, $2, 0, $3, COALESCE(p.seq, 0), $4,
      COALESCE(p.inner_iteration, 0), COALESCE(p.inner_attempt, 0), 0, 0, $5, 0, $6, $6, 0, $2,
      $7, $8
    FROM instances i LEFT JOIN tasks p ON p.instance = i.id AND p.frame = $3 AND p.ended = 0
    WHERE i.id = $1)";
// The same, unless there is an open row of the task: it failed when it began.
constexpr std::string_view kFailedAtOnce = R"(
    INSERT INTO tasks (instance, seq, frame, parent_frame, parent, task, iteration, attempt,
      inner_iteration, inner_attempt, status, activity, started, ended, due, changed, error_title,
      error_detail)
    SELECT i.id, $2, 0, $3, COALESCE(p.seq, 0), $4,
      COALESCE(p.inner_iteration, 0), COALESCE(p.inner_attempt, 0), 0, 0, $5, 0, $6, $6, 0, $2,
      $7, $8
    FROM instances i LEFT JOIN tasks p ON p.instance = i.id AND p.frame = $3 AND p.ended = 0
    WHERE i.id = $1 AND NOT EXISTS (
      SELECT 1 FROM tasks t WHERE t.instance = $1 AND t.ended = 0 AND t.task = $4
        AND (t.parent_frame = $3 OR t.frame = $3)))";
constexpr std::string_view kEnd = R"(
    UPDATE tasks SET status = $3, activity = 0, due = 0, ended = $4, changed = $5
    WHERE instance = $1 AND frame = $2 AND ended = 0)";
constexpr std::string_view kFail = R"(
    UPDATE tasks SET status = 'faulted', activity = 0, due = 0, ended = $4, changed = $5,
      error_title = $6, error_detail = $7
    WHERE instance = $1 AND parent_frame = $2 AND task = $3 AND ended = 0)";
constexpr std::string_view kCancelAll = R"(
    UPDATE tasks SET status = 'cancelled', activity = 0, due = 0, ended = $2, changed = $3
    WHERE instance = $1 AND ended = 0)";
// All below the frame $2 but its child that is the task $5.
constexpr std::string_view kCancelBelow = R"(
    UPDATE tasks SET status = 'cancelled', activity = 0, due = 0, ended = $3, changed = $4
    WHERE instance = $1 AND ended = 0 AND frame IN (
      WITH RECURSIVE below (frame) AS (
        SELECT t.frame FROM tasks t WHERE t.instance = $1 AND t.ended = 0 AND t.parent_frame = $2
        UNION ALL
        SELECT t.frame FROM below b
          JOIN tasks t ON t.instance = $1 AND t.ended = 0 AND t.parent_frame = b.frame)
      SELECT frame FROM below)
    AND NOT (parent_frame = $2 AND task = $5))";
// Ids of frames grow downwards: those on the way that are greater than $3 lie below it.
constexpr std::string_view kEndPath = R"(
    UPDATE tasks SET status = $4, activity = 0, due = 0, ended = $5, changed = $6
    WHERE instance = $1 AND ended = 0 AND frame > $3 AND frame IN (
      WITH RECURSIVE path (frame) AS (
        SELECT t.frame FROM tasks t WHERE t.instance = $1 AND t.ended = 0 AND t.frame = $2
        UNION ALL
        SELECT t.frame FROM tasks c JOIN path p ON c.frame = p.frame AND c.instance = $1
            AND c.ended = 0
          JOIN tasks t ON t.instance = $1 AND t.ended = 0 AND t.frame = c.parent_frame)
      SELECT frame FROM path)
    AND NOT (parent_frame = $7 AND task = $8))";
constexpr std::string_view kIteration = R"(
    UPDATE tasks SET inner_iteration = $3, changed = $4, status = 'running', activity = 0
    WHERE instance = $1 AND frame = $2 AND ended = 0)";
constexpr std::string_view kWaitAgain = R"(
    UPDATE tasks SET status = 'waiting', activity = 2, due = $3, changed = $4
    WHERE instance = $1 AND frame = $2 AND ended = 0)";
constexpr std::string_view kGoOn = R"(
    UPDATE tasks SET status = 'running', activity = 0, due = $3, changed = $4,
      inner_attempt = CASE WHEN $5 = 0 THEN inner_attempt ELSE $5 END
    WHERE instance = $1 AND frame = $2 AND ended = 0)";
constexpr std::string_view kChanged =
    "UPDATE tasks SET changed = $3 WHERE instance = $1 AND frame = $2 AND ended = 0";
constexpr std::string_view kAttempt = R"(
    INSERT INTO attempts (instance, seq, task, attempt, due, started)
    SELECT instance, $3, task, $4, $5, 0 FROM tasks
    WHERE instance = $1 AND frame = $2 AND ended = 0)";
constexpr std::string_view kAttemptStarted = R"(
    UPDATE attempts SET started = $4 WHERE instance = $1 AND attempt = $3 AND started = 0
      AND task = (SELECT task FROM tasks WHERE instance = $1 AND frame = $2 AND ended = 0))";
constexpr std::string_view kFailure = R"(
    INSERT INTO failures (instance, seq, at, pointer, type, status, title, detail)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE EXISTS (SELECT 1 FROM instances WHERE id = $1))";
constexpr std::string_view kConsumed = R"(
    INSERT INTO consumed (source, event, instance, seq, at, task)
    SELECT $3, $4, $1, $5, $6, task FROM tasks WHERE instance = $1 AND frame = $2 AND ended = 0)";

std::string Id(const FactPlace& place) { return std::string(place.object); }

}  // namespace

void TaskRows::Add(const FactPlace& place, const v1::Event& event) {
  switch (event.kind_case()) {
    case v1::Event::kTaskStarted:
      return Started(place, event.task_started());
    case v1::Event::kTaskCompleted:
      return Completed(place, event.task_completed());
    case v1::Event::kErrorRaised:
      return Raised(place, event.error_raised());
    case v1::Event::kRetryScheduled:
      return RetryScheduled(place, event.retry_scheduled());
    case v1::Event::kAttemptStarted:
      return AttemptStarted(place, event.attempt_started());
    case v1::Event::kCatchStarted: {
      const int64_t frame = event.catch_started().frame();
      EndBelow(place, event.catch_started().frame());
      rows_.push_back({kGoOn, {Id(place), frame, int64_t{0}, place.seq, int64_t{0}}});
      return;
    }
    case v1::Event::kIterationStarted:
      rows_.push_back({kIteration,
                       {Id(place), int64_t{event.iteration_started().frame()},
                        int64_t{event.iteration_started().iteration()}, place.seq}});
      return;
    case v1::Event::kForeachStarted:
      rows_.push_back({kIteration,
                       {Id(place), int64_t{event.foreach_started().frame()},
                        int64_t{event.foreach_started().iteration()}, place.seq}});
      return;
    case v1::Event::kForeachCompleted:
      rows_.push_back(
          {kWaitAgain,
           {Id(place), int64_t{event.foreach_completed().frame()}, int64_t{0}, place.seq}});
      return;
    case v1::Event::kEventConsumed:
      return EventConsumed(place, event.event_consumed());
    case v1::Event::kInstanceCompleted:
    case v1::Event::kInstanceFaulted:
    case v1::Event::kInstanceCancelled:
      return EndAll(place);
    default:
      return;
  }
}

void TaskRows::Started(const FactPlace& place, const v1::TaskStarted& started) {
  const int64_t due = started.wake_micros() != 0 ? started.wake_micros() : started.timeout_micros();
  rows_.push_back({kStart,
                   {Id(place), place.seq, int64_t{started.frame()}, int64_t{started.parent()},
                    int64_t{started.task()}, place.at, due}});
}

void TaskRows::Completed(const FactPlace& place, const v1::TaskCompleted& completed) {
  const std::string id = Id(place);
  if (completed.frame() == 0) {
    rows_.push_back({kDone,
                     {id, place.seq, int64_t{completed.parent()}, int64_t{completed.task()},
                      std::string(completed.skipped() ? "skipped" : "completed"), place.at,
                      std::string(), std::string()}});
  } else {
    rows_.push_back(
        {kEnd, {id, int64_t{completed.frame()}, std::string("completed"), place.at, place.seq}});
    // The branches that lost, if it is a fork that ends with the first.
    rows_.push_back(
        {kCancelBelow, {id, int64_t{completed.frame()}, place.at, place.seq, int64_t{-1}}});
  }
  if (completed.next().kind() != v1::FlowTaken::KIND_END) return;
  // What is around it ends with it, and everything else stops.
  EndPath(place, completed.parent(), kRootFrame, "completed", -1, -1);
  rows_.push_back({kCancelAll, {id, place.at, place.seq}});
}

void TaskRows::Raised(const FactPlace& place, const v1::ErrorRaised& raised) {
  const std::string id = Id(place);
  const int64_t frame = raised.frame();
  const int64_t task = raised.has_task() ? int64_t{raised.task()} : -1;
  const v1::Problem& error = raised.error();
  rows_.push_back({kFailure,
                   {id, place.seq, place.at, error.instance(), error.type(),
                    int64_t{error.status()}, error.title(), error.detail()}});
  // A catch that fails in its turn: the first error goes up to it.
  if (raised_in_.has_value()) EndPath(place, *raised_in_, raised.frame(), "faulted", frame, task);
  if (raised.has_task()) {
    rows_.push_back({kFailedAtOnce,
                     {id, place.seq, frame, task, std::string("faulted"), place.at, error.title(),
                      error.detail()}});
  }
  rows_.push_back({kCancelBelow, {id, frame, place.at, place.seq, task}});
  if (raised.has_task()) {
    rows_.push_back({kFail, {id, frame, task, place.at, place.seq, error.title(), error.detail()}});
  }
  raised_in_ = raised.frame();
}

void TaskRows::RetryScheduled(const FactPlace& place, const v1::RetryScheduled& scheduled) {
  const std::string id = Id(place);
  const int64_t frame = scheduled.frame();
  EndBelow(place, scheduled.frame());
  rows_.push_back({kWaitAgain, {id, frame, scheduled.due_micros(), place.seq}});
  rows_.push_back(
      {kAttempt, {id, frame, place.seq, int64_t{scheduled.attempt()}, scheduled.due_micros()}});
}

void TaskRows::AttemptStarted(const FactPlace& place, const v1::AttemptStarted& started) {
  const std::string id = Id(place);
  const int64_t frame = started.frame(), attempt = started.attempt();
  rows_.push_back({kGoOn, {id, frame, started.wake_micros(), place.seq, attempt}});
  rows_.push_back({kAttemptStarted, {id, frame, attempt, place.at}});
}

void TaskRows::EventConsumed(const FactPlace& place, const v1::EventConsumed& consumed) {
  const std::string id = Id(place);
  const int64_t frame = consumed.frame();
  rows_.push_back({kConsumed, {id, frame, consumed.source(), consumed.id(), place.seq, place.at}});
  rows_.push_back({kChanged, {id, frame, place.seq}});
}

void TaskRows::EndAll(const FactPlace& place) {
  if (raised_in_.has_value()) EndPath(place, *raised_in_, kRootFrame, "faulted", -1, -1);
  rows_.push_back({kCancelAll, {Id(place), place.at, place.seq}});
  raised_in_.reset();
}

void TaskRows::EndBelow(const FactPlace& place, uint32_t frame) {
  if (raised_in_.has_value()) EndPath(place, *raised_in_, frame, "faulted", -1, -1);
  rows_.push_back({kCancelBelow, {Id(place), int64_t{frame}, place.at, place.seq, int64_t{-1}}});
  raised_in_.reset();
}

void TaskRows::EndPath(const FactPlace& place, uint32_t inside, uint32_t above, const char* status,
                       int64_t but_frame, int64_t but_task) {
  rows_.push_back({kEndPath,
                   {Id(place), int64_t{inside}, int64_t{above}, std::string(status), place.at,
                    place.seq, but_frame, but_task}});
}

}  // namespace jaque::store
