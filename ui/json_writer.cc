// SPDX-License-Identifier: Apache-2.0
#include "ui/json_writer.h"

#include "absl/time/time.h"
#include "expression/json.h"

namespace jaque::ui {

std::string TimeText(int64_t micros) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E*SZ", absl::FromUnixMicros(micros),
                          absl::UTCTimeZone());
}

void JsonWriter::Name(std::string_view name) {
  if (out_.size() > 1) out_ += ',';
  AppendJson(Value::String(name), &out_);
  out_ += ':';
}

JsonWriter& JsonWriter::Text(std::string_view name, std::string_view text) {
  return text.empty() ? *this : Member(name, Value::String(text));
}

JsonWriter& JsonWriter::Time(std::string_view name, int64_t micros) {
  return micros == 0 ? *this : Text(name, TimeText(micros));
}

JsonWriter& JsonWriter::Seq(std::string_view name, int64_t seq) {
  return seq == 0 ? *this : Text(name, std::to_string(seq));
}

JsonWriter& JsonWriter::Count(std::string_view name, uint64_t count) {
  return count == 0 ? *this : Raw(name, std::to_string(count));
}

JsonWriter& JsonWriter::Int(std::string_view name, int64_t number) {
  return Raw(name, std::to_string(number));
}

JsonWriter& JsonWriter::Bool(std::string_view name, bool truth) {
  return Raw(name, truth ? "true" : "false");
}

JsonWriter& JsonWriter::Member(std::string_view name, const Value& value) {
  Name(name);
  AppendJson(value, &out_);
  return *this;
}

JsonWriter& JsonWriter::Raw(std::string_view name, std::string_view json) {
  if (json.empty()) return *this;
  Name(name);
  out_ += json;
  return *this;
}

void ListWriter::Add(std::string_view json) {
  if (out_.back() != '[') out_ += ',';
  out_ += json;
}

std::string ListWriter::Take(std::string_view next) {
  out_ += ']';
  if (!next.empty()) {
    out_ += ",\"next\":";
    AppendJson(Value::String(next), &out_);
  }
  out_ += '}';
  return std::move(out_);
}

}  // namespace jaque::ui
