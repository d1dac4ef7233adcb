// SPDX-License-Identifier: Apache-2.0
// How jq names a value in an error message: "object ({\"a\":1,...}) cannot be …". Any thread; the
// work is bounded by the few bytes that are shown, however large the value. Source: jq 1.8.2,
// measured.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "expression/value.h"

namespace jaque::expression {

// null, boolean, number, string, array, object.
std::string_view TypeName(const Value& value);

// The value's JSON cut to 29 bytes, a cut shown as "..." and the closing delimiter.
std::string ShortJson(const Value& value);

// InvalidArgument `type (value) what`, and `type (value) and type (value) what`.
absl::Status TypeError(const Value& value, std::string_view what);
absl::Status TypeError(const Value& first, const Value& second, std::string_view what);

}  // namespace jaque::expression
