// SPDX-License-Identifier: Apache-2.0
// What waits for the outside, and what comes back from it: waits, timers, workers, children; and
// raise.
#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "engine/deciding.h"
#include "engine/dispatch.h"
#include "expression/json.h"

namespace jaque::engine {

void Deciding::Raise(const TaskData& data) {
  absl::StatusOr<v1::Problem> problem = RaisedProblem(data);
  FaultInside(data, problem.ok() ? *std::move(problem) : ProblemFrom(problem.status()));
}

absl::StatusOr<v1::Problem> Deciding::RaisedProblem(const TaskData& data) {
  const dsl::ErrorDefinition& error = std::get<dsl::RaiseTask>(data.task.spec).error;
  const Arguments arguments = ArgumentsOf(data);
  v1::Problem problem;
  ASSIGN_OR_RETURN(const Value type, Evaluate(error.type, data.input, arguments));
  ASSIGN_OR_RETURN(const Value status, Evaluate(error.status, data.input, arguments));
  const std::optional<int64_t> code = status.is_number() ? status.AsInt() : std::nullopt;
  if (!type.is_string() || !code.has_value() || *code < 0 || *code > 999) {
    return absl::InvalidArgumentError("an error needs a type (a string) and a status (a number)");
  }
  problem.set_type(std::string(type.AsString()));
  problem.set_status(static_cast<int32_t>(*code));
  const auto set_text = [&](const std::optional<dsl::Template>& text,
                            std::string* target) -> absl::Status {
    if (!text.has_value()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const Value value, Evaluate(*text, data.input, arguments));
    *target = value.is_string() ? std::string(value.AsString()) : ToJson(value);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(set_text(error.title, problem.mutable_title()));
  RETURN_IF_ERROR(set_text(error.detail, problem.mutable_detail()));
  RETURN_IF_ERROR(set_text(error.instance, problem.mutable_instance()));
  return problem;
}

void Deciding::Wait(const TaskData& data) {
  const auto& task = std::get<dsl::WaitTask>(data.task.spec);
  const absl::StatusOr<absl::Duration> duration =
      EvaluateDuration(task.duration, data.input, ArgumentsOf(data));
  if (!duration.ok()) return FaultInside(data, duration.status());
  if (*duration <= absl::ZeroDuration()) return Complete(data, kNoFrame, data.input);
  StartFrame(data, std::nullopt, environment_.now + absl::ToInt64Microseconds(*duration));
}

void Deciding::TimerFired(const v1::FireTimer& timer) {
  Frame* frame = Find(timer.frame());
  if (frame == nullptr) return;
  const bool wake = timer.kind() == v1::TIMER_KIND_WAKE;
  if ((wake ? frame->wake : frame->timeout) != timer.due_micros()) return;
  if (environment_.now < timer.due_micros()) {  // a clock that was set back: never early
    outcome_.effects.push_back(ArmTimer{id_, frame->id, timer.kind(), timer.due_micros()});
    return;
  }
  if (!wake) return TimedOut(frame);
  const TryState* attempt = frame->Get<TryState>();
  if (attempt == nullptr) return CompleteFrame(*frame, frame->input);
  if (attempt->waiting) return StartAttempt(frame);
  Fault(frame, *frame->task, TimeoutProblem("the attempt took longer than its limit"));
}

void Deciding::WorkEnded(const v1::TaskResult& result) {
  Frame* frame = Find(result.frame());
  const WorkState* work = frame == nullptr ? nullptr : frame->Get<WorkState>();
  if (work == nullptr || !work->child.empty() || work->attempt != result.attempt()) {
    return Reply(v1::CommandReply::CODE_NOT_FOUND, "the attempt is not open (any more)");
  }
  Reply(v1::CommandReply::CODE_OK);
  const TaskData data = DataOf(*frame);
  if (result.has_error()) return FaultInside(data, result.error());
  absl::StatusOr<Value> output = ParseJson(result.output());
  if (!output.ok()) {
    return FaultInside(
        data, RuntimeProblem(Cat("the worker's output is no JSON: ", output.status().message())));
  }
  CompleteFrame(*frame, *std::move(output));
}

void Deciding::StartWork(const TaskData& data) {
  Frame draft;
  draft.id = instance()->next_frame;
  draft.parent = data.scope;
  draft.task = &data.task;
  draft.started = data.started;
  draft.raw_input = data.raw;
  draft.input = data.input;
  draft.detail = WorkState();
  const size_t bytes = BuildTaskRequest(*instance(), draft, "").ByteSizeLong();
  if (bytes > limits::kValueBytes) {
    return FaultInside(
        data, RuntimeProblem(Cat("the task's input, with the variables that it uses, has ", bytes,
                                 " bytes, more than the limit of ", limits::kValueBytes)));
  }
  StartFrame(data);
}

void Deciding::StartChild(const TaskData& data) {
  const auto& task = std::get<dsl::RunWorkflowTask>(data.task.spec);
  const std::string name = Cat(task.namespace_, "/", task.name);
  const absl::StatusOr<DefinitionStore::WorkflowPtr> definition =
      task.version == "latest" ? environment_.definitions->GetLatest(name)
                               : environment_.definitions->Get(Cat(name, ":", task.version));
  if (!definition.ok()) return FaultInside(data, definition.status());
  if (instance()->parent.depth + 1 >= limits::kChildDepth) {
    return FaultInside(
        data, RuntimeProblem(Cat("workflows are nested more than ", limits::kChildDepth, " deep")));
  }
  Value input = data.input;
  if (task.input.has_value()) {
    absl::StatusOr<Value> evaluated = Evaluate(*task.input, data.input, ArgumentsOf(data));
    if (!evaluated.ok()) return FaultInside(data, evaluated.status());
    input = *std::move(evaluated);
  }
  const absl::Status flat = CheckDepth(input, "the input of the workflow to run");
  if (!flat.ok()) return FaultInside(data, flat);
  const size_t bytes = ToJson(input).size();
  if (bytes > limits::kInputBytes) {
    return FaultInside(data,
                       RuntimeProblem(Cat("the input of the workflow to run has ", bytes,
                                          " bytes, more than the limit of ", limits::kInputBytes)));
  }
  const FrameId frame = instance()->next_frame;
  StartFrame(data, std::move(input), 0, (*definition)->id());
  // StartFrame may have failed, and what caught that may have begun another task under this id.
  Frame* started = Find(frame);
  if (!task.await && started != nullptr && started->task == &data.task) {
    CompleteFrame(*started, data.input);
  }
}

void Deciding::ChildEnded(const v1::ChildEnded& ended) {
  Reply(v1::CommandReply::CODE_OK);
  Frame* frame = Find(ended.frame());
  const WorkState* work = frame == nullptr ? nullptr : frame->Get<WorkState>();
  if (work == nullptr || work->child != ended.child_id()) return;
  const TaskData data = DataOf(*frame);
  if (ended.has_error()) {
    v1::Problem problem = ended.error();
    if (problem.type().empty()) {
      problem = RuntimeProblem(Cat("the workflow that it ran, ", ended.child_id(),
                                   ", was cancelled: ", ended.error().detail()));
    }
    problem.set_instance(data.task.pointer);
    return FaultInside(data, std::move(problem));
  }
  const auto& task = std::get<dsl::RunWorkflowTask>(data.task.spec);
  absl::StatusOr<Value> output = task.return_kind == "none" ? Value() : ParseJson(ended.output());
  if (!output.ok()) return FaultInside(data, RuntimeProblem(Message(output.status())));
  CompleteFrame(*frame, *std::move(output));
}

}  // namespace jaque::engine
