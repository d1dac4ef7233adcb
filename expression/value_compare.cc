// SPDX-License-Identifier: Apache-2.0
// Order and equality of values, with a stack of their own instead of recursion.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/status_macros.h"
#include "expression/number.h"
#include "expression/value.h"

namespace jaque {
namespace {

int Sign(bool less, bool greater) { return static_cast<int>(greater) - static_cast<int>(less); }

int CompareIntDouble(int64_t n, double d) {
  if (d >= 9223372036854775808.0) return -1;
  if (d < -9223372036854775808.0) return 1;
  const auto whole = static_cast<int64_t>(d);  // towards zero
  if (n != whole) return n < whole ? -1 : 1;
  const double rest = d - static_cast<double>(whole);
  return Sign(rest > 0, rest < 0);
}

std::vector<const Member*> SortedMembers(const Value& object) {
  std::vector<const Member*> sorted;
  sorted.reserve(object.size());
  for (const Member& member : object.members()) sorted.push_back(&member);
  std::sort(sorted.begin(), sorted.end(),
            [](const Member* a, const Member* b) { return a->key.str() < b->key.str(); });
  return sorted;
}

}  // namespace

// NaN is less than any number, itself included, and so equals nothing.
int Value::CompareNumbers(const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) {
    return Sign(a.int_value() < b.int_value(), a.int_value() > b.int_value());
  }
  const double x = a.number();
  const double y = b.number();
  if (std::isnan(x)) return -1;
  if (std::isnan(y)) return 1;
  if (x == y && (a.tag() == kLiteralTag || b.tag() == kLiteralTag)) return CompareDigits(a, b);
  if (a.is_int()) return CompareIntDouble(a.int_value(), y);
  if (b.is_int()) return -CompareIntDouble(b.int_value(), x);
  return Sign(x<y, x> y);
}

// Of equal kinds, neither arrays nor objects.
int Value::CompareScalars(const Value& a, const Value& b) {
  if (a.kind() == Kind::kNumber) return CompareNumbers(a, b);
  if (a.kind() != Kind::kString) return 0;
  const int order = a.str().compare(b.str());
  return Sign(order<0, order> 0);
}

class ValueComparer {
 public:
  ValueComparer(bool equality, Value::Effort* effort) : equality_(equality), effort_(effort) {}

  // With `equality` any other result than 0 means different.
  int Run(const Value& a, const Value& b) {
    const Value* x = &a;
    const Value* y = &b;
    for (;;) {
      const int order = Enter(*x, *y);
      if (effort_->too_deep || order != 0) return order;
      if (effort_->steps-- == 0) {
        effort_->steps = 0;
        effort_->too_long = true;
        return 0;
      }
      for (;;) {
        if (stack_.empty()) return 0;
        Level& top = stack_.back();
        if (top.i < top.n) {
          Pair(top, &x, &y);
          ++top.i;
          break;
        }
        if (top.rest != 0) return top.rest;
        stack_.pop_back();
      }
    }
  }

 private:
  struct Level {
    const Value* a = nullptr;
    const Value* b = nullptr;
    size_t i = 0;
    size_t n = 0;  // pairs to compare
    int rest = 0;  // the result if all pairs are equal
    std::vector<const Member*> as;
    std::vector<const Member*> bs;
  };

  void Pair(const Level& level, const Value** x, const Value** y) const {
    if (level.a->is_array()) {
      *x = &level.a->items()[level.i];
      *y = &level.b->items()[level.i];
    } else if (equality_) {
      const Member& member = level.a->members()[level.i];
      *x = &member.value;
      *y = level.b->FindKey(member.key);
    } else {
      *x = &level.as[level.i]->value;
      *y = &level.bs[level.i]->value;
    }
  }

  int Enter(const Value& a, const Value& b) {
    if (a.kind() != b.kind()) return a.kind() < b.kind() ? -1 : 1;
    if (!a.is_array() && !a.is_object()) return Value::CompareScalars(a, b);
    if (stack_.size() > effort_->depth) {
      effort_->too_deep = true;
      return 0;
    }
    Level level;
    level.a = &a;
    level.b = &b;
    const size_t n = a.size();
    const size_t m = b.size();
    if (equality_) {
      if (n != m) return 1;
      level.n = n;
      if (a.is_object()) {
        for (const Member& member : a.members()) {
          if (b.FindKey(member.key) == nullptr) return 1;
        }
      }
    } else if (a.is_array()) {
      level.n = std::min(n, m);
      level.rest = Sign(n<m, n> m);
    } else if (const int order = EnterObjects(a, b, &level); order != 0) {
      return order;
    }
    if (level.n > 0 || level.rest != 0) stack_.push_back(std::move(level));
    return 0;
  }

  // Objects order by their sorted keys first.
  int EnterObjects(const Value& a, const Value& b, Level* level) {
    level->as = SortedMembers(a);
    level->bs = SortedMembers(b);
    const size_t n = std::min(a.size(), b.size());
    for (size_t i = 0; i < n; ++i) {
      const int order = level->as[i]->key.str().compare(level->bs[i]->key.str());
      if (order != 0) return Sign(order<0, order> 0);
    }
    level->n = n;
    return Sign(a.size() < b.size(), a.size() > b.size());
  }

  const bool equality_;
  Value::Effort* effort_;
  std::vector<Level> stack_;
};

int Value::Compare(const Value& a, const Value& b, Effort* effort) {
  if (a.kind() != b.kind()) return a.kind() < b.kind() ? -1 : 1;
  if (!a.is_array() && !a.is_object()) return CompareScalars(a, b);
  return ValueComparer(false, effort).Run(a, b);
}

int Value::Compare(const Value& a, const Value& b) {
  Effort effort;
  return Compare(a, b, &effort);
}

bool Value::Equal(const Value& a, const Value& b, Effort* effort) {
  if (a.kind() != b.kind()) return false;
  if (a.is_string()) return KeyEqual(a, b);
  if (!a.is_array() && !a.is_object()) return CompareScalars(a, b) == 0;
  if (a.size() != b.size()) return false;
  return ValueComparer(true, effort).Run(a, b) == 0;
}

bool Value::EqualSlow(const Value& a, const Value& b) {
  Effort effort;
  return Equal(a, b, &effort);
}

}  // namespace jaque
