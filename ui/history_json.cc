// SPDX-License-Identifier: Apache-2.0
#include "ui/history_json.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "expression/json.h"
#include "google/protobuf/message.h"

namespace jaque::ui {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void WriteFields(const Message& message, JsonWriter* out);

std::string ObjectOf(const Message& message) {
  JsonWriter out;
  WriteFields(message, &out);
  return out.Take();
}

// An enumerator without the name of its type: KIND_END is "end".
std::string EnumText(const FieldDescriptor& field, int number) {
  const auto* value = field.enum_type()->FindValueByNumber(number);
  if (value == nullptr) return std::to_string(number);
  std::string text = value->name();
  const size_t underscore = text.find('_');
  text = text.substr(underscore == std::string::npos ? 0 : underscore + 1);
  return absl::AsciiStrToLower(text);
}

std::string Quoted(const std::string& text) {
  std::string out;
  AppendJson(Value::String(text), &out);
  return out;
}

// One value of a field (of a repeated one: at `index`, else -1), as JSON.
std::string FieldJson(const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& of = *message.GetReflection();
  const bool many = index >= 0;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string text =
          many ? of.GetRepeatedString(message, &field, index) : of.GetString(message, &field);
      // What is bytes in our messages is JSON already.
      return field.type() == FieldDescriptor::TYPE_BYTES ? text : Quoted(text);
    }
    case FieldDescriptor::CPPTYPE_BOOL:
      return of.GetBool(message, &field) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return Quoted(EnumText(field, of.GetEnumValue(message, &field)));
    case FieldDescriptor::CPPTYPE_INT32:
      return std::to_string(of.GetInt32(message, &field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return std::to_string(of.GetUInt32(message, &field));
    case FieldDescriptor::CPPTYPE_INT64:
      return std::to_string(of.GetInt64(message, &field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return std::to_string(many ? of.GetRepeatedUInt64(message, &field, index)
                                 : of.GetUInt64(message, &field));
    default:
      return ObjectOf(many ? of.GetRepeatedMessage(message, &field, index)
                           : of.GetMessage(message, &field));
  }
}

std::string MapJson(const Message& message, const FieldDescriptor& field) {
  const Reflection& of = *message.GetReflection();
  JsonWriter out;
  for (int i = 0; i < of.FieldSize(message, &field); ++i) {
    const Message& entry = of.GetRepeatedMessage(message, &field, i);
    const FieldDescriptor& key = *field.message_type()->map_key();
    out.Raw(entry.GetReflection()->GetString(entry, &key),
            FieldJson(entry, *field.message_type()->map_value(), -1));
  }
  return out.Take();
}

void WriteField(const Message& message, const FieldDescriptor& field, JsonWriter* out) {
  const Reflection& of = *message.GetReflection();
  // A time reads better as one.
  constexpr std::string_view kMicros = "Micros";
  const std::string& name = field.json_name();
  if (field.is_map()) {
    out->Raw(name, MapJson(message, field));
  } else if (field.is_repeated()) {
    std::string list = "[";
    for (int i = 0; i < of.FieldSize(message, &field); ++i) {
      if (i > 0) list += ',';
      list += FieldJson(message, field, i);
    }
    out->Raw(name, list + "]");
  } else if (name.size() > kMicros.size() &&
             name.compare(name.size() - kMicros.size(), kMicros.size(), kMicros) == 0) {
    out->Time(name.substr(0, name.size() - kMicros.size()) + "At", of.GetInt64(message, &field));
  } else {
    out->Raw(name, FieldJson(message, field, -1));
  }
}

void WriteFields(const Message& message, JsonWriter* out) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) WriteField(message, *field, out);
}

// Its kind's members and its values, side by side.
std::string EventJson(const v1::Event& event) {
  JsonWriter out;
  std::vector<const FieldDescriptor*> fields;
  event.GetReflection()->ListFields(event, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->real_containing_oneof() == nullptr) {
      WriteField(event, *field, &out);
    } else {
      WriteFields(event.GetReflection()->GetMessage(event, field), &out);
    }
  }
  return out.Take();
}

}  // namespace

std::string MessageJson(const Message& message) { return ObjectOf(message); }

std::string HistoryItemJson(const store::HistoryItem& item) {
  JsonWriter out;
  out.Text("seq", std::to_string(item.seq))
      .Text("at", TimeText(item.at))
      .Text("kind", item.kind)
      .Text("task", item.task)
      .Count("epoch", item.epoch)
      .Raw("event", EventJson(item.event));
  return out.Take();
}

JsonWriter TaskRowWriter(const store::TaskRow& row) {
  JsonWriter out;
  out.Text("seq", std::to_string(row.seq))
      .Seq("parent", row.parent)
      .Text("pointer", row.pointer)
      .Member("name", Value::String(row.name))
      .Text("kind", row.kind)
      .Count("iteration", row.iteration)
      .Count("attempt", row.attempt)
      .Text("status", row.status)
      .Text("startedAt", TimeText(row.started))
      .Time("endedAt", row.ended)
      .Time("dueAt", row.due);
  if (!row.error_title.empty() || !row.error_detail.empty()) {
    JsonWriter error;
    error.Member("title", Value::String(row.error_title)).Text("detail", row.error_detail);
    out.Raw("error", error.Take());
  }
  return out;
}

std::string TaskRowJson(const store::TaskRow& row) { return TaskRowWriter(row).Take(); }

bool EndsInstance(const v1::Event& event) {
  return event.has_instance_completed() || event.has_instance_faulted() ||
         event.has_instance_cancelled();
}

}  // namespace jaque::ui
