// SPDX-License-Identifier: Apache-2.0
#include "engine/arguments.h"

#include "absl/time/time.h"
#include "base/text.h"
#include "base/version.h"

namespace jaque::engine {
namespace {

Value OrNull(const Value* value) { return value == nullptr ? Value() : *value; }

// The variables that one frame brings into scope.
const Value* FindInFrame(const Frame& frame, std::string_view name, Value* made) {
  if (const ForState* loop = frame.Get<ForState>(); loop != nullptr && loop->iteration > 0) {
    const auto& task = std::get<dsl::ForTask>(frame.task->spec);
    if (name == task.each) return &loop->items.at(loop->iteration - 1);
    if (name == task.at) return &(*made = Value::Int(loop->iteration - 1));
  }
  if (const TryState* attempt = frame.Get<TryState>(); attempt != nullptr && attempt->catching) {
    if (name == std::get<dsl::TryTask>(frame.task->spec).as) return &attempt->error;
  }
  if (const ListenState* listen = frame.Get<ListenState>();
      listen != nullptr && listen->iterating) {
    const auto& foreach = *std::get<dsl::ListenTask>(frame.task->spec).foreach;
    if (name == foreach.item) return &listen->item;
    if (name == foreach.at) return &(*made = Value::Int(listen->iteration - 1));
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<Value> Arguments::Lookup(std::string_view name) const {
  for (const auto& [bound, value] : bound_) {
    if (bound == name) return value;
  }
  Value made;
  if (const Value* found = FindInFrames(name, &made)) return *found;
  if (name == "context") return context_ != nullptr ? *context_ : instance_.context;
  if (name == "input") return OrNull(input_);
  if (name == "output") return OrNull(output_);
  if (name == "task" && task_ != nullptr) return TaskDescriptor();
  if (name == "workflow") return WorkflowDescriptor();
  if (name == "runtime") return RuntimeDescriptor();
  if (name == "secrets" || name == "authorization") {
    return absl::InvalidArgumentError(Cat(
        "$", name,
        " is only available to the arguments of call and run, so that it stays out of the log"));
  }
  return absl::InvalidArgumentError(Cat("$", name, " is not defined here"));
}

const Value* Arguments::FindInFrames(std::string_view name, Value* made) const {
  for (const Frame* frame = scope_; frame != nullptr; frame = instance_.Find(frame->parent)) {
    if (const Value* found = FindInFrame(*frame, name, made)) return found;
  }
  return nullptr;
}

Value Arguments::TaskDescriptor() const {
  Value task = Value::Object();
  task.Set("name", Value::String(task_->name));
  task.Set("reference", Value::String(task_->pointer));
  task.Set("definition", task_->definition);
  task.Set("input", OrNull(raw_input_));
  task.Set("output", OrNull(raw_output_));
  task.Set("startedAt", DateTimeDescriptor(task_started_));
  return task;
}

Value Arguments::WorkflowDescriptor() const {
  Value workflow = Value::Object();
  workflow.Set("id", Value::String(instance_.id));
  workflow.Set("definition", instance_.workflow->document);
  workflow.Set("input", instance_.input);
  workflow.Set("startedAt", DateTimeDescriptor(instance_.started));
  return workflow;
}

Value RuntimeDescriptor() {
  return Value::Object({{"name", Value::String("jaque")},
                        {"version", Value::String(kVersion)},
                        {"metadata", Value::Object()}});
}

Value DateTimeDescriptor(Micros at) {
  const absl::Time time = absl::FromUnixMicros(at);
  Value epoch = Value::Object({{"seconds", Value::Int(absl::ToUnixSeconds(time))},
                               {"milliseconds", Value::Int(absl::ToUnixMillis(time))}});
  return Value::Object({{"iso8601", Value::String(absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time,
                                                                   absl::UTCTimeZone()))},
                        {"epoch", std::move(epoch)}});
}

}  // namespace jaque::engine
