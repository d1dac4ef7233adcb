// SPDX-License-Identifier: Apache-2.0
#include "expression/describe.h"

#include "expression/json.h"

namespace jaque::expression {
namespace {

// jq formats into a buffer of 30 bytes, its terminator included.
constexpr size_t kShown = 29;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The longest prefix of at most `size` bytes that ends between codepoints.
std::string_view Prefix(std::string_view text, size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && IsContinuation(text[size])) --size;
  return text.substr(0, size);
}

void AppendString(std::string_view text, std::string* out) {
  AppendJson(Value::String(Prefix(text, kShown + 4)), out);
}

// Appends JSON until `out` is longer than what is shown. Each nesting level adds a byte, so the
// recursion is at most kShown deep.
void AppendStart(const Value& value, std::string* out) {
  if (value.is_string()) return AppendString(value.AsString(), out);
  if (!value.is_array() && !value.is_object()) return AppendJson(value, out);
  const bool array = value.is_array();
  out->push_back(array ? '[' : '{');
  bool first = true;
  const auto room = [&] { return out->size() <= kShown; };
  if (array) {
    for (size_t i = 0; i < value.size() && room(); ++i) {
      if (i > 0) out->push_back(',');
      AppendStart(value.at(i), out);
    }
  } else {
    value.ForEachMember([&](std::string_view key, const Value& member) {
      if (!first) out->push_back(',');
      first = false;
      AppendString(key, out);
      out->push_back(':');
      if (room()) AppendStart(member, out);
      return room();
    });
  }
  out->push_back(array ? ']' : '}');
}

std::string Named(const Value& value) {
  return std::string(TypeName(value)).append(" (").append(ShortJson(value)).append(")");
}

}  // namespace

std::string_view TypeName(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kNull:
      return "null";
    case Value::Kind::kFalse:
    case Value::Kind::kTrue:
      return "boolean";
    case Value::Kind::kNumber:
      return "number";
    case Value::Kind::kString:
      return "string";
    case Value::Kind::kArray:
      return "array";
    case Value::Kind::kObject:
      return "object";
  }
  return "null";
}

std::string ShortJson(const Value& value) {
  std::string json;
  AppendStart(value, &json);
  if (json.size() <= kShown) return json;
  std::string_view close;
  if (value.is_string()) close = "\"";
  if (value.is_array()) close = "]";
  if (value.is_object()) close = "}";
  std::string out(Prefix(json, kShown - 3 - close.size()));
  return out.append("...").append(close);
}

absl::Status TypeError(const Value& value, std::string_view what) {
  return absl::InvalidArgumentError(Named(value).append(" ").append(what));
}

absl::Status TypeError(const Value& first, const Value& second, std::string_view what) {
  return absl::InvalidArgumentError(
      Named(first).append(" and ").append(Named(second)).append(" ").append(what));
}

}  // namespace jaque::expression
