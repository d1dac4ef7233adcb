// SPDX-License-Identifier: Apache-2.0
// delpaths: from the last path to the first, so that earlier ones stay right; neighbours in one
// array go together, so that deleting many elements is linear.
#include <algorithm>
#include <cmath>

#include "expression/describe.h"
#include "expression/operators.h"
#include "expression/path_access.h"
#include "expression/text.h"

namespace jaque::expression {
namespace {

constexpr int kMostSlices = 100;  // in one path: each is a level of recursion

bool DeleteFromArray(Context& context, Value* array, absl::Span<const Value> keys) {
  const size_t length = array->size();
  std::vector<bool> gone(length, false);
  for (const Value& key : keys) {
    if (key.is_number()) {
      double index = std::floor(key.number());
      if (index < 0) index += static_cast<double>(length);
      if (index >= 0 && index < static_cast<double>(length))
        gone[static_cast<size_t>(index)] = true;
    } else if (key.is_object()) {
      const Value* from = key.Find("start");
      const Value* to = key.Find("end");
      if (from == nullptr || to == nullptr) {
        context.Raise("Array/string slice indices must be integers");
        return false;
      }
      SliceBounds bounds;
      if (!FindSlice(context, length, *from, *to, &bounds)) return false;
      std::fill(gone.begin() + static_cast<std::ptrdiff_t>(bounds.from),
                gone.begin() + static_cast<std::ptrdiff_t>(bounds.to), true);
    } else {
      context.Raise(Join({"Cannot delete ", TypeName(key), " element of array"}));
      return false;
    }
  }
  if (!context.Admit(length * sizeof(Value)) || !context.Steps(length / 16)) return false;
  Value rest = Value::Array();
  for (size_t i = 0; i < length; ++i) {
    if (!gone[i]) rest.Append(array->items()[i]);
  }
  *array = std::move(rest);
  return true;
}

bool DeleteKeys(Context& context, Value* container, absl::Span<const Value> keys) {
  if (container->is_null() || keys.empty()) return true;
  if (container->is_array()) return DeleteFromArray(context, container, keys);
  if (!container->is_object()) {
    context.Raise(Join({"Cannot delete fields from ", TypeName(*container)}));
    return false;
  }
  for (const Value& key : keys) {
    if (!key.is_string()) {
      context.Raise(Join({"Cannot delete ", TypeName(key), " field of object"}));
      return false;
    }
    if (!context.Steps(container->size() / 8 + 1)) return false;
    if (container->FindKey(key) != nullptr) container->EraseKey(key);
  }
  return true;
}

// Deletes `keys` of what `parent` (a path) leads to.
bool DeleteBelow(Context& context, Value* root, absl::Span<const Value> parent,
                 absl::Span<const Value> keys, int slices = 0) {
  if (slices > kMostSlices) {
    context.Raise("Path too deep");
    return false;
  }
  Value* slot = root;
  for (size_t i = 0; i < parent.size(); ++i) {
    Value tmp;
    const Value* part = Index(context, *slot, parent[i], &tmp);
    if (part == nullptr) return false;
    if (part->is_null()) return true;
    if (part == &tmp) {  // a slice: change it apart, then put it back
      if (!DeleteBelow(context, &tmp, parent.subspan(i + 1), keys, slices + 1)) return false;
      return SetPath(context, slot, Value::Array({parent[i]}), std::move(tmp));
    }
    slot = IndexSlot(context, slot, parent[i]);
    if (slot == nullptr) return false;
  }
  return DeleteKeys(context, slot, keys);
}

// Of plain keys only: slices and the like go one by one.
bool SameParent(const Value& a, const Value& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i + 1 < a.size(); ++i) {
    const Value& key = a.items()[i];
    if (key.is_array() || key.is_object() || !(key == b.items()[i])) return false;
  }
  return true;
}

}  // namespace

bool DeletePaths(Context& context, Value* root, const Value& paths) {
  if (!paths.is_array()) {
    context.Raise("Paths must be specified as an array");
    return false;
  }
  Value sorted = paths;
  if (!SortValues(context, &sorted)) return false;
  for (const Value& path : sorted.items()) {
    if (!path.is_array()) {
      context.Raise(Join({"Path must be specified as array, not ", TypeName(path)}));
      return false;
    }
    if (path.size() > static_cast<size_t>(limits::kJsonDepth)) {
      context.Raise("Path too deep");
      return false;
    }
  }
  const auto all = sorted.items();
  if (!all.empty() && all[0].size() == 0) {  // with all there is, whatever the others are
    *root = Value();
    return true;
  }
  for (size_t end = all.size(); end > 0;) {
    const Value& last = all[end - 1];
    if (!context.Steps(last.size() + 1)) return false;
    size_t start = end - 1;
    while (start > 0 && SameParent(all[start - 1], last)) --start;
    std::vector<Value> keys;
    for (size_t i = end; i > start; --i) keys.push_back(all[i - 1].items().back());
    if (!DeleteBelow(context, root, last.items().subspan(0, last.size() - 1), keys)) return false;
    end = start;
  }
  return true;
}

}  // namespace jaque::expression
