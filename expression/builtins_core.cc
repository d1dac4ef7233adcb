// SPDX-License-Identifier: Apache-2.0
// Types, conversions, errors.
#include <cmath>
#include <limits>

#include "expression/builtins.h"
#include "expression/describe.h"
#include "expression/formats.h"
#include "expression/json.h"
#include "expression/number.h"
#include "expression/operators.h"
#include "expression/path_access.h"
#include "expression/text.h"
#include "expression/utf8.h"

namespace jaque::expression {
namespace {

bool Error0(Context& context, Value* value, Value*) {
  context.RaiseValue(std::move(*value));
  return false;
}

bool Error1(Context& context, Value*, Value* arguments) {
  context.RaiseValue(std::move(arguments[0]));
  return false;
}

bool Not(Context&, Value* value, Value*) {
  *value = Value::Bool(!value->truthy());
  return true;
}

bool Now(Context& context, Value* value, Value*) {
  *value = Value::Double(absl::ToDoubleSeconds(context.evaluation().now - absl::UnixEpoch()));
  return true;
}

bool Builtins(Context&, Value* value, Value*) {
  *value = Value::ArrayFrom(BuiltinNames());
  return true;
}

bool Type(Context&, Value* value, Value*) {
  *value = Value::StringUnchecked(TypeName(*value));
  return true;
}

bool Length(Context& context, Value* value, Value*) {
  switch (value->kind()) {
    case Value::Kind::kNull:
      *value = Value::Int(0);
      return true;
    case Value::Kind::kFalse:
    case Value::Kind::kTrue:
      return RaiseOne(context, *value, "has no length");
    case Value::Kind::kNumber:
      if (value->number() < 0) *value = Negated(*value);
      if (value->number() == 0) *value = Value::Int(0);  // not -0
      return true;
    case Value::Kind::kString: {
      if (!context.Steps(value->size() / 64)) return false;
      *value = Value::Int(static_cast<int64_t>(CodePoints(value->str())));
      return true;
    }
    default:
      *value = Value::Int(static_cast<int64_t>(value->size()));
      return true;
  }
}

bool Utf8ByteLength(Context& context, Value* value, Value*) {
  if (!value->is_string()) return RaiseOne(context, *value, "only strings have UTF-8 byte length");
  *value = Value::Int(static_cast<int64_t>(value->size()));
  return true;
}

bool ToJsonText(Context& context, Value* value, Value*) {
  if (!context.AdmitCopy(*value)) return false;
  std::string text;
  AppendJson(*value, static_cast<size_t>(limits::kJsonDepth), &text);
  *value = Value::StringUnchecked(text);
  return context.Steps(text.size() / 64);
}

bool ToString(Context& context, Value* value, Value* arguments) {
  return value->is_string() || ToJsonText(context, value, arguments);
}

bool FromJson(Context& context, Value* value, Value*) {
  if (!value->is_string()) return RaiseOne(context, *value, "only strings can be parsed");
  if (!context.Admit(value->size() * 8) || !context.Steps(value->size() / 32)) return false;
  JsonParseOptions options;
  options.allow_nan = true;
  auto parsed = ParseJson(value->str(), options);
  if (!parsed.ok()) {
    context.Raise(JqParseError(value->str()));
    return false;
  }
  *value = *std::move(parsed);
  return true;
}

bool ToNumber(Context& context, Value* value, Value*) {
  if (value->is_number()) return true;
  if (value->is_string()) {
    std::string_view text = value->str();
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    if (auto number = NumberFromJqText(text)) {
      *value = *std::move(number);
      return true;
    }
    const std::string_view unsigned_text = text.substr(text.starts_with('-') ? 1 : 0);
    if (unsigned_text == "nan" || unsigned_text == "NaN") {
      *value = Value::Double(std::nan(""));
      return true;
    }
    if (unsigned_text == "Infinity") {
      const double infinity = std::numeric_limits<double>::infinity();
      *value = Value::Double(text.starts_with('-') ? -infinity : infinity);
      return true;
    }
  }
  return RaiseOne(context, *value, "cannot be parsed as a number");
}

bool ToBoolean(Context& context, Value* value, Value*) {
  if (value->is_bool()) return true;
  if (value->is_string() && (value->str() == "true" || value->str() == "false")) {
    *value = Value::Bool(value->str() == "true");
    return true;
  }
  return RaiseOne(context, *value, "cannot be parsed as a boolean");
}

bool FormatBy(Context& context, Value* value, Value* arguments) {
  const Value& name = arguments[0];
  const auto format = name.is_string() ? FindFormat(name.str()) : std::nullopt;
  if (!format.has_value()) {
    if (!name.is_string()) return RaiseOne(context, name, "is not a valid format");
    context.Raise(Join({name.str(), " is not a valid format"}));
    return false;
  }
  if (!context.AdmitCopy(*value, 6)) return false;
  auto text = ApplyFormat(*format, *value);
  if (!text.ok()) {
    context.RaiseStatus(text.status());
    return false;
  }
  *value = Value::String(*text);
  return context.Steps(value->size() / 64);
}

bool ToArray(Context&, Value* value, Value*) {
  if (!value->is_array()) *value = Value::Array({std::move(*value)});
  return true;
}

bool Abs(Context& context, Value* value, Value*) {
  if (value->is_string() || value->is_array() || value->is_object()) return true;
  if (!value->is_number()) return RaiseOne(context, *value, "cannot be negated");
  if (value->number() < 0) *value = Negated(*value);
  return true;
}

bool SetPathTo(Context& context, Value* value, Value* arguments) {
  return SetPath(context, value, arguments[0], std::move(arguments[1]));
}

bool DeletePathsOf(Context& context, Value* value, Value* arguments) {
  return DeletePaths(context, value, arguments[0]);
}

constexpr NativeEntry kEntries[] = {
    {"error", 0, Error0},
    {"error", 1, Error1},
    {"not", 0, Not},
    {"now", 0, Now},
    {"builtins", 0, Builtins},
    {"type", 0, Type},
    {"length", 0, Length},
    {"utf8bytelength", 0, Utf8ByteLength},
    {"tojson", 0, ToJsonText},
    {"tostring", 0, ToString},
    {"fromjson", 0, FromJson},
    {"tonumber", 0, ToNumber},
    {"toboolean", 0, ToBoolean},
    {"format", 1, FormatBy},
    {"toarray", 0, ToArray},
    {"abs", 0, Abs},
    {"setpath", 2, SetPathTo},
    {"delpaths", 1, DeletePathsOf},
};

}  // namespace

absl::Span<const NativeEntry> CoreBuiltins() { return kEntries; }

}  // namespace jaque::expression
