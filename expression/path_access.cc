// SPDX-License-Identifier: Apache-2.0
#include "expression/path_access.h"

#include <algorithm>
#include <cmath>

#include "expression/describe.h"
#include "expression/operators.h"
#include "expression/text.h"
#include "expression/utf8.h"

namespace jaque::expression {
namespace {

const Value kNull;
constexpr double kLargestIndex = 536870911 - 1;  // jq's

const Value* RaiseIndex(Context& context, const Value& container, const Value& key) {
  return context.Raise(Join(
      {"Cannot index ", TypeName(container), " with ", TypeName(key), " (", ShortJson(key), ")"}));
}

// Positions of `needle` as a part of `haystack`.
bool FindAll(Context& context, const Value& haystack, const Value& needle, Value* out) {
  *out = Value::Array();
  const auto all = haystack.items();
  const auto part = needle.items();
  if (part.empty()) return true;
  for (size_t i = 0; i + part.size() <= all.size(); ++i) {
    bool equal = true;
    for (size_t k = 0; equal && k < part.size(); ++k) {
      if (!context.Step() || !Compares(context, Op::kEqual, all[i + k], part[k], &equal)) {
        return false;
      }
    }
    if (equal) out->Append(Value::Int(static_cast<int64_t>(i)));
  }
  return true;
}

// A whole index of an array: past the end where there is none.
size_t Position(double index, size_t length) {
  if (std::isnan(index)) return SIZE_MAX;
  double whole = std::floor(index);
  if (whole < 0) whole += static_cast<double>(length);
  if (whole < 0 || whole >= 1e15) return SIZE_MAX;
  return static_cast<size_t>(whole);
}

bool SetSlice(Context& context, Value* container, const Value& key, Value value) {
  if (container->is_string()) {
    context.Raise("Cannot update string slices");
    return false;
  }
  const Value* from = key.Find("start");
  const Value* to = key.Find("end");
  SliceBounds bounds;
  if (!FindSlice(context, container->size(), from == nullptr ? kNull : *from,
                 to == nullptr ? kNull : *to, &bounds)) {
    return false;
  }
  if (!value.is_array()) {
    context.Raise("A slice of an array can only be assigned another array");
    return false;
  }
  const auto old = container->items();
  const auto middle = value.items();
  if (!context.Admit((old.size() + middle.size()) * sizeof(Value)) ||
      !context.Steps((old.size() + middle.size()) / 16)) {
    return false;
  }
  Value result = Value::ArrayFrom(old.subspan(0, bounds.from));
  result.Reserve(old.size() - (bounds.to - bounds.from) + middle.size());
  for (const Value& item : middle) result.Append(item);
  for (const Value& item : old.subspan(bounds.to)) result.Append(item);
  *container = std::move(result);
  return true;
}

Value* ArraySlot(Context& context, Value* container, double index) {
  const auto raise = [&context](const char* message) -> Value* {
    context.Raise(message);
    return nullptr;
  };
  if (std::isnan(index)) return raise("Cannot set array element at NaN index");
  if (container->is_null()) *container = Value::Array();
  double whole = std::floor(index);
  if (whole < 0) whole += static_cast<double>(container->size());
  if (whole < 0) return raise("Out of bounds negative array index");
  if (whole > kLargestIndex) return raise("Array index too large");
  const auto i = static_cast<size_t>(whole);
  if (i >= container->size()) {
    if (!context.Admit((i + 1 - container->size()) * sizeof(Value))) return nullptr;
    container->Extend(i + 1);
  } else if (!container->unshared() && !context.Admit(container->size() * sizeof(Value))) {
    return nullptr;
  }
  return container->MutableItems() + i;
}

}  // namespace

const Value* Index(Context& context, const Value& container, const Value& key, Value* tmp) {
  if (container.is_object() && key.is_string()) {
    const Value* found = container.FindKey(key);
    return found == nullptr ? &kNull : found;
  }
  if (container.is_array() && key.is_number()) {
    const size_t i = key.is_int() && key.int_value() >= 0
                         ? static_cast<size_t>(key.int_value())
                         : Position(key.number(), container.size());
    return i < container.size() ? &container.items()[i] : &kNull;
  }
  if (container.is_null() && (key.is_string() || key.is_number() || key.is_object())) return &kNull;
  if (key.is_object() && (container.is_array() || container.is_string())) {
    const Value* from = key.Find("start");
    const Value* to = key.Find("end");
    if (from == nullptr || to == nullptr) {
      return context.Raise("Array/string slice indices must be integers");
    }
    return Slice(context, container, *from, *to, tmp) ? tmp : nullptr;
  }
  if (container.is_array() && key.is_array()) {
    return FindAll(context, container, key, tmp) ? tmp : nullptr;
  }
  return RaiseIndex(context, container, key);
}

bool FindSlice(Context& context, size_t length, const Value& from, const Value& to,
               SliceBounds* bounds) {
  if ((!from.is_null() && !from.is_number()) || (!to.is_null() && !to.is_number())) {
    context.Raise("Array/string slice indices must be integers");
    return false;
  }
  const auto size = static_cast<double>(length);
  double start = from.is_null() ? 0 : from.number();
  double end = to.is_null() ? size : to.number();
  if (std::isnan(start)) start = 0;
  if (std::isnan(end)) end = size;
  if (start < 0) start += size;
  if (end < 0) end += size;
  start = std::clamp(std::floor(start), 0.0, size);
  end = std::clamp(std::ceil(end), start, size);
  bounds->from = static_cast<size_t>(start);
  bounds->to = static_cast<size_t>(end);
  return true;
}

bool Slice(Context& context, const Value& container, const Value& from, const Value& to,
           Value* out) {
  if (container.is_null()) {
    *out = Value();
    return true;
  }
  if (!container.is_array() && !container.is_string()) {
    RaiseIndex(context, container, Value::Object({{"start", from}, {"end", to}}));
    return false;
  }
  const bool array = container.is_array();
  SliceBounds bounds;
  const size_t length = array ? container.size() : CodePoints(container.str());
  if (!FindSlice(context, length, from, to, &bounds)) return false;
  if (array) {
    const auto part = container.items().subspan(bounds.from, bounds.to - bounds.from);
    if (!context.Admit(part.size() * sizeof(Value)) || !context.Steps(part.size() / 16)) {
      return false;
    }
    *out = Value::ArrayFrom(part);
    return true;
  }
  if (!context.Steps(container.size() / 64)) return false;
  const std::string_view text = container.str();
  const size_t start = ByteOffset(text, bounds.from);
  const size_t bytes = ByteOffset(text.substr(start), bounds.to - bounds.from);
  if (!context.Admit(bytes)) return false;
  *out = Value::StringUnchecked(text.substr(start, bytes));
  return true;
}

Value* IndexSlot(Context& context, Value* container, const Value& key) {
  if (key.is_string() && (container->is_object() || container->is_null())) {
    if (!container->unshared() && !context.Admit(container->size() * sizeof(Member))) {
      return nullptr;
    }
    return container->Slot(key);
  }
  if (key.is_number() && (container->is_array() || container->is_null())) {
    return ArraySlot(context, container, key.number());
  }
  if (key.is_array() && container->is_array()) {
    context.Raise("Cannot update field at array index of array");
  } else {
    RaiseIndex(context, *container, key);
  }
  return nullptr;
}

bool GetPath(Context& context, const Value& root, const Value& path, Value* out) {
  if (!path.is_array()) {
    context.Raise("Path must be specified as an array");
    return false;
  }
  if (path.size() > static_cast<size_t>(limits::kJsonDepth)) {
    context.Raise("Path too deep");
    return false;
  }
  const Value* value = &root;
  Value holder;
  if (!context.Steps(path.size())) return false;
  for (const Value& key : path.items()) {
    Value tmp;
    value = Index(context, *value, key, &tmp);
    if (value == nullptr) return false;
    if (value == &tmp) {
      holder = std::move(tmp);
      value = &holder;
    }
  }
  *out = Value(*value);
  return true;
}

bool SetPath(Context& context, Value* root, const Value& path, Value value) {
  if (!path.is_array()) {
    context.Raise("Path must be specified as an array");
    return false;
  }
  if (path.size() > static_cast<size_t>(limits::kJsonDepth)) {
    context.Raise("Path too deep");
    return false;
  }
  if (!context.Steps(path.size())) return false;
  // A slice is taken out, changed, and put back once what is below it is done.
  struct Taken {
    Value* container;
    Value key;
    Value part;
  };
  std::vector<std::unique_ptr<Taken>> slices;
  Value* slot = root;
  const auto keys = path.items();
  for (const Value& key : keys) {
    if (key.is_object() && !slot->is_object()) {
      auto taken = std::make_unique<Taken>(Taken{slot, key, Value()});
      const Value* part = Index(context, *slot, key, &taken->part);
      if (part == nullptr) return false;
      if (slot->is_null()) *slot = Value::Array();
      slot = &taken->part;
      slices.push_back(std::move(taken));
      continue;
    }
    slot = IndexSlot(context, slot, key);
    if (slot == nullptr) return false;
  }
  *slot = std::move(value);
  for (; !slices.empty(); slices.pop_back()) {
    Taken& taken = *slices.back();
    if (!SetSlice(context, taken.container, taken.key, std::move(taken.part))) return false;
  }
  return true;
}

}  // namespace jaque::expression
