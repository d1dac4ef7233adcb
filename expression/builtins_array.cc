// SPDX-License-Identifier: Apache-2.0
// Arrays, and what arrays and objects have in common.
#include <algorithm>
#include <cmath>

#include "expression/builtins.h"
#include "expression/describe.h"
#include "expression/nodes_loop.h"
#include "expression/nodes_path.h"
#include "expression/operators.h"
#include "expression/path_access.h"
#include "expression/text.h"
#include "expression/utf8.h"

namespace jaque::expression {
namespace {

const Value& ItemOf(const Value& container, size_t i) {
  return container.is_array() ? container.items()[i] : container.members()[i].value;
}

bool IsContainer(Context& context, const Value& value) {
  return value.is_array() || value.is_object() || RaiseNotIterable(context, value);
}

bool Sum(Context& context, Value* value, Value*) {
  const Value input = std::move(*value);
  if (!IsContainer(context, input)) return false;
  Value sum;
  for (size_t i = 0; i < input.size(); ++i) {
    if (!context.Step() || !Add(context, &sum, ItemOf(input, i))) return false;
  }
  *value = std::move(sum);
  return true;
}

bool Reverse(Context& context, Value* value, Value*) {
  if (value->is_bool()) return RaiseOne(context, *value, "has no length");
  const bool nothing = value->is_number() ? value->number() == 0 : value->size() == 0;
  if (nothing) {
    *value = Value::Array();
    return true;
  }
  if (!value->is_array()) {
    const double length = value->is_number()   ? std::fabs(value->number())
                          : value->is_string() ? static_cast<double>(CodePoints(value->str()))
                                               : static_cast<double>(value->size());
    const std::string last = ShortJson(Value::Double(length - 1));
    context.Raise(Join({"Cannot index ", TypeName(*value), " with number (", last, ")"}));
    return false;
  }
  if (!context.Admit(value->size() * sizeof(Value)) || !context.Steps(value->size() / 16)) {
    return false;
  }
  Value* items = value->MutableItems();
  std::reverse(items, items + value->size());
  return true;
}

bool CheckSortable(Context& context, const Value& value) {
  if (value.is_array()) return true;
  return RaiseOne(context, value, "cannot be sorted, as it is not an array");
}

bool Sort(Context& context, Value* value, Value*) {
  return CheckSortable(context, *value) && context.Admit(value->size() * 2 * sizeof(Value)) &&
         SortValues(context, value);
}

bool Unique(Context& context, Value* value, Value* arguments) {
  if (!Sort(context, value, arguments)) return false;
  const Value sorted = std::move(*value);
  Value result = Value::Array();
  for (const Value& item : sorted.items()) {
    bool equal = false;
    if (result.size() > 0 && !Compares(context, Op::kEqual, result.items().back(), item, &equal)) {
      return false;
    }
    if (!equal) result.Append(item);
  }
  *value = std::move(result);
  return true;
}

template <bool largest>
bool Extreme(Context& context, Value* value, Value*) {
  if (!value->is_array()) return RaisePair(context, *value, *value, "cannot be iterated over");
  if (!context.Steps(value->size())) return false;
  const Value* best = nullptr;
  for (const Value& item : value->items()) {
    if (best == nullptr) {
      best = &item;
      continue;
    }
    bool better;
    if (!Compares(context, largest ? Op::kGreaterEqual : Op::kLess, item, *best, &better)) {
      return false;
    }
    if (better) best = &item;
  }
  *value = best == nullptr ? Value() : Value(*best);
  return true;
}

// Depth-first with a stack; `depth` levels are opened.
bool FlattenTo(Context& context, Value* value, const Value& depth) {
  const Value input = std::move(*value);
  if (!IsContainer(context, input)) return false;
  struct Level {
    const Value* container;
    size_t next;
  };
  std::vector<Level> stack = {{&input, 0}};
  Value result = Value::Array();
  while (!stack.empty()) {
    if (!context.Step()) return false;
    Level& top = stack.back();
    if (top.next == top.container->size()) {
      stack.pop_back();
      continue;
    }
    const Value& item = ItemOf(*top.container, top.next++);
    const double open = static_cast<double>(stack.size() - 1);
    if (!item.is_array()) {
      result.Append(item);
    } else if (!depth.is_number()) {
      Value left = depth;
      return Subtract(context, &left, Value::Int(1));
    } else if (depth.number() - open == 0) {
      result.Append(item);
    } else {
      stack.push_back({&item, 0});
    }
  }
  *value = std::move(result);
  return true;
}

bool Flatten0(Context& context, Value* value, Value*) {
  return FlattenTo(context, value, Value::Int(INT32_MAX));
}

bool Flatten1(Context& context, Value* value, Value* arguments) {
  bool negative;
  if (!Compares(context, Op::kLess, arguments[0], Value::Int(0), &negative)) return false;
  if (negative) {
    context.Raise("flatten depth must not be negative");
    return false;
  }
  return FlattenTo(context, value, arguments[0]);
}

bool Transpose(Context& context, Value* value, Value*) {
  const Value rows = std::move(*value);
  if (!IsContainer(context, rows)) return false;
  size_t columns = 0;
  const Value* bad = nullptr;  // the first row that has a length and no items
  for (size_t i = 0; i < rows.size(); ++i) {
    const Value& row = ItemOf(rows, i);
    if (row.is_bool()) return RaiseOne(context, row, "has no length");
    const bool some = row.is_number() ? row.number() != 0 : row.size() > 0;
    if (row.is_array()) {
      columns = std::max(columns, row.size());
    } else if (!row.is_null()) {
      if (bad == nullptr) bad = &row;
      if (some) columns = std::max(columns, size_t{1});
    }
  }
  if (bad != nullptr && columns > 0) {
    context.Raise(Join({"Cannot index ", TypeName(*bad), " with number (0)"}));
    return false;
  }
  const size_t cells = columns * rows.size();
  if (!context.Admit(cells * sizeof(Value)) || !context.Steps(cells)) return false;
  Value result = Value::Array();
  for (size_t c = 0; c < columns; ++c) {
    Value column = Value::Array();
    column.Reserve(rows.size());
    for (size_t r = 0; r < rows.size(); ++r) {
      const Value& row = ItemOf(rows, r);
      column.Append(c < row.size() ? row.items()[c] : Value());
    }
    result.Append(std::move(column));
  }
  *value = std::move(result);
  return true;
}

bool BinarySearch(Context& context, Value* value, Value* arguments) {
  if (!value->is_array()) return RaiseOne(context, *value, "cannot be searched from");
  size_t low = 0;
  size_t high = value->size();
  const auto items = value->items();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    bool less;
    bool equal;
    if (!Compares(context, Op::kLess, items[middle], arguments[0], &less) ||
        !Compares(context, Op::kEqual, items[middle], arguments[0], &equal)) {
      return false;
    }
    if (equal) {
      *value = Value::Int(static_cast<int64_t>(middle));
      return true;
    }
    if (less)
      low = middle + 1;
    else
      high = middle;
  }
  *value = Value::Int(-1 - static_cast<int64_t>(low));
  return true;
}

// Whether `whole` contains `part`, with a stack of open pairs.
class Containment {
 public:
  explicit Containment(Context& context) : context_(context) {}

