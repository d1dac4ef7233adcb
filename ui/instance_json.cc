// SPDX-License-Identifier: Apache-2.0
#include "ui/instance_json.h"

#include "absl/time/time.h"
#include "expression/json.h"
#include "expression/value.h"
#include "ui/problem.h"

namespace jaque::ui {
namespace {

void AppendMember(const char* name, const Value& value, std::string* out) {
  *out += ",\"";
  *out += name;
  *out += "\":";
  AppendJson(value, out);
}

// `json` is JSON already.
void AppendRaw(const char* name, const std::string& json, std::string* out) {
  if (json.empty()) return;
  *out += ",\"";
  *out += name;
  *out += "\":";
  *out += json;
}

Value Time(int64_t micros) {
  return Value::String(
      absl::FormatTime(absl::RFC3339_full, absl::FromUnixMicros(micros), absl::UTCTimeZone()));
}

std::string Begin(const v1::InstanceDescription& instance) {
  std::string out = "{\"id\":";
  AppendJson(Value::String(instance.id()), &out);
  AppendMember("status", Value::String(StatusName(instance.status())), &out);
  return out;
}

void AppendOutcome(const v1::InstanceDescription& instance, std::string* out) {
  AppendRaw("output", instance.output(), out);
  if (instance.status() == v1::INSTANCE_STATUS_CANCELLED) {
    return AppendMember("reason", Value::String(instance.error().detail()), out);
  }
  if (instance.has_error()) AppendMember("error", ProblemValue(instance.error()), out);
}

Value ActiveTasks(const v1::InstanceDescription& instance) {
  Value tasks = Value::Array();
  for (const v1::ActiveTask& active : instance.active()) {
    Value task = Value::Object(
        {{"pointer", Value::String(active.pointer())}, {"attempt", Value::Int(active.attempt())}});
    if (active.started_micros() != 0) task.Set("startedAt", Time(active.started_micros()));
    if (active.due_micros() != 0) task.Set("dueAt", Time(active.due_micros()));
    tasks.Append(std::move(task));
  }
  return tasks;
}

}  // namespace

std::string StatusName(v1::InstanceStatus status) {
  switch (status) {
    case v1::INSTANCE_STATUS_RUNNING:
      return "running";
    case v1::INSTANCE_STATUS_WAITING:
      return "waiting";
    case v1::INSTANCE_STATUS_SUSPENDED:
      return "suspended";
    case v1::INSTANCE_STATUS_CANCELLED:
      return "cancelled";
    case v1::INSTANCE_STATUS_FAULTED:
      return "faulted";
    case v1::INSTANCE_STATUS_COMPLETED:
      return "completed";
    default:
      return "pending";
  }
}

bool HasEnded(v1::InstanceStatus status) {
  return status == v1::INSTANCE_STATUS_CANCELLED || status == v1::INSTANCE_STATUS_FAULTED ||
         status == v1::INSTANCE_STATUS_COMPLETED;
}

std::string InstanceSummary(const v1::InstanceDescription& instance) {
  std::string out = Begin(instance);
  AppendOutcome(instance, &out);
  return out += "}";
}

std::string InstanceDetails(const v1::InstanceDescription& instance) {
  std::string out = Begin(instance);
  AppendMember("definition", Value::String(instance.definition()), &out);
  if (instance.started_micros() != 0) {
    AppendMember("startedAt", Time(instance.started_micros()), &out);
  }
  if (instance.ended_micros() != 0) AppendMember("endedAt", Time(instance.ended_micros()), &out);
  AppendRaw("input", instance.input(), &out);
  AppendOutcome(instance, &out);
  if (!HasEnded(instance.status())) AppendMember("active", ActiveTasks(instance), &out);
  return out += "}";
}

}  // namespace jaque::ui
