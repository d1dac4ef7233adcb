// SPDX-License-Identifier: Apache-2.0
// JSON text (RFC 8259) to Value and back. Any thread. Never recurses.
// Duplicate keys: the last one wins. Lone surrogate escapes and invalid UTF-8 become U+FFFD.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/limits.h"
#include "expression/value.h"

namespace jaque {

struct JsonParseOptions {
  int max_depth = limits::kJsonDepth;
  // jq reads NaN and nan; RFC 8259 does not.
  bool allow_nan = false;
};

// One value, surrounded by white space only. InvalidArgument "line:column: message" otherwise.
absl::StatusOr<Value> ParseJson(std::string_view text, const JsonParseOptions& options = {});

// Compact, members in order of insertion, numbers as jq 1.8 prints them. ParseJson(ToJson(v)) == v
// and ToJson(ParseJson(ToJson(v))) == ToJson(v), byte for byte (replay depends on it).
std::string ToJson(const Value& value);
void AppendJson(const Value& value, std::string* out);
// As jq's tojson: what nests deeper than `max_depth` prints as "<skipped: too deep>", which is no
// JSON.
void AppendJson(const Value& value, size_t max_depth, std::string* out);

struct JsonFormat {
  int indent = 2;  // 0: compact
  bool sort_keys = false;
  bool colors = false;  // jq 1.8's default colours
  bool ascii = false;
};
std::string ToJson(const Value& value, const JsonFormat& format);

// jq's message for a text that ParseJson (with NaN allowed) refuses.
std::string JqParseError(std::string_view text);

}  // namespace jaque