  // False: too deep or out of steps, the failure is set.
  bool Run(const Value& whole, const Value& part, bool* result) {
    bool known = Enter(whole, part);
    for (;;) {
      if (!context_.Step() || too_long_) return false;
      if (too_deep_) {
        context_.Raise("Containment check too deep");
        return false;
      }
      if (known && stack_.empty()) {
        *result = answer_;
        return true;
      }
      if (known) {
        Tell(answer_);
      }
      known = Next();
    }
  }

 private:
  struct Level {
    const Value* whole;
    const Value* part;
    size_t i;  // of the part: what must be found
    size_t j;  // of an array: where it is looked for
    bool failed;
  };

  // True: the answer is known at once.
  bool Enter(const Value& whole, const Value& part) {
    const bool both_arrays = whole.is_array() && part.is_array();
    if (both_arrays || (whole.is_object() && part.is_object())) {
      if (stack_.size() > static_cast<size_t>(limits::kJsonDepth)) too_deep_ = true;
      stack_.push_back({&whole, &part, 0, 0, false});
      return false;
    }
    if (whole.is_string() && part.is_string()) {
      if (!context_.Steps(whole.size() / 64)) too_long_ = true;
      answer_ = FindPart(whole.str(), part.str(), 0) != std::string_view::npos;
    } else {
      answer_ = whole == part;
    }
    return true;
  }

  // A pair's answer goes to the level above it.
  void Tell(bool answer) {
    Level& top = stack_.back();
    if (answer) {
      ++top.i;
      top.j = 0;
    } else if (top.part->is_array()) {
      ++top.j;
    } else {
      top.failed = true;
    }
  }

  // Starts the next pair of the top level, or ends the level (then its answer is known).
  bool Next() {
    Level& top = stack_.back();
    if (!top.failed && top.i < top.part->size()) {
      if (top.part->is_object()) {
        const Member& member = top.part->members()[top.i];
        const Value* found = top.whole->FindKey(member.key);
        if (found != nullptr) return Enter(*found, member.value);
      } else if (top.j < top.whole->size()) {
        return Enter(top.whole->items()[top.j], top.part->items()[top.i]);
      }
      top.failed = true;
    }
    answer_ = !top.failed;
    stack_.pop_back();
    return true;
  }

  Context& context_;
  std::vector<Level> stack_;
  bool answer_ = false;
  bool too_deep_ = false;
  bool too_long_ = false;  // the failure is set
};

bool Contains(Context& context, Value* value, Value* arguments) {
  if (value->kind() != arguments[0].kind()) {
    return RaisePair(context, *value, arguments[0], "cannot have their containment checked");
  }
  const Value whole = std::move(*value);
  bool result = false;
  if (!Containment(context).Run(whole, arguments[0], &result)) return false;
  *value = Value::Bool(result);
  return true;
}

constexpr NativeEntry kEntries[] = {
    {"add", 0, Sum},
    {"reverse", 0, Reverse},
    {"sort", 0, Sort},
    {"unique", 0, Unique},
    {"min", 0, Extreme<false>},
    {"max", 0, Extreme<true>},
    {"flatten", 0, Flatten0},
    {"flatten", 1, Flatten1},
    {"transpose", 0, Transpose},
    {"bsearch", 1, BinarySearch},
    {"contains", 1, Contains},
};

}  // namespace

absl::Span<const NativeEntry> ArrayBuiltins() { return kEntries; }

}  // namespace jaque::expression
