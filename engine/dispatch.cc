// SPDX-License-Identifier: Apache-2.0
#include "engine/dispatch.h"

#include "base/text.h"
#include "engine/arguments.h"
#include "expression/json.h"

namespace jaque::engine {
namespace {

// What the worker binds itself.
bool BoundByWorker(std::string_view name) {
  return name == "input" || name == "secrets" || name == "authorization" || name == "runtime";
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
  for (const std::string& name :
       std::get<dsl::WorkerTask>(frame.task->spec).arguments.Variables()) {
    if (BoundByWorker(name)) continue;
    // The definition was checked: a name that is not there is null for the worker, too.
    (*request.mutable_variables())[name] = ToJson(arguments.Lookup(name).value_or(Value()));
  }
  return request;
}

std::string TaskId(const v1::TaskRequest& request) {
  return Cat(request.instance_id(), "/", request.frame(), "/", request.attempt());
}

}  // namespace jaque::engine
