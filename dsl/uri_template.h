// SPDX-License-Identifier: Apache-2.0
// URI templates as the DSL has them (reference, "URI Template"): RFC 6570 simple expansion of
// `{name}` over the top-level properties of the input, names taken verbatim. For the workers; pure,
// any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "expression/value.h"

namespace jaque::dsl {

// Absent and null give nothing. InvalidArgument if a property is an object or a list.
absl::StatusOr<std::string> ExpandUriTemplate(std::string_view text, const Value& input);

}  // namespace jaque::dsl
