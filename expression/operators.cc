// SPDX-License-Identifier: Apache-2.0
#include "expression/operators.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "expression/describe.h"
#include "expression/number.h"
#include "expression/text.h"
#include "expression/utf8.h"

namespace jaque::expression {
namespace {

constexpr size_t kLongestString = size_t{INT32_MAX} - 1;  // jq's own bound

// -0 where jq's doubles would give it.
Value Product(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) {
    return Value::Double(static_cast<double>(a) * static_cast<double>(b));
  }
  if (product == 0 && (a < 0 || b < 0)) return Value::Double(-0.0);
  return Value::Int(product);
}

bool Repeat(Context& context, Value* text, double times) {
  if (std::isnan(times) || times < 0) {
    *text = Value();
    return true;
  }
  const double whole = std::floor(times);
  const std::string_view piece = text->str();
  if (whole * static_cast<double>(piece.size()) > static_cast<double>(kLongestString)) {
    context.Raise("Repeat string result too long");
    return false;
  }
  const size_t total = static_cast<size_t>(whole) * piece.size();
  if (!context.Admit(2 * total)) return false;
  std::string out;
  out.reserve(total);
  for (size_t i = 0; total > 0 && i < static_cast<size_t>(whole); ++i) out.append(piece);
  *text = Value::StringUnchecked(out);
  return true;
}

// Merges `right` into `left`, object by object where both have one.
bool Merge(Context& context, Value* left, const Value& right) {
  struct Level {
    Value* into;  // stable: its owner does not change while the level is open
    const Value* from;
    size_t next;
  };
  std::vector<Level> stack = {{left, &right, 0}};
  while (!stack.empty()) {
    Level& top = stack.back();
    if (top.next == top.from->size()) {
      stack.pop_back();
      continue;
    }
    if (!context.Step()) return false;
    const Member& member = top.from->members()[top.next++];
    Value* slot = top.into->Slot(member.key);
    if (!slot->is_object() || !member.value.is_object()) {
      *slot = member.value;
    } else if (stack.size() > static_cast<size_t>(limits::kJsonDepth)) {
      context.Raise("Object merge too deep");
      return false;
    } else {
      stack.push_back({slot, &member.value, 0});
    }
  }
  return true;
}

bool DivideNumbers(Context& context, Value* left, const Value& right) {
  const double divisor = right.number();
  if (divisor == 0) {
    return RaisePair(context, *left, right, "cannot be divided because the divisor is zero");
  }
  if (left->is_int() && right.is_int() && left->int_value() % right.int_value() == 0 &&
      left->int_value() != 0 && right.int_value() != -1) {
    *left = Value::Int(left->int_value() / right.int_value());
  } else {
    *left = Value::Double(left->number() / divisor);
  }
  return true;
}

// As jq casts for `%`: the fraction is cut, what is out of range is the nearest.
int64_t Whole(double d) {
  if (d >= 9223372036854775807.0) return INT64_MAX;
  if (d <= -9223372036854775808.0) return INT64_MIN;
  return static_cast<int64_t>(d);
}

bool SubtractArrays(Context& context, Value* left, const Value& right) {
  Value result = Value::Array();
  for (const Value& item : left->items()) {
    bool found = false;
    for (const Value& other : right.items()) {
      if (!context.Step()) return false;
      bool equal;
      if (!Compares(context, Op::kEqual, item, other, &equal)) return false;
      if (equal) {
        found = true;
        break;
      }
    }
    if (!found) result.Append(item);
  }
  *left = std::move(result);
  return true;
}

}  // namespace

bool RaisePair(Context& context, const Value& a, const Value& b, std::string_view what) {
  context.Raise(Join(
      {TypeName(a), " (", ShortJson(a), ") and ", TypeName(b), " (", ShortJson(b), ") ", what}));
  return false;
}

bool RaiseOne(Context& context, const Value& value, std::string_view what) {
  context.Raise(Join({TypeName(value), " (", ShortJson(value), ") ", what}));
  return false;
}

bool Add(Context& context, Value* left, const Value& right) {
  if (left->is_int() && right.is_int()) {
    int64_t sum;
    if (!__builtin_add_overflow(left->int_value(), right.int_value(), &sum)) {
      *left = Value::Int(sum);
      return true;
    }
  }
  if (left->is_null()) {
    *left = right;
    return true;
  }
  if (right.is_null()) return true;
  if (left->kind() != right.kind() || left->is_bool()) {
    return RaisePair(context, *left, right, "cannot be added");
  }
  if (left->is_number()) {
    *left = Value::Double(left->number() + right.number());
  } else if (left->is_string()) {
    const size_t total = left->size() + right.size();
    if (!context.Admit(left->unshared() ? right.size() : total)) return false;
    if (total > 4096 && !context.Steps(right.size() / 64)) return false;
    left->AppendString(right.str());
  } else if (left->is_array()) {
    const size_t copied = right.size() + (left->unshared() ? 0 : left->size());
    if (!context.Admit(copied * sizeof(Value)) || !context.Steps(copied / 16)) return false;
    const Value keep = right;  // may be the same array
    left->Reserve(left->size() + keep.size());
    for (const Value& item : keep.items()) left->Append(item);
  } else {
    const size_t copied = right.size() + (left->unshared() ? 0 : left->size());
    if (!context.Admit(copied * sizeof(Member)) || !context.Steps(copied / 8)) return false;
    if (left->size() == 0) {
      *left = right;
      return true;
    }
    const Value keep = right;
    for (const Member& member : keep.members()) *left->Slot(member.key) = member.value;
  }
  return true;
}

