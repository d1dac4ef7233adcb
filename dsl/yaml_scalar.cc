// SPDX-License-Identifier: Apache-2.0
#include "dsl/yaml_scalar.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "dsl/text.h"

namespace jaque::dsl {
namespace {

constexpr std::string_view kCoreTags = "tag:yaml.org,2002:";

bool IsNull(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

std::optional<bool> ParseBool(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

std::string_view WithoutSign(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text;
}

bool IsNotFinite(std::string_view text) {
  const std::string_view bare = WithoutSign(text);
  return bare == ".inf" || bare == ".Inf" || bare == ".INF" || text == ".nan" || text == ".NaN" ||
         text == ".NAN";
}

// 0o17 and 0x1F; beyond 64 bits the value is a double, like any other great number.
std::optional<Value> ParseRadix(std::string_view text) {
  const bool octal = text.starts_with("0o");
  if (!octal && !text.starts_with("0x")) return std::nullopt;
  if (text.size() < 3) return std::nullopt;
  const int radix = octal ? 8 : 16;
  uint64_t exact = 0;
  double approximate = 0;
  bool fits = true;
  for (char c : text.substr(2)) {
    const int digit = absl::ascii_isdigit(c)    ? c - '0'
                      : absl::ascii_isxdigit(c) ? (c | 0x20) - 'a' + 10
                                                : 99;
    if (digit >= radix) return std::nullopt;
    fits = fits && exact < (uint64_t{1} << 59);
    exact = exact * radix + digit;
    approximate = approximate * radix + digit;
  }
  return fits ? Value::Int(static_cast<int64_t>(exact)) : Value::Double(approximate);
}

size_t CountDigits(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && absl::ascii_isdigit(text[n])) ++n;
  return n;
}

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?   rewritten as a JSON number.
std::optional<Value> ParseDecimal(std::string_view text) {
  std::string json = text.starts_with("-") ? "-" : "";
  text = WithoutSign(text);
  const size_t whole = CountDigits(text);
  std::string_view digits = text.substr(0, whole);
  while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
  Append(&json, digits.empty() ? "0" : digits);
  text.remove_prefix(whole);
  size_t fraction = 0;
  if (text.starts_with(".")) {
    fraction = CountDigits(text.substr(1));
    if (fraction > 0) Append(&json, ".", text.substr(1, fraction));
    text.remove_prefix(1 + fraction);
  }
  if (whole + fraction == 0) return std::nullopt;
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    const std::string_view exponent = WithoutSign(text.substr(1));
    if (exponent.empty() || CountDigits(exponent) != exponent.size()) return std::nullopt;
    Append(&json, text);
    text = {};
  }
  if (!text.empty()) return std::nullopt;
  return DefinitionNumber(json);
}

std::optional<Value> ParseNumber(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const char first = text[0];
  if (!absl::ascii_isdigit(first) && first != '-' && first != '+' && first != '.')
    return std::nullopt;
  if (auto value = ParseRadix(text)) return value;
  return ParseDecimal(text);
}

absl::Status NotFinite(std::string_view text) {
  return absl::InvalidArgumentError(
      Cat("`", text, "` is no number that JSON can hold; quote it if it is a text"));
}

}  // namespace

std::string ShortTag(std::string_view tag) {
  if (tag.starts_with(kCoreTags)) return Cat("!!", tag.substr(kCoreTags.size()));
  return std::string(tag);
}

std::optional<Value> DefinitionNumber(std::string_view json) {
  auto number = Value::NumberFromLiteral(json);
  if (!number.has_value() || json.find_first_of("eE.") == std::string_view::npos) return number;
  // Below 2^53 a whole double is exact.
  const double value = number->AsDouble();
  if (std::abs(value) < 9e15 && value == std::floor(value) && value != 0) {
    return Value::Int(static_cast<int64_t>(value));
  }
  return number;
}

absl::StatusOr<Value> ResolvePlainScalar(std::string_view text) {
  if (IsNull(text)) return Value();
  if (auto b = ParseBool(text)) return Value::Bool(*b);
  if (auto number = ParseNumber(text)) return *number;
  if (IsNotFinite(text)) return NotFinite(text);
  return Value::String(text);
}

absl::StatusOr<Value> ResolveTaggedScalar(std::string_view tag, std::string_view text) {
  if (tag == "!" || tag == "tag:yaml.org,2002:str") return Value::String(text);
  if (tag.starts_with(kCoreTags)) {
    const std::string_view name = tag.substr(kCoreTags.size());
    if (name == "null" && IsNull(text)) return Value();
    if (name == "bool") {
      if (auto b = ParseBool(text)) return Value::Bool(*b);
    }
    if (name == "int" || name == "float") {
      if (IsNotFinite(text)) return NotFinite(text);
      auto number = ParseNumber(text);
      if (number.has_value() && (name == "float" || number->AsInt().has_value())) return *number;
    }
    if (name == "null" || name == "bool" || name == "int" || name == "float") {
      return absl::InvalidArgumentError(Cat("`", text, "` is no !!", name));
    }
  }
  return absl::InvalidArgumentError(
      Cat("the tag ", ShortTag(tag), " is not of YAML's core schema"));
}

}  // namespace jaque::dsl
