// SPDX-License-Identifier: Apache-2.0
// The way through an instance: which task is next, how one begins, how one ends.
#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "engine/deciding.h"
#include "engine/step_probe.h"

namespace jaque::engine {
namespace {

v1::FlowTaken NextOf(const Instance& instance, const Frame& parent, const dsl::Task& task,
                     const dsl::Flow& flow) {
  v1::FlowTaken next;
  switch (flow.kind) {
    case dsl::Flow::Kind::kContinue:
      next.set_position(task.position + 1);
      break;
    case dsl::Flow::Kind::kExit:
      next.set_position(ListOf(instance, parent)->size());
      break;
    case dsl::Flow::Kind::kEnd:
      next.set_kind(v1::FlowTaken::KIND_END);
      break;
    case dsl::Flow::Kind::kTask:
      next.set_position(flow.position);
      break;
  }
  return next;
}

}  // namespace

void Deciding::Step(Frame* frame) {
  if (instance()->steps_without_wait > limits::kStepsWithoutWait) {
    return FaultWorkflow(RuntimeProblem(
        Cat("the workflow did ", limits::kStepsWithoutWait,
            " steps without waiting for anything: is there a loop without an end?")));
  }
  if (frame->Get<ForkState>() != nullptr) return StepFork(frame);
  const ListenState* listen = frame->Get<ListenState>();
  if (listen != nullptr && !listen->iterating) return StepListen(frame);
  const dsl::TaskList& list = *ListOf(*instance(), *frame);
  if (frame->cursor < list.size()) return BeginTask(frame, *list[frame->cursor]);
  ListEnded(frame);
}

void Deciding::StepFork(Frame* frame) {
  const auto& task = std::get<dsl::ForkTask>(frame->task->spec);
  const ForkState& fork = *frame->Get<ForkState>();
  if (task.compete && fork.winner.has_value()) {
    return CompleteFrame(*frame, *fork.outputs[*fork.winner]);
  }
  if (frame->cursor < task.branches.size()) return BeginTask(frame, *task.branches[frame->cursor]);
  Value outputs = Value::Array();
  for (const std::optional<Value>& output : fork.outputs) outputs.Append(*output);
  CompleteFrame(*frame, task.compete ? Value() : std::move(outputs));
}

void Deciding::BeginTask(Frame* parent, const dsl::Task& task) {
  if (auto* const probe = step_probe.load(std::memory_order_relaxed)) probe(task);
  const Value raw = parent->Get<ForkState>() != nullptr ? parent->input : parent->data;
  TaskData data{parent->id, task, raw, raw, environment_.now};
  if (task.condition.has_value()) {
    Arguments arguments(instance(), parent, &task);
    arguments.RawInput(&raw).StartedAt(environment_.now);
    const absl::StatusOr<bool> wanted = Condition(*task.condition, raw, arguments);
    if (!wanted.ok()) return FaultInside(data, wanted.status());
    if (!*wanted) return Skip(data);
  }
  absl::StatusOr<Value> input = TransformInput(parent, task, raw);
  if (!input.ok()) return FaultInside(data, input.status());
  data.input = *std::move(input);
  BeginKind(data);
}

void Deciding::Skip(const TaskData& data) {
  Fact fact;
  v1::TaskCompleted* completed = fact.event.mutable_task_completed();
  completed->set_parent(data.scope);
  completed->set_task(data.task.index);
  completed->mutable_next()->set_position(data.task.position + 1);
  completed->set_skipped(true);
  Emit(std::move(fact));
}

void Deciding::BeginKind(const TaskData& data) {
  switch (data.task.kind()) {
    case dsl::TaskKind::kSet: {
      const dsl::Template& value = std::get<dsl::SetTask>(data.task.spec).value;
      absl::StatusOr<Value> output = Evaluate(value, data.input, ArgumentsOf(data));
      if (!output.ok()) return FaultInside(data, output.status());
      return Complete(data, kNoFrame, *std::move(output));
    }
    case dsl::TaskKind::kSwitch:
      return Switch(data);
    case dsl::TaskKind::kFor:
      return StartFor(data);
    case dsl::TaskKind::kTry:
      return StartTry(data);
    case dsl::TaskKind::kRaise:
      return Raise(data);
    case dsl::TaskKind::kWait:
      return Wait(data);
    case dsl::TaskKind::kEmit:
      return EmitEvent(data);
    case dsl::TaskKind::kRunWorkflow:
      return StartChild(data);
    case dsl::TaskKind::kDo:
    case dsl::TaskKind::kFork:
    case dsl::TaskKind::kListen:
      return StartFrame(data);
    case dsl::TaskKind::kWorker:
      return StartWork(data);
  }
}

void Deciding::StartFrame(const TaskData& data, std::optional<Value> value, Micros wake,
                          const std::string& child_definition) {
  if (Find(data.scope)->depth + 1 > limits::kFrameDepth ||
      instance()->frames.size() >= limits::kLiveFrames) {
    return FaultInside(
        data, RuntimeProblem(Cat("more than ", limits::kFrameDepth, " tasks inside each other, or ",
                                 limits::kLiveFrames, " at once")));
  }
  const absl::StatusOr<Micros> timeout =
      TimeoutAt(data.task.timeout, data.input, ArgumentsOf(data));
  if (!timeout.ok()) return FaultInside(data, timeout.status());
  Fact fact;
  v1::TaskStarted* started = fact.event.mutable_task_started();
  started->set_frame(instance()->next_frame);
  started->set_parent(data.scope);
  started->set_task(data.task.index);
  started->set_timeout_micros(*timeout);
  started->set_wake_micros(wake);
  started->set_child_definition(child_definition);
  if (!(data.input == data.raw)) fact.SetInput(data.input);
  if (value.has_value()) fact.SetData(*std::move(value));
  const absl::Status fits = CheckSize(fact, "the task's input");
  if (!fits.ok()) return FaultInside(data, fits);
  Emit(std::move(fact));
}

void Deciding::Complete(const TaskData& data, FrameId frame, Value raw_output, Fact fact,
                        const dsl::Flow* flow) {
  const absl::Status valid = TransformOutput(data, std::move(raw_output), &fact);
  if (!valid.ok()) return FaultInside(data, valid);
  v1::TaskCompleted* completed = fact.event.mutable_task_completed();
  completed->set_frame(frame);
  completed->set_parent(data.scope);
  completed->set_task(data.task.index);
  *completed->mutable_next() =
      NextOf(*instance(), *Find(data.scope), data.task, flow != nullptr ? *flow : data.task.then);
  Emit(std::move(fact));
}

void Deciding::CompleteFrame(const Frame& frame, Value raw_output, const dsl::Flow* flow) {
  Complete(DataOf(frame), frame.id, std::move(raw_output), {}, flow);
}

void Deciding::ListEnded(Frame* frame) {
  if (frame->task == nullptr) return CompleteWorkflow(frame);
  if (frame->Get<ForState>() != nullptr) return NextIteration(frame);
  if (frame->Get<ListenState>() != nullptr) return ForeachEnded(frame);
  const TryState* attempt = frame->Get<TryState>();
  const dsl::Flow* flow = nullptr;
  if (attempt != nullptr && attempt->catching) {
    const auto& then = std::get<dsl::TryTask>(frame->task->spec).then;
    if (then.has_value()) flow = &*then;
  }
  CompleteFrame(*frame, frame->data, flow);
}

void Deciding::CompleteWorkflow(Frame* root) {
  const dsl::DataFlow& flow = instance()->workflow->output;
  Value output = root->data;
  const Arguments arguments(instance(), nullptr, nullptr);
  absl::Status valid = Transform(flow, arguments, &output);
  if (valid.ok()) valid = Validate(flow, "the workflow's output", output);
  if (!valid.ok()) return FaultWorkflow(ProblemFrom(valid));
  Fact fact;
  fact.event.mutable_instance_completed();
  fact.SetData(std::move(output));
  valid = CheckSize(fact, "the workflow's output");
  if (!valid.ok()) return FaultWorkflow(ProblemFrom(valid));
  Emit(std::move(fact));
}

}  // namespace jaque::engine
