// SPDX-License-Identifier: Apache-2.0
// Strings.
#include <algorithm>
#include <cmath>

#include "expression/builtins.h"
#include "expression/describe.h"
#include "expression/json.h"
#include "expression/operators.h"
#include "expression/path_access.h"
#include "expression/text.h"
#include "expression/utf8.h"

namespace jaque::expression {
namespace {

bool BothStrings(Context& context, const Value& value, const Value& argument, const char* what) {
  if (value.is_string() && argument.is_string()) return true;
  context.Raise(Join({what, "() requires string inputs"}));
  return false;
}

bool StartsWith(Context& context, Value* value, Value* arguments) {
  if (!BothStrings(context, *value, arguments[0], "startswith")) return false;
  *value = Value::Bool(value->str().starts_with(arguments[0].str()));
  return true;
}

bool EndsWith(Context& context, Value* value, Value* arguments) {
  if (!BothStrings(context, *value, arguments[0], "endswith")) return false;
  *value = Value::Bool(value->str().ends_with(arguments[0].str()));
  return true;
}

void Replace(Value* value, std::string_view part) {
  *value = Value::StringUnchecked(std::string(part));
}

bool LeftTrimString(Context& context, Value* value, Value* arguments) {
  if (!BothStrings(context, *value, arguments[0], "startswith")) return false;
  const std::string_view prefix = arguments[0].str();
  if (value->str().starts_with(prefix)) Replace(value, value->str().substr(prefix.size()));
  return true;
}

bool RightTrimString(Context& context, Value* value, Value* arguments) {
  if (!BothStrings(context, *value, arguments[0], "endswith")) return false;
  const std::string_view text = value->str();
  const std::string_view suffix = arguments[0].str();
  if (text.ends_with(suffix)) Replace(value, text.substr(0, text.size() - suffix.size()));
  return true;
}

bool TrimString(Context& context, Value* value, Value* arguments) {
  return LeftTrimString(context, value, arguments) && RightTrimString(context, value, arguments);
}

// Unicode's White_Space.
bool IsSpace(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool TrimSides(Context& context, Value* value, bool left, bool right) {
  if (!value->is_string()) {
    context.Raise("trim input must be a string");
    return false;
  }
  const std::string_view text = value->str();
  if (!context.Steps(text.size() / 64)) return false;
  size_t start = 0;
  for (size_t at = 0; left && at < text.size(); start = at) {
    if (!IsSpace(NextCodePoint(text, &at))) break;
  }
  size_t end = text.size();
  while (right && end > start) {
    size_t at = end - 1;
    while (at > start && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    size_t next = at;
    if (!IsSpace(NextCodePoint(text, &next))) break;
    end = at;
  }
  if (end - start != text.size()) Replace(value, text.substr(start, end - start));
  return true;
}

bool Trim(Context& context, Value* value, Value*) { return TrimSides(context, value, true, true); }
bool LeftTrim(Context& context, Value* value, Value*) {
  return TrimSides(context, value, true, false);
}
bool RightTrim(Context& context, Value* value, Value*) {
  return TrimSides(context, value, false, true);
}

bool Split(Context& context, Value* value, Value* arguments) {
  if (!value->is_string() || !arguments[0].is_string()) {
    context.Raise("split input and separator must be strings");
    return false;
  }
  const Value text = std::move(*value);
  return SplitString(context, text.str(), arguments[0].str(), value);
}

template <char first, char last, int shift>
bool ShiftCase(Context& context, Value* value, Value*) {
  if (!value->is_string()) {
    context.Raise("explode input must be a string");
    return false;
  }
  std::string text(value->str());
  if (!context.Admit(text.size()) || !context.Steps(text.size() / 64)) return false;
  for (char& c : text) {
    if (c >= first && c <= last) c = static_cast<char>(c + shift);
  }
  *value = Value::StringUnchecked(text);
  return true;
}

bool Explode(Context& context, Value* value, Value*) {
  if (!value->is_string()) {
    context.Raise("explode input must be a string");
    return false;
  }
  const std::string_view text = value->str();
  const size_t points = CodePoints(text);
  if (!context.Admit(points * sizeof(Value)) || !context.Steps(points / 8)) return false;
  Value result = Value::Array();
  result.Reserve(points);
  for (size_t at = 0; at < text.size();) {
    result.Append(Value::Int(static_cast<int64_t>(NextCodePoint(text, &at))));
  }
  *value = std::move(result);
  return true;
}

bool Implode(Context& context, Value* value, Value*) {
  if (!value->is_array()) {
    context.Raise("implode input must be an array");
    return false;
  }
  if (!context.Admit(value->size() * 4) || !context.Steps(value->size() / 8)) return false;
  std::string text;
  for (const Value& item : value->items()) {
    const double point = item.is_number() ? item.number() : std::nan("");
    if (std::isnan(point)) {
      return RaiseOne(context, item, "can't be imploded, unicode codepoint needs to be numeric");
    }
    const bool valid = point >= 0 && point <= 0x10FFFF;
    AppendUtf8(valid ? static_cast<char32_t>(point) : kReplacement, &text);
  }
  *value = Value::StringUnchecked(text);
  return true;
}

bool JoinStrings(Context& context, Value* value, Value* arguments) {
  const Value input = std::move(*value);
  if (!input.is_array() && !input.is_object()) {
    context.Raise(Join({"Cannot iterate over ", TypeName(input), " (", ShortJson(input), ")"}));
    return false;
  }
  Value text = Value::String("");
  for (size_t i = 0; i < input.size(); ++i) {
    if (!context.Step()) return false;
    const Value& item = input.is_array() ? input.items()[i] : input.members()[i].value;
    if (i > 0 && !Add(context, &text, arguments[0])) return false;
    if (item.is_null()) continue;
    if (item.is_bool() || item.is_number()) {
      if (!Add(context, &text, Value::StringUnchecked(ToJson(item)))) return false;
    } else if (!Add(context, &text, item)) {
      return false;
    }
  }
  *value = std::move(text);
  return true;
}

// Byte offsets of `needle` in `text`, overlapping ones too, as code points.
bool FindText(Context& context, std::string_view text, std::string_view needle, Value* out) {
  Value found = Value::Array();
  size_t counted = 0;
  size_t points = 0;
  for (size_t at = FindPart(text, needle, 0); at != text.npos;
       at = FindPart(text, needle, at + 1)) {
    if (!context.Steps(1 + needle.size() / 64)) return false;
    points += CodePoints(text.substr(counted, at - counted));
    counted = at;
    found.Append(Value::Int(static_cast<int64_t>(points)));
  }
  *out = std::move(found);
  return context.Steps(text.size() / 32);
}

bool StringIndices(Context& context, Value* value, Value* arguments) {
  if (!value->is_string()) {
    return RaiseOne(context, *value, "cannot be searched, as it is not a string");
  }
  if (!arguments[0].is_string()) return RaiseOne(context, arguments[0], "is not a string");
  if (arguments[0].size() == 0) {
    *value = Value::Array();
    return true;
  }
  const Value text = std::move(*value);
  return FindText(context, text.str(), arguments[0].str(), value);
}

bool Indices(Context& context, Value* value, Value* arguments) {
  const Value& needle = arguments[0];
  if (value->is_string() && needle.is_string()) return StringIndices(context, value, arguments);
  const Value part = value->is_array() && !needle.is_array() ? Value::Array({needle}) : needle;
  const Value container = std::move(*value);
  Value tmp;
  const Value* found = Index(context, container, part, &tmp);
  if (found == nullptr) return false;
  *value = Value(*found);
  return true;
}

template <bool last>
bool IndexOf(Context& context, Value* value, Value* arguments) {
  if (!Indices(context, value, arguments)) return false;
  if (!value->is_array() || value->size() == 0) {
    *value = Value();
  } else {
    *value = Value(last ? value->items().back() : value->items().front());
  }
  return true;
}

bool Ascii(Context& context, Value* value, Value*) {
  if (!value->is_number() || value->number() < 0 || value->number() > 127) {
    return RaiseOne(context, *value, "is not an ASCII code");
  }
  *value = Value::StringUnchecked(std::string(1, static_cast<char>(value->number())));
  return true;
}

constexpr NativeEntry kEntries[] = {
    {"startswith", 1, StartsWith},
    {"endswith", 1, EndsWith},
    {"ltrimstr", 1, LeftTrimString},
    {"rtrimstr", 1, RightTrimString},
    {"trimstr", 1, TrimString},
    {"trim", 0, Trim},
    {"ltrim", 0, LeftTrim},
    {"rtrim", 0, RightTrim},
    {"split", 1, Split},
    {"ascii_downcase", 0, ShiftCase<'A', 'Z', 'a' - 'A'>},
    {"ascii_upcase", 0, ShiftCase<'a', 'z', 'A' - 'a'>},
    {"explode", 0, Explode},
    {"implode", 0, Implode},
    {"join", 1, JoinStrings},
    {"_strindices", 1, StringIndices},
    {"indices", 1, Indices},
    {"index", 1, IndexOf<false>},
    {"rindex", 1, IndexOf<true>},
    {"ascii", 0, Ascii},
};

}  // namespace

absl::Span<const NativeEntry> StringBuiltins() { return kEntries; }

}  // namespace jaque::expression
