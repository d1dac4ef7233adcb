// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/known_differences.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <span>

#include "expression/json.h"

namespace jaque::fuzz {
namespace {

// What of the two answers may differ; the narrower, the more the others still find.
enum class What : uint8_t {
  kAnything,
  kWhichError,  // both fail after the same outputs
  kPathError,   // jq finds a value off the path that we do not look at
  kOffPath,     // we find a value off the path that jq knows to be the very one there
  kCharacters,  // where not all text is ASCII
};

struct Known {
  std::string_view in_program;
  What what;
  std::string_view reason;
};

constexpr std::string_view kSecondStart =
    "jq runs reduce's source on null from the second start on";

constexpr std::array kKnown = {
    Known{"strptime", What::kAnything, "the oracle's libc is not the one of jq's binaries"},
    Known{"strftime", What::kAnything, "the oracle's libc is not the one of jq's binaries"},
    Known{"mktime", What::kAnything,
          "-1 is a time, and the oracle's libc fails where others do not"},
    Known{"gmtime", What::kAnything, "times before 1970 with fractions, times out of range"},
    Known{"todate", What::kAnything, "times out of range"},
    Known{"gamma", What::kAnything, "the oracle's libm"},
    Known{"atan2", What::kAnything, "the oracle's libm"},
    Known{"exp10", What::kAnything, "the oracle's libm"},
    Known{"@base64d", What::kAnything, "bytes that are no UTF-8"},
    Known{"\"\"", What::kCharacters, "an empty match for each character, not for each byte"},
    Known{"\"a*\"", What::kCharacters, "an empty match for each character, not for each byte"},
    Known{"delpaths(", What::kWhichError, "of several bad paths, jq tells the first"},
    // In jq a path is followed through arrays, sums and patterns that are made on the way, and `?`
    // does not catch that something is off the path.
    Known{"path", What::kPathError, "what is made on the way is not followed"},
    Known{"del(", What::kPathError, "what is made on the way is not followed"},
    Known{"pick(", What::kPathError, "what is made on the way is not followed"},
    Known{"=", What::kPathError, "what is made on the way is not followed"},
    Known{"?", What::kOffPath, "jq found it inside of what `?` hides, on the way"},
    Known{"try", What::kOffPath, "jq found it inside of what `try` hides, on the way"},
    Known{"try (del(", What::kAnything, "nothing deleted leaves the very value, still on the path"},
    Known{" + ", What::kOffPath, "nothing added to a value is a new one"},
    Known{"(..; . + $r)", What::kAnything, kSecondStart},
    Known{"(.[]; . + $r)", What::kAnything, kSecondStart},
    Known{"(.[]?; . + $r)", What::kAnything, kSecondStart},
};

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool HasAny(std::string_view program, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [program](std::string_view word) {
    return program.find(word) != std::string_view::npos;
  });
}

// jq tries the next pattern of `?//` also after an error or a break that comes from behind a `try`
// or a label (`|=` has one) which has already yielded.
bool AlternativeAfterOutput(std::string_view program) {
  static constexpr std::string_view kEnds[] = {
      "try", ")?",    "first(", "limit(", "nth(",        "any",   "isempty(", "all",
      "IN(", "label", "skip(",  "|=",     "map_values(", "walk(", "INDEX("};
  return program.find("?//") != std::string_view::npos && HasAny(program, kEnds);
}

bool HasWideInteger(const Value& value) {
  if (value.is_number()) return std::fabs(value.AsDouble()) > 9e15;
  bool found = false;
  if (value.is_array()) {
    for (size_t i = 0; i < value.size() && !found; ++i) found = HasWideInteger(value.at(i));
  }
  if (value.is_object()) {
    value.ForEachMember([&](std::string_view, const Value& member) {
      found = HasWideInteger(member);
      return !found;
    });
  }
  return found;
}

// Integers of 64 bits are exact here and doubles there.
bool HasWideInteger(const std::vector<Value>& values) {
  return std::any_of(values.begin(), values.end(),
                     [](const Value& value) { return HasWideInteger(value); });
}

// All of an answer as text, zeros without a sign: an integer 0 has none here.
std::string Unsigned(const std::vector<Value>& outputs, const std::optional<Value>& error) {
  std::string text;
  for (const Value& output : outputs) text += ToJson(output) + "\n";
  if (error.has_value()) text += ToJson(*error);
  for (size_t at = text.find("-0"); at != std::string::npos; at = text.find("-0", at + 1)) {
    const bool whole =
        at + 2 == text.size() || (text[at + 2] != '.' && !std::isdigit(text[at + 2]));
    if (whole) text.erase(at, 1);
  }
  return text;
}

bool OnlyZerosDiffer(const OurResult& ours, const OracleResult& jq) {
  std::optional<Value> error;
  if (ours.error.has_value()) error = Value::String(*ours.error);
  return ours.compiles && jq.compiles &&
         Unsigned(ours.outputs, error) == Unsigned(jq.outputs, jq.error);
}

// A number or a short text that a function hands through is a new one here, so not what the path
// leads to.
bool ScalarOffPath(const OurResult& ours) {
  if (!ours.error.has_value() || !ours.error->starts_with("Invalid path expression")) return false;
  for (const std::string_view before : {"result ", "through ", "of "}) {
    const size_t at = ours.error->find(before);
    if (at == std::string::npos || at + before.size() == ours.error->size()) continue;
    const char first = (*ours.error)[at + before.size()];
    if (first == '"' || first == '-' || (first >= '0' && first <= '9')) return true;
  }
  return false;
}

bool Explains(What what, bool ascii, const OurResult& ours, const OracleResult& jq) {
  const bool both_fail = ours.error.has_value() && jq.error.has_value();
  switch (what) {
    case What::kAnything:
      return true;
    case What::kWhichError:
      return both_fail && ours.outputs == jq.outputs;
    case What::kPathError:
      return jq.error.has_value() && jq.error->is_string() &&
             jq.error->AsString().starts_with("Invalid path expression");
    case What::kOffPath:
      return ours.error.has_value() && ours.error->starts_with("Invalid path expression");
    case What::kCharacters:
      return !ascii;
  }
  return false;
}

}  // namespace

bool IsKnownDifference(std::string_view program, std::string_view input, const OurResult& ours,
                       const OracleResult& jq) {
  if (ours.bounded || jq.crashed) return true;
  if (HasWideInteger(ours.outputs) || HasWideInteger(jq.outputs)) return true;
  if (AlternativeAfterOutput(program) || OnlyZerosDiffer(ours, jq) || ScalarOffPath(ours))
    return true;
  // JSON escapes what is not ASCII in the input, by `\u`.
  const bool ascii = IsAscii(program) && IsAscii(input) &&
                     input.find("\\u") == std::string_view::npos &&
                     program.find("\\u") == std::string_view::npos;
  return std::any_of(kKnown.begin(), kKnown.end(), [&](const Known& known) {
    return program.find(known.in_program) != std::string_view::npos &&
           Explains(known.what, ascii, ours, jq);
  });
}

}  // namespace jaque::fuzz
