// SPDX-License-Identifier: Apache-2.0
// Reading and changing the parts of a value that a path names, as jq's `.[…]`, getpath, setpath and
// delpaths do. One thread; false after an error was raised in the context.
#pragma once

#include "expression/context.h"
#include "expression/value.h"

namespace jaque::expression {

// `container[key]`: borrowed where it is a part, else in `tmp`; nullptr after an error.
const Value* Index(Context& context, const Value& container, const Value& key, Value* tmp);

// The slot for `container[key]`, created where jq would; null after an error. For plain keys (no
// slices).
Value* IndexSlot(Context& context, Value* container, const Value& key);

bool GetPath(Context& context, const Value& root, const Value& path, Value* out);
// Takes the value out of `root` (leaving null) if the path is plain and unshared all the way.
bool SetPath(Context& context, Value* root, const Value& path, Value value);
bool DeletePaths(Context& context, Value* root, const Value& paths);

// Whether the numbers of a slice make sense for `length`; from <= to <= length.
struct SliceBounds {
  size_t from = 0;
  size_t to = 0;
};
bool FindSlice(Context& context, size_t length, const Value& from, const Value& to,
               SliceBounds* bounds);
// `container[from:to]` of an array, a string or null.
bool Slice(Context& context, const Value& container, const Value& from, const Value& to,
           Value* out);

}  // namespace jaque::expression
