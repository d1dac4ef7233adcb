// SPDX-License-Identifier: Apache-2.0
// Errors: who catches, who retries, and when nobody does (reference, "Try", "Catch", "Retry").
#include <algorithm>

#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "engine/deciding.h"
#include "engine/retry.h"

namespace jaque::engine {
namespace {

const dsl::TryTask& TryOf(const Frame& frame) { return std::get<dsl::TryTask>(frame.task->spec); }

}  // namespace

void Deciding::StartTry(const TaskData& data) {
  const auto& retry = std::get<dsl::TryTask>(data.task.spec).retry;
  absl::StatusOr<Micros> limit = Micros{0};
  if (retry.has_value()) limit = TimeoutAt(retry->attempt_duration, data.input, ArgumentsOf(data));
  if (!limit.ok()) return FaultInside(data, limit.status());
  StartFrame(data, std::nullopt, *limit);
}

void Deciding::StartAttempt(Frame* frame) {
  const TaskData data = DataOf(*frame);
  const absl::StatusOr<Micros> limit =
      TimeoutAt(TryOf(*frame).retry->attempt_duration, data.input, ArgumentsOf(data));
  if (!limit.ok()) return FaultInside(data, limit.status());
  Fact fact;
  v1::AttemptStarted* started = fact.event.mutable_attempt_started();
  started->set_frame(frame->id);
  started->set_attempt(frame->Get<TryState>()->attempt + 1);
  started->set_wake_micros(*limit);
  Emit(std::move(fact));
}

void Deciding::FaultInside(const TaskData& data, const absl::Status& status) {
  FaultInside(data, ProblemFrom(status));
}

void Deciding::FaultInside(const TaskData& data, v1::Problem problem) {
  Fault(Find(data.scope), data.task, std::move(problem));
}

void Deciding::Fault(Frame* inside, const dsl::Task& task, v1::Problem problem) {
  if (problem.instance().empty()) problem.set_instance(task.pointer);
  for (std::string* text : {problem.mutable_type(), problem.mutable_title(),
                            problem.mutable_detail(), problem.mutable_instance()}) {
    CutText(text);
  }
  Fact fact;
  v1::ErrorRaised* raised = fact.event.mutable_error_raised();
  raised->set_frame(inside->id);
  raised->set_task(task.index);
  raised->set_has_task(true);
  *raised->mutable_error() = problem;
  Emit(std::move(fact));
  const Value error = ProblemValue(problem);
  for (FrameId at = inside->id; at != kNoFrame;) {
    Frame* frame = Find(at);
    at = frame->parent;
    if (frame->Get<TryState>() == nullptr) continue;
    absl::StatusOr<bool> handled = Catches(*frame, problem, error);
    if (handled.ok() && *handled) handled = Handle(frame, error);
    // A catch that cannot be evaluated fails in its turn, outside of the try.
    if (!handled.ok()) {
      return Fault(Find(frame->parent), *frame->task, ProblemFrom(handled.status()));
    }
    if (*handled) return;
  }
  FaultWorkflow(std::move(problem));
}

absl::StatusOr<bool> Deciding::Catches(const Frame& frame, const v1::Problem& problem,
                                       const Value& error) {
  const TryState& attempt = *frame.Get<TryState>();
  const dsl::TryTask& task = TryOf(frame);
  if (attempt.catching || attempt.waiting || !engine::Matches(task.filter, problem)) return false;
  const TaskData data = DataOf(frame);
  Arguments arguments = ArgumentsOf(data);
  arguments.Bind(task.as, error);
  if (task.when.has_value()) {
    ASSIGN_OR_RETURN(const bool wanted, Condition(*task.when, data.input, arguments));
    if (!wanted) return false;
  }
  if (task.except_when.has_value()) {
    ASSIGN_OR_RETURN(const bool excepted, Condition(*task.except_when, data.input, arguments));
    if (excepted) return false;
  }
  return true;
}

absl::StatusOr<bool> Deciding::RetryAllowed(const Frame& frame, const Value& error) {
  const dsl::TryTask& task = TryOf(frame);
  const dsl::RetryPolicy& policy = *task.retry;
  const TaskData data = DataOf(frame);
  Arguments arguments = ArgumentsOf(data);
  arguments.Bind(task.as, error);
  const int limit =
      std::min(policy.attempt_count.value_or(limits::kRetryAttempts), limits::kRetryAttempts);
  if (static_cast<int>(frame.Get<TryState>()->attempt) > limit) return false;
  if (policy.when.has_value()) {
    ASSIGN_OR_RETURN(const bool wanted, Condition(*policy.when, data.input, arguments));
    if (!wanted) return false;
  }
  if (policy.except_when.has_value()) {
    ASSIGN_OR_RETURN(const bool excepted, Condition(*policy.except_when, data.input, arguments));
    if (excepted) return false;
  }
  return true;
}

absl::StatusOr<std::optional<Micros>> Deciding::RetryDue(const Frame& frame, const Value& error) {
  ASSIGN_OR_RETURN(const bool allowed, RetryAllowed(frame, error));
  if (!allowed) return std::nullopt;
  const dsl::RetryPolicy& policy = *TryOf(frame).retry;
  const TryState& attempt = *frame.Get<TryState>();
  const TaskData data = DataOf(frame);
  const Arguments arguments = ArgumentsOf(data);
  ASSIGN_OR_RETURN(absl::Duration delay, EvaluateDuration(policy.delay, data.input, arguments));
  delay = RetryDelay(policy.backoff, delay, static_cast<int>(attempt.attempt));
  if (policy.jitter_from.has_value() && policy.jitter_to.has_value()) {
    ASSIGN_OR_RETURN(const absl::Duration from,
                     EvaluateDuration(*policy.jitter_from, data.input, arguments));
    ASSIGN_OR_RETURN(const absl::Duration to,
                     EvaluateDuration(*policy.jitter_to, data.input, arguments));
    delay += Jitter(from, to, environment_.random->Unit());
  }
  const Micros due = environment_.now + absl::ToInt64Microseconds(delay);
  if (!policy.duration.has_value()) return due;
  ASSIGN_OR_RETURN(const absl::Duration all,
                   EvaluateDuration(*policy.duration, data.input, arguments));
  if (due - attempt.first_attempt > absl::ToInt64Microseconds(all)) return std::nullopt;
  return due;
}

absl::StatusOr<bool> Deciding::Handle(Frame* frame, const Value& error) {
  const dsl::TryTask& task = TryOf(*frame);
  std::optional<Micros> due;
  if (task.retry.has_value()) {
    ASSIGN_OR_RETURN(due, RetryDue(*frame, error));
  }
  Fact fact;
  if (due.has_value()) {
    v1::RetryScheduled* scheduled = fact.event.mutable_retry_scheduled();
    scheduled->set_frame(frame->id);
    scheduled->set_attempt(frame->Get<TryState>()->attempt + 1);
    scheduled->set_due_micros(*due);
  } else if (task.retry.has_value() && task.catch_tasks.empty() && !task.then.has_value()) {
    return false;  // the retries are used up, and nothing else was asked for
  } else {
    fact.event.mutable_catch_started()->set_frame(frame->id);
    fact.SetData(error);
  }
  Emit(std::move(fact));
  return true;
}

void Deciding::FaultWorkflow(v1::Problem problem) {
  if (problem.instance().empty()) problem.set_instance("/");
  Fact fact;
  *fact.event.mutable_instance_faulted()->mutable_error() = std::move(problem);
  Emit(std::move(fact));
}

void Deciding::TimedOut(Frame* frame) {
  if (frame->task == nullptr) {
    return FaultWorkflow(TimeoutProblem("the workflow took longer than its timeout"));
  }
  const dsl::Task& task = *frame->task;
  Fault(Find(frame->parent), task, TimeoutProblem("the task took longer than its timeout"));
}

}  // namespace jaque::engine
