// SPDX-License-Identifier: Apache-2.0
#include "engine/dispatch.h"

#include <algorithm>

#include "base/text.h"
#include "engine/arguments.h"
#include "expression/json.h"

namespace jaque::engine {
namespace {

// What the worker binds itself.
bool BoundByWorker(std::string_view name) {
  return name == "input" || name == "secrets" || name == "authorization" || name == "runtime";
}

// Only what the task's expressions can touch: `$workflow` holds the whole definition.
Value Narrow(const Value& value, const expression::Program::Footprint& footprint) {
  if (footprint.all || !value.is_object()) return value;
  Value narrow = Value::Object();
  value.ForEachMember([&](std::string_view name, const Value& member) {
    const auto& fields = footprint.fields;
    if (std::find(fields.begin(), fields.end(), name) != fields.end()) narrow.Set(name, member);
    return true;
  });
  return narrow;
}

}  // namespace

v1::TaskRequest BuildTaskRequest(const Instance& instance, const Frame& frame,
                                 const std::string& engine_id) {
  v1::TaskRequest request;
  request.set_instance_id(instance.id);
  request.set_frame(frame.id);
  request.set_attempt(frame.Get<WorkState>()->attempt);
  request.set_definition(instance.workflow->id());
  request.set_task_index(frame.task->index);
  request.set_input(ToJson(frame.input));
  request.set_engine_id(engine_id);
  request.set_deadline_micros(frame.timeout);
  Arguments arguments(&instance, instance.Find(frame.parent), frame.task);
  arguments.Input(&frame.input).RawInput(&frame.raw_input).StartedAt(frame.started);
  const dsl::Template& used = std::get<dsl::WorkerTask>(frame.task->spec).arguments;
  for (const std::string& name : used.Variables()) {
    if (BoundByWorker(name)) continue;
    // The definition was checked: a name that is not there is null for the worker, too.
    const Value value = arguments.Lookup(name).value_or(Value());
    (*request.mutable_variables())[name] = ToJson(Narrow(value, used.VariableFootprint(name)));
  }
  return request;
}

std::string TaskId(const v1::TaskRequest& request) {
  return Cat(request.instance_id(), "/", request.frame(), "/", request.attempt());
}

}  // namespace jaque::engine
