// SPDX-License-Identifier: Apache-2.0
#include "ui/definition_json.h"

#include "expression/json.h"
#include "ui/encoding.h"

namespace jaque::ui {
namespace {

std::string_view DocumentText(const dsl::Workflow& workflow, std::string_view member) {
  const Value* document = workflow.document.FindPath({"document"});
  return document == nullptr ? std::string_view() : document->StringOr(member, "");
}

}  // namespace

Value DefinitionIdentity(const dsl::Workflow& workflow) {
  return Value::Object({{"id", Value::String(workflow.id())},
                        {"namespace", Value::String(workflow.namespace_)},
                        {"name", Value::String(workflow.name)},
                        {"version", Value::String(workflow.version)}});
}

JsonWriter DefinitionWriter(const dsl::Workflow& workflow, bool latest) {
  JsonWriter out;
  out.Text("id", workflow.id())
      .Text("namespace", workflow.namespace_)
      .Text("name", workflow.name)
      .Text("version", workflow.version)
      .Bool("latest", latest)
      .Text("title", DocumentText(workflow, "title"))
      .Text("summary", DocumentText(workflow, "summary"));
  if (const Value* own = workflow.document.FindPath({"document", "tags"});
      own && own->is_object()) {
    Value tags = Value::Object();
    own->ForEachMember([&tags](std::string_view key, const Value& value) {
      tags.Set(key, value.is_string() ? value : Value::String(ToJson(value)));
      return true;
    });
    out.Member("tags", tags);
  }
  if (const Value* schedule = WrittenSchedule(workflow)) out.Member("schedule", *schedule);
  return std::move(out.Int("tasks", static_cast<int64_t>(workflow.by_index.size())));
}

Value FindingsValue(const std::vector<dsl::Finding>& findings) {
  Value list = Value::Array();
  for (const dsl::Finding& finding : findings) {
    list.Append(Value::Object({{"line", Value::Int(finding.line)},
                               {"column", Value::Int(finding.column)},
                               {"pointer", Value::String(finding.pointer)},
                               {"message", Value::String(finding.message)}}));
  }
  return list;
}

const Value* WrittenSchedule(const dsl::Workflow& workflow) {
  const Value* schedule = workflow.document.FindPath({"schedule"});
  return schedule != nullptr && schedule->is_object() ? schedule : nullptr;
}

std::string DefinitionTag(const dsl::Workflow& workflow) { return EntityTag(workflow.source); }

}  // namespace jaque::ui
