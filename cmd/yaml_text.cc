// SPDX-License-Identifier: Apache-2.0
#include "cmd/yaml_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "expression/json.h"

namespace jaque::cmd {
namespace {

constexpr size_t kDepth = 60;  // what nests deeper stands as JSON, which is YAML too

bool IsPlainLetter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' ||
         c == '/' || (c & 0x80) != 0;
}

// Letters that mean themselves, and no word that means something else (numbers begin with a digit,
// a sign or a dot).
bool IsPlain(std::string_view text) {
  static constexpr std::string_view kWords[] = {"null", "true", "false", "yes", "no", "on", "off"};
  if (text.empty() || !absl::ascii_isalpha(static_cast<unsigned char>(text.front()))) {
    return !text.empty() && text.front() == '/' &&
           std::all_of(text.begin(), text.end(), IsPlainLetter);
  }
  if (text.back() == ' ' || !std::all_of(text.begin(), text.end(), [](char c) {
        return IsPlainLetter(c) || c == ' ' || c == '(' || c == ')' || c == ',';
      })) {
    return false;
  }
  const std::string small = absl::AsciiStrToLower(std::string(text));
  return std::find(std::begin(kWords), std::end(kWords), small) == std::end(kWords);
}

std::string Scalar(const Value& value) {
  if (value.is_string() && IsPlain(value.AsString())) return std::string(value.AsString());
  return ToJson(value);
}

bool IsBlock(const Value& value, size_t depth) {
  return (value.is_object() || value.is_array()) && value.size() > 0 && depth < kDepth;
}

void Append(const Value& value, size_t depth, bool after_dash, std::string* out) {
  const std::string indent(2 * depth, ' ');
  bool first = after_dash;  // its line has begun
  const auto begin = [&] {
    if (!first) *out += indent;
    first = false;
  };
  if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) {
      begin();
      *out += "- ";
      if (IsBlock(value.at(i), depth + 1)) {
        Append(value.at(i), depth + 1, true, out);
      } else {
        *out += Scalar(value.at(i)) + "\n";
      }
    }
    return;
  }
  value.ForEachMember([&](std::string_view key, const Value& member) {
    begin();
    *out += Scalar(Value::String(key)) + ":";
    if (IsBlock(member, depth + 1)) {
      *out += "\n";
      Append(member, depth + 1, false, out);
    } else {
      *out += " " + Scalar(member) + "\n";
    }
    return true;
  });
}

}  // namespace

std::string YamlText(const Value& value) {
  if (!IsBlock(value, 0)) return Scalar(value) + "\n";
  std::string out;
  Append(value, 0, false, &out);
  return out;
}

}  // namespace jaque::cmd
