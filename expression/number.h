// SPDX-License-Identifier: Apache-2.0
// Numbers as text, the way jq 1.8 reads and prints them. Any thread; no errors.
#pragma once

#include <string>
#include <string_view>

#include "expression/value.h"

namespace jaque {

// Shortest digits that read back as `d`: plain up to 1e17, else "1e+17"; NaN is null, infinities
// are the largest finite numbers.
void AppendDouble(double d, std::string* out);
// Any number, a literal with its own (canonical) text.
void AppendNumber(const Value& number, std::string* out);

// Length of the JSON number (RFC 8259) at the start of `text`, 0 if there is none.
size_t NumberLength(std::string_view text);
// The value of a JSON number, as NumberLength accepts it whole.
Value NumberFromValid(std::string_view text);
// What jq's tonumber and its own literals accept: also ".5", "5.", leading zeros.
std::optional<Value> NumberFromJqText(std::string_view text);
// The order of two numbers whose doubles are equal, by their digits.
int CompareDigits(const Value& a, const Value& b);
// -number; a literal keeps its digits.
Value Negated(const Value& number);

}  // namespace jaque
