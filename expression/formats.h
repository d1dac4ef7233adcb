// SPDX-License-Identifier: Apache-2.0
// jq's @formats: a value as text for some other language. Pure, any thread, linear in the input;
// the caller accounts for the size of the result (at most 6 bytes for one of the input's JSON).
// Errors: InvalidArgument with jq 1.8.2's message. Source: jq manual, "Format strings and
// escaping".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "expression/value.h"

namespace jaque::expression {

enum class Format : unsigned char {
  kText,
  kJson,
  kCsv,
  kTsv,
  kHtml,
  kUri,
  kUrid,
  kSh,
  kBase64,
  kBase64d,
};

// By name without '@'; nullopt if jq has no such format ("NAME is not a valid format").
std::optional<Format> FindFormat(std::string_view name);

absl::StatusOr<std::string> ApplyFormat(Format format, const Value& value);

// jq's tostring: a string as it is, anything else as JSON.
std::string ToText(const Value& value);

}  // namespace jaque::expression