bool Subtract(Context& context, Value* left, const Value& right) {
  if (left->is_int() && right.is_int()) {
    int64_t difference;
    if (!__builtin_sub_overflow(left->int_value(), right.int_value(), &difference)) {
      *left = Value::Int(difference);
      return true;
    }
  }
  if (left->is_number() && right.is_number()) {
    *left = Value::Double(left->number() - right.number());
    return true;
  }
  if (left->is_array() && right.is_array()) return SubtractArrays(context, left, right);
  return RaisePair(context, *left, right, "cannot be subtracted");
}

bool Multiply(Context& context, Value* left, const Value& right) {
  if (left->is_number() && right.is_number()) {
    *left = left->is_int() && right.is_int() ? Product(left->int_value(), right.int_value())
                                             : Value::Double(left->number() * right.number());
    return true;
  }
  if (left->is_string() && right.is_number()) return Repeat(context, left, right.number());
  if (left->is_number() && right.is_string()) {
    const double times = left->number();
    *left = right;
    return Repeat(context, left, times);
  }
  if (left->is_object() && right.is_object()) return Merge(context, left, Value(right));
  return RaisePair(context, *left, right, "cannot be multiplied");
}

bool Divide(Context& context, Value* left, const Value& right) {
  if (left->is_number() && right.is_number()) return DivideNumbers(context, left, right);
  if (left->is_string() && right.is_string()) {
    const Value text = std::move(*left);
    return SplitString(context, text.str(), right.str(), left);
  }
  return RaisePair(context, *left, right, "cannot be divided");
}

bool Modulo(Context& context, Value* left, const Value& right) {
  if (!left->is_number() || !right.is_number()) {
    return RaisePair(context, *left, right, "cannot be divided (remainder)");
  }
  const double a = left->number();
  const double b = right.number();
  if (std::isnan(a) || std::isnan(b)) {
    *left = Value::Double(std::numeric_limits<double>::quiet_NaN());
    return true;
  }
  const int64_t divisor = right.is_int() ? right.int_value() : Whole(b);
  if (divisor == 0) {
    return RaisePair(context, *left, right,
                     "cannot be divided (remainder) because the divisor is zero");
  }
  const int64_t dividend = left->is_int() ? left->int_value() : Whole(a);
  // The divisor's sign does not matter; INT64_MIN % -1 would trap.
  *left = Value::Int(divisor == -1 || divisor == 1 ? 0 : dividend % divisor);
  return true;
}

bool Negate(Context& context, Value* operand) {
  if (!operand->is_number()) return RaiseOne(context, *operand, "cannot be negated");
  *operand = Negated(*operand);
  return true;
}

bool Apply(Context& context, Op op, Value* left, const Value& right) {
  switch (op) {
    case Op::kAdd:
      return Add(context, left, right);
    case Op::kSubtract:
      return Subtract(context, left, right);
    case Op::kMultiply:
      return Multiply(context, left, right);
    case Op::kDivide:
      return Divide(context, left, right);
    case Op::kModulo:
      return Modulo(context, left, right);
    default: {
      bool result;
      if (!Compares(context, op, *left, right, &result)) return false;
      *left = Value::Bool(result);
      return true;
    }
  }
}

bool Compares(Context& context, Op op, const Value& left, const Value& right, bool* result) {
  const Value::Effort before = context.NewEffort();
  Value::Effort effort = before;
  if (op == Op::kEqual || op == Op::kNotEqual) {
    *result = Value::Equal(left, right, &effort) == (op == Op::kEqual);
    return context.Settle(before, effort, "Equality check too deep");
  }
  const int order = Value::Compare(left, right, &effort);
  *result = op == Op::kLess        ? order < 0
            : op == Op::kLessEqual ? order <= 0
            : op == Op::kGreater   ? order > 0
                                   : order >= 0;
  return context.Settle(before, effort, "Comparison too deep");
}

bool SplitString(Context& context, std::string_view text, std::string_view separator, Value* out) {
  Value parts = Value::Array();
  if (!context.Admit(text.size()) || !context.Steps(text.size() / 16)) return false;
  size_t at = 0;
  while (at < text.size()) {
    if (!context.Step()) return false;
    if (separator.empty()) {
      const size_t start = at;
      NextCodePoint(text, &at);
      parts.Append(Value::StringUnchecked(text.substr(start, at - start)));
      continue;
    }
    const size_t end = FindPart(text, separator, at);
    parts.Append(Value::StringUnchecked(text.substr(at, end - at)));
    if (end == text.npos) break;
    at = end + separator.size();
    if (at == text.size()) parts.Append(Value::String(""));
  }
  *out = std::move(parts);
  return true;
}

bool SortValues(Context& context, Value* array) {
  if (!context.Steps(array->size())) return false;
  std::vector<Value> items(array->items().begin(), array->items().end());
  const Value::Effort before = context.NewEffort();
  Value::Effort effort = before;
  size_t compared = 0;
  std::stable_sort(items.begin(), items.end(), [&](const Value& a, const Value& b) {
    if (effort.too_deep || effort.too_long) return false;
    ++compared;
    return Value::Compare(a, b, &effort) < 0;
  });
  if (!context.Settle(before, effort, "Comparison too deep")) return false;
  *array = Value::ArrayFrom(items);
  return context.Steps(compared);
}

}  // namespace jaque::expression
