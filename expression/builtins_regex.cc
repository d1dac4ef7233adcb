// SPDX-License-Identifier: Apache-2.0
// Regular expressions (regex.h does the work); jq's functions are made of these in prelude.cc.
#include "expression/builtins.h"
#include "expression/operators.h"
#include "expression/regex.h"

namespace jaque::expression {
namespace {

// The compiled pattern of arguments[0] with the flags arguments[1], for the input; null after an
// error.
std::shared_ptr<const Regex> Prepare(Context& context, const Value& input, Value* arguments) {
  if (!input.is_string()) {
    RaiseOne(context, input, "cannot be matched, as it is not a string");
    return nullptr;
  }
  if (!arguments[0].is_string()) {
    RaiseOne(context, arguments[0], "is not a string");
    return nullptr;
  }
  if (!arguments[1].is_string() && !arguments[1].is_null()) {
    RaiseOne(context, arguments[1], "is not a string");
    return nullptr;
  }
  const std::string_view flags = arguments[1].is_null() ? "" : arguments[1].str();
  auto regex = context.regex_cache().Get(arguments[0].str(), flags);
  if (!regex.ok()) {
    context.RaiseStatus(regex.status());
    return nullptr;
  }
  return *std::move(regex);
}

// Calls `visit` for each match; false after a failure.
bool ForEach(Context& context, const Value& input, Value* arguments,
             absl::FunctionRef<void(const Regex&, const RegexMatch&)> visit) {
  const auto regex = Prepare(context, input, arguments);
  if (regex == nullptr) return false;
  const absl::Status status =
      regex->ForEachMatch(input.str(), context.regex_budget(), [&](const RegexMatch& match) {
        if (!context.Steps(1 + match.captures.size())) return false;
        visit(*regex, match);
        return true;
      });
  if (!status.ok()) context.RaiseStatus(status);
  return !context.failed() && context.Steps(input.size() / 64);
}

bool Match(Context& context, Value* value, Value* arguments) {
  Value matches = Value::Array();
  if (!ForEach(context, *value, arguments, [&](const Regex& regex, const RegexMatch& match) {
        matches.Append(regex.ToValue(match));
      })) {
    return false;
  }
  *value = std::move(matches);
  return true;
}

bool Test(Context& context, Value* value, Value* arguments) {
  const auto regex = Prepare(context, *value, arguments);
  if (regex == nullptr) return false;
  const auto found = regex->Test(value->str(), context.regex_budget());
  if (!found.ok()) {
    context.RaiseStatus(found.status());
    return false;
  }
  *value = Value::Bool(*found);
  return context.Steps(value->size() / 64);
}

// The named groups of a match.
Value Named(const Regex& regex, const RegexMatch& match) {
  Value object = Value::Object();
  for (size_t i = 0; i < match.captures.size(); ++i) {
    const std::string& name = regex.capture_names()[i];
    if (name.empty()) continue;
    const RegexGroup& group = match.captures[i];
    object.Set(name, group.matched() ? Value::String(group.text) : Value());
  }
  return object;
}

bool Captures(Context& context, Value* value, Value* arguments) {
  Value captures = Value::Array();
  if (!ForEach(context, *value, arguments, [&](const Regex& regex, const RegexMatch& match) {
        captures.Append(Named(regex, match));
      })) {
    return false;
  }
  *value = std::move(captures);
  return true;
}

// For sub: [[[text before the match, named groups] …], text after the last match].
bool Edits(Context& context, Value* value, Value* arguments) {
  Value edits = Value::Array();
  const Value input = std::move(*value);
  const std::string_view text = input.is_string() ? input.str() : std::string_view();
  size_t end = 0;
  if (!ForEach(context, input, arguments, [&](const Regex& regex, const RegexMatch& match) {
        const auto start = static_cast<size_t>(match.whole.text.data() - text.data());
        Value gap = Value::StringUnchecked(start > end ? text.substr(end, start - end) : "");
        edits.Append(Value::Array({std::move(gap), Named(regex, match)}));
        end = start + match.whole.text.size();
      })) {
    return false;
  }
  *value = Value::Array({std::move(edits), Value::StringUnchecked(text.substr(end))});
  return true;
}

constexpr NativeEntry kEntries[] = {
    {"_match", 2, Match},
    {"_test", 2, Test},
    {"_captures", 2, Captures},
    {"_edits", 2, Edits},
};

}  // namespace

absl::Span<const NativeEntry> RegexBuiltins() { return kEntries; }

}  // namespace jaque::expression
