// SPDX-License-Identifier: Apache-2.0
// jq's operators on values. One thread, an evaluation's context: each returns false after having
// raised jq's error there, or when a bound is reached.
#pragma once

#include "expression/ast.h"
#include "expression/context.h"
#include "expression/value.h"

namespace jaque::expression {

// `left` becomes the result; it changes in place where unshared.
bool Apply(Context& context, Op op, Value* left, const Value& right);
bool Add(Context& context, Value* left, const Value& right);
bool Subtract(Context& context, Value* left, const Value& right);
bool Multiply(Context& context, Value* left, const Value& right);
bool Divide(Context& context, Value* left, const Value& right);
bool Modulo(Context& context, Value* left, const Value& right);
bool Negate(Context& context, Value* operand);
// A comparison's result.
bool Compares(Context& context, Op op, const Value& left, const Value& right, bool* result);

// Raises "type (value) and type (value) what"; false.
bool RaisePair(Context& context, const Value& a, const Value& b, std::string_view what);
// Raises "type (value) what"; false.
bool RaiseOne(Context& context, const Value& value, std::string_view what);

// Elements split by `separator`; by code point if it is empty.
bool SplitString(Context& context, std::string_view text, std::string_view separator, Value* out);
// jq's order for sorting; an error if too deep. The order of equal ones is kept.
bool SortValues(Context& context, Value* array);

}  // namespace jaque::expression
