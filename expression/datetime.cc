// SPDX-License-Identifier: Apache-2.0
#include "expression/datetime.h"

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "expression/strftime.h"

namespace jaque::expression {
namespace {

constexpr std::string_view kIso8601 = "%Y-%m-%dT%H:%M:%SZ";
// The years that libc's broken down time can hold, in seconds; jq fails beyond.
constexpr double kMaxSeconds = 6.7e16;
constexpr double kMaxField = 2'147'483'647.0;

absl::Status Error(std::string_view function, std::string_view what) {
  return absl::InvalidArgumentError(std::string(function).append(what));
}

Value ToValue(const CivilTime& time, Value seconds) {
  return Value::Array({Value::Int(time.year), Value::Int(time.month), Value::Int(time.day),
                       Value::Int(time.hour), Value::Int(time.minute), std::move(seconds),
                       Value::Int(time.weekday), Value::Int(time.day_of_year)});
}

// Fields that an array lacks are zero, as in jq; fractions are cut.
std::optional<CivilTime> FromValue(const Value& array) {
  CivilTime time = {.year = 1900, .day = 0, .weekday = 0};
  const std::array<int64_t*, 8> fields = {&time.year,    &time.month,      &time.day,
                                          &time.hour,    &time.minute,     &time.second,
                                          &time.weekday, &time.day_of_year};
  for (size_t i = 0; i < fields.size() && i < array.size(); ++i) {
    const Value& field = array.at(i);
    if (!field.is_number() || std::isnan(field.AsDouble())) return std::nullopt;
    *fields[i] = static_cast<int64_t>(std::clamp(field.AsDouble(), -kMaxField, kMaxField));
  }
  return Normalized(time);
}

absl::StatusOr<Value> FromEpoch(const Value& input, std::string_view function) {
  if (!input.is_number()) return Error(function, "() requires numeric inputs");
  const double seconds = input.AsDouble();
  if (!(std::fabs(seconds) <= kMaxSeconds)) {
    return Error("", "error converting number of seconds since epoch to datetime");
  }
  const double whole = std::floor(seconds);
  const double fraction = seconds - whole;
  const CivilTime time = FromSeconds(static_cast<int64_t>(whole));
  return ToValue(time, fraction == 0 ? Value::Int(time.second)
                                     : Value::Double(static_cast<double>(time.second) + fraction));
}

absl::StatusOr<Value> Format(const Value& input, const Value& format, std::string_view function) {
  Value broken_down = input;
  if (input.is_number()) {
    const bool local = function == "strflocaltime/1";
    ASSIGN_OR_RETURN(broken_down, FromEpoch(input, local ? "localtime" : "gmtime"));
  } else if (!input.is_array()) {
    return Error(function, " requires parsed datetime inputs");
  }
  if (!format.is_string()) return Error(function, " requires a string format");
  const std::optional<CivilTime> time = FromValue(broken_down);
  if (!time) return Error(function, " requires parsed datetime inputs");
  const std::optional<std::string> text = FormatTime(format.AsString(), *time);
  if (!text) return Error(function, ": unknown system failure");
  return Value::String(*text);
}

}  // namespace

absl::StatusOr<Value> StrPTime(const Value& input, const Value& format) {
  if (!input.is_string() || !format.is_string()) {
    return Error("strptime/1", " requires string inputs and arguments");
  }
  const std::optional<ParsedTime> parsed = ParseTime(input.AsString(), format.AsString());
  const bool whole = parsed && (parsed->rest.empty() ||
                                std::string_view(" \t\n\v\f\r").find(parsed->rest.front()) !=
                                    std::string_view::npos);
  if (!whole) {
    std::string message = "date \"";
    message.append(input.AsString()).append("\" does not match format \"");
    return absl::InvalidArgumentError(message.append(format.AsString()).append("\""));
  }
  Value result = ToValue(parsed->time, Value::Int(parsed->time.second));
  if (!parsed->rest.empty()) result.Append(Value::String(parsed->rest));
  return result;
}

absl::StatusOr<Value> StrFTime(const Value& input, const Value& format) {
  return Format(input, format, "strftime/1");
}

absl::StatusOr<Value> StrFLocalTime(const Value& input, const Value& format) {
  return Format(input, format, "strflocaltime/1");
}

absl::StatusOr<Value> MkTime(const Value& input) {
  if (!input.is_array()) return Error("mktime", " requires array inputs");
  const std::optional<CivilTime> time = FromValue(input);
  if (!time) return Error("mktime", " requires parsed datetime inputs");
  return Value::Int(ToSeconds(*time));
}

absl::StatusOr<Value> GmTime(const Value& input) { return FromEpoch(input, "gmtime"); }

absl::StatusOr<Value> LocalTime(const Value& input) { return FromEpoch(input, "localtime"); }

absl::StatusOr<Value> ToDate(const Value& input) {
  return StrFTime(input, Value::String(kIso8601));
}

absl::StatusOr<Value> FromDate(const Value& input) {
  ASSIGN_OR_RETURN(const Value time, StrPTime(input, Value::String(kIso8601)));
  return MkTime(time);
}

}  // namespace jaque::expression
