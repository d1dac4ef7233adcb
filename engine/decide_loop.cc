// SPDX-License-Identifier: Apache-2.0
// `for` and `switch`: choices that become facts.
#include "base/limits.h"
#include "base/text.h"
#include "engine/deciding.h"

namespace jaque::engine {

void Deciding::Switch(const TaskData& data) {
  const auto& task = std::get<dsl::SwitchTask>(data.task.spec);
  const dsl::SwitchTask::Case* chosen = nullptr;
  for (const dsl::SwitchTask::Case& candidate : task.cases) {
    if (!candidate.when.has_value()) {
      if (chosen == nullptr) chosen = &candidate;  // the default, unless a later case matches
      continue;
    }
    const absl::StatusOr<bool> matches = Condition(*candidate.when, data.input, ArgumentsOf(data));
    if (!matches.ok()) return FaultInside(data, matches.status());
    if (*matches) {
      chosen = &candidate;
      break;
    }
  }
  Fact fact;
  if (chosen != nullptr) fact.event.mutable_task_completed()->set_case_name(chosen->name);
  Complete(data, kNoFrame, data.input, std::move(fact),
           chosen == nullptr ? nullptr : &chosen->then);
}

void Deciding::StartFor(const TaskData& data) {
  const auto& task = std::get<dsl::ForTask>(data.task.spec);
  absl::StatusOr<Value> items = Evaluate(task.in, data.input, ArgumentsOf(data));
  if (!items.ok()) return FaultInside(data, items.status());
  if (items->is_null()) items = Value::Array();
  if (!items->is_array()) {
    return FaultInside(data, ExpressionProblem("`for.in` must give an array"));
  }
  if (items->size() > limits::kIterations) {
    return FaultInside(data,
                       RuntimeProblem(Cat("`for.in` gives ", items->size(),
                                          " items, more than the limit of ", limits::kIterations)));
  }
  StartFrame(data, *std::move(items));
}

void Deciding::NextIteration(Frame* frame) {
  const auto& task = std::get<dsl::ForTask>(frame->task->spec);
  const ForState& loop = *frame->Get<ForState>();
  if (loop.iteration >= loop.items.size()) return CompleteFrame(*frame, frame->data);
  if (task.while_condition.has_value()) {
    const TaskData data = DataOf(*frame);
    Arguments arguments = ArgumentsOf(data);
    arguments.Bind(task.each, loop.items.at(loop.iteration));
    arguments.Bind(task.at, Value::Int(loop.iteration));
    const absl::StatusOr<bool> more = Condition(*task.while_condition, frame->data, arguments);
    if (!more.ok()) return FaultInside(data, more.status());
    if (!*more) return CompleteFrame(*frame, frame->data);
  }
  Fact fact;
  fact.event.mutable_iteration_started()->set_frame(frame->id);
  fact.event.mutable_iteration_started()->set_iteration(loop.iteration + 1);
  Emit(std::move(fact));
}

}  // namespace jaque::engine
