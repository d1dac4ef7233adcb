// SPDX-License-Identifier: Apache-2.0
#include "ui/instance_json.h"

#include <array>

#include "expression/json.h"
#include "expression/value.h"
#include "ui/json_writer.h"
#include "ui/problem.h"

namespace jaque::ui {
namespace {

struct NamedStatus {
  v1::InstanceStatus status;
  std::string_view name;
};
constexpr std::array<NamedStatus, 7> kStatuses = {{
    {v1::INSTANCE_STATUS_PENDING, "pending"},
    {v1::INSTANCE_STATUS_RUNNING, "running"},
    {v1::INSTANCE_STATUS_WAITING, "waiting"},
    {v1::INSTANCE_STATUS_SUSPENDED, "suspended"},
    {v1::INSTANCE_STATUS_CANCELLED, "cancelled"},
    {v1::INSTANCE_STATUS_FAULTED, "faulted"},
    {v1::INSTANCE_STATUS_COMPLETED, "completed"},
}};

JsonWriter Begin(const std::string& id, v1::InstanceStatus status) {
  JsonWriter out;
  out.Text("id", id).Text("status", StatusName(status));
  return out;
}

void WriteOutcome(const v1::InstanceDescription& instance, JsonWriter* out) {
  out->Raw("output", instance.output());
  if (instance.status() == v1::INSTANCE_STATUS_CANCELLED ||
      instance.status() == v1::INSTANCE_STATUS_SUSPENDED) {
    out->Text("reason", instance.error().detail());
  } else if (instance.has_error()) {
    out->Member("error", ProblemValue(instance.error()));
  }
}

Value ActiveTasks(const v1::InstanceDescription& instance) {
  Value tasks = Value::Array();
  for (const v1::ActiveTask& active : instance.active()) {
    Value task = Value::Object(
        {{"pointer", Value::String(active.pointer())}, {"attempt", Value::Int(active.attempt())}});
    if (active.started_micros() != 0) {
      task.Set("startedAt", Value::String(TimeText(active.started_micros())));
    }
    if (active.due_micros() != 0) task.Set("dueAt", Value::String(TimeText(active.due_micros())));
    tasks.Append(std::move(task));
  }
  return tasks;
}

// "namespace/name:version" and its parts.
void WriteDefinition(const std::string& definition, JsonWriter* out) {
  const size_t slash = definition.find('/'), colon = definition.find(':');
  out->Text("definition", definition);
  if (slash == std::string::npos || colon == std::string::npos || colon < slash) return;
  out->Text("namespace", definition.substr(0, slash))
      .Text("name", definition.substr(slash + 1, colon - slash - 1))
      .Text("version", definition.substr(colon + 1));
}

// Where the instance comes from.
void WriteOrigin(const store::InstanceRow& row, JsonWriter* out) {
  out->Text("parent", row.parent)
      .Text("rerunOf", row.rerun_of)
      .Text("schedule", ScheduleName(row.schedule))
      .Text("actor", row.actor);
  if (row.tags.empty()) return;
  Value tags = Value::Object();
  for (const auto& [key, value] : row.tags) tags.Set(key, Value::String(value));
  out->Member("tags", tags);
}

void WriteRow(const store::InstanceRow& row, JsonWriter* out) {
  WriteDefinition(row.namespace_ + "/" + row.name + ":" + row.version, out);
  out->Time("startedAt", row.started).Time("updatedAt", row.updated).Time("endedAt", row.ended);
  WriteOrigin(row, out);
  out->Text("reason", row.reason);
}

}  // namespace

std::string_view StatusName(v1::InstanceStatus status) {
  for (const NamedStatus& named : kStatuses) {
    if (named.status == status) return named.name;
  }
  return "pending";
}

std::optional<v1::InstanceStatus> StatusOfName(std::string_view name) {
  for (const NamedStatus& named : kStatuses) {
    if (named.name == name) return named.status;
  }
  return std::nullopt;
}

std::string_view ScheduleName(std::string_view object) {
  constexpr std::string_view kPrefix = "schedule/";
  return object.substr(0, kPrefix.size()) == kPrefix ? object.substr(kPrefix.size()) : object;
}

bool HasEnded(v1::InstanceStatus status) {
  return status == v1::INSTANCE_STATUS_CANCELLED || status == v1::INSTANCE_STATUS_FAULTED ||
         status == v1::INSTANCE_STATUS_COMPLETED;
}

std::string InstanceOutcome(const v1::InstanceDescription& instance) {
  JsonWriter out = Begin(instance.id(), instance.status());
  WriteOutcome(instance, &out);
  return out.Take();
}

std::string InstanceOutcome(const store::InstanceRecord& instance) {
  JsonWriter out = Begin(instance.row.id, instance.row.status);
  out.Raw("output", instance.output).Text("reason", instance.row.reason);
  if (instance.error) out.Member("error", ProblemValue(*instance.error));
  return out.Take();
}

std::string InstanceRow(const store::InstanceRow& row) {
  JsonWriter out = Begin(row.id, row.status);
  WriteRow(row, &out);
  if (!row.error_title.empty() || !row.error_detail.empty()) {
    Value error = Value::Object({{"title", Value::String(row.error_title)}});
    if (!row.error_detail.empty()) error.Set("detail", Value::String(row.error_detail));
    if (!row.error_task.empty()) error.Set("instance", Value::String(row.error_task));
    out.Member("error", error);
  }
  return out.Take();
}

std::string InstanceDetails(const v1::InstanceDescription& instance,
                            const store::InstanceRecord* stored) {
  JsonWriter out = Begin(instance.id(), instance.status());
  WriteDefinition(instance.definition(), &out);
  out.Time("startedAt", instance.started_micros()).Time("endedAt", instance.ended_micros());
  if (stored != nullptr) WriteOrigin(stored->row, &out);
  out.Raw("input", instance.input());
  WriteOutcome(instance, &out);
  if (!HasEnded(instance.status())) out.Member("active", ActiveTasks(instance));
  if (stored != nullptr)
    out.Time("updatedAt", stored->row.updated).Seq("lastSeq", stored->last_seq);
  return out.Take();
}

std::string InstanceDetails(const store::InstanceRecord& stored) {
  JsonWriter out = Begin(stored.row.id, stored.row.status);
  WriteRow(stored.row, &out);
  out.Raw("input", stored.input).Raw("output", stored.output);
  if (stored.error) out.Member("error", ProblemValue(*stored.error));
  return out.Seq("lastSeq", stored.last_seq).Take();
}

}  // namespace jaque::ui
