// SPDX-License-Identifier: Apache-2.0
// Regular expressions (regex.h does the work); jq's functions are made of these in prelude.cc.
#include <algorithm>
#include <iterator>

#include "expression/builtins.h"
#include "expression/describe.h"
#include "expression/operators.h"
#include "expression/regex.h"
#include "expression/text.h"

namespace jaque::expression {
namespace {

// The compiled pattern of arguments[0] with the flags arguments[1], for the input; null after an
// error.
template <int arity>
std::shared_ptr<const Regex> Prepare(Context& context, const Value& input, Value* arguments) {
  const Value* pattern = &arguments[0];
  const Value* flags = arity == 2 ? &arguments[1] : nullptr;
  if (arity == 1 && !pattern->is_string()) {  // alone it may be [pattern, flags]
    if (!pattern->is_array() || pattern->size() == 0) {
      context.Raise(Join({TypeName(*pattern), " not a string or array"}));
      return nullptr;
    }
    const auto items = pattern->items();
    pattern = &items[0];
    if (items.size() > 1) flags = &items[1];
  }
  if (!input.is_string()) {
    RaiseOne(context, input, "cannot be matched, as it is not a string");
    return nullptr;
  }
  for (const Value* text : {pattern, flags}) {
    if (text == nullptr || text->is_string() || (text == flags && text->is_null())) continue;
    RaiseOne(context, *text, "is not a string");
    return nullptr;
  }
  const bool no_flags = flags == nullptr || flags->is_null();
  return context.Pattern(pattern->str(), no_flags ? "" : flags->str());
}

// Calls `visit` for each match; false after a failure.
template <int arity>
bool ForEach(Context& context, const Value& input, Value* arguments,
             absl::FunctionRef<void(const Regex&, const RegexMatch&)> visit) {
  const auto regex = Prepare<arity>(context, input, arguments);
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

template <int arity>
bool Match(Context& context, Value* value, Value* arguments) {
  Value matches = Value::Array();
  if (!ForEach<arity>(context, *value, arguments, [&](const Regex& regex, const RegexMatch& match) {
        matches.Append(regex.ToValue(match));
      })) {
    return false;
  }
  *value = std::move(matches);
  return true;
}

template <int arity>
bool Test(Context& context, Value* value, Value* arguments) {
  const auto regex = Prepare<arity>(context, *value, arguments);
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

template <int arity>
bool Captures(Context& context, Value* value, Value* arguments) {
  Value captures = Value::Array();
  if (!ForEach<arity>(context, *value, arguments, [&](const Regex& regex, const RegexMatch& match) {
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
  if (!ForEach<2>(context, input, arguments, [&](const Regex& regex, const RegexMatch& match) {
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
    {"_match", 1, Match<1>},       {"_match", 2, Match<2>}, {"_test", 1, Test<1>},
    {"_test", 2, Test<2>},         {"_edits", 2, Edits},    {"_captures", 1, Captures<1>},
    {"_captures", 2, Captures<2>},
};

}  // namespace

absl::Span<const NativeEntry> RegexBuiltins() { return kEntries; }

bool TakesPattern(NativeFunction function) {
  return std::any_of(std::begin(kEntries), std::end(kEntries),
                     [function](const auto& entry) { return entry.function == function; });
}

}  // namespace jaque::expression
