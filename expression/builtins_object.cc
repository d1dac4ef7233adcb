// SPDX-License-Identifier: Apache-2.0
// Keys and entries.
#include <algorithm>
#include <cmath>

#include "expression/builtins.h"
#include "expression/describe.h"
#include "expression/nodes_path.h"
#include "expression/operators.h"
#include "expression/path_access.h"
#include "expression/text.h"

namespace jaque::expression {
namespace {

// Keys in order of insertion, positions of an array.
bool KeysOf(Context& context, const Value& value, Value* keys) {
  *keys = Value::Array();
  if (!context.Admit(value.size() * sizeof(Value)) || !context.Steps(value.size() / 8))
    return false;
  if (value.is_object()) {
    keys->Reserve(value.size());
    for (const Member& member : value.members()) keys->Append(member.key);
  } else if (value.is_array()) {
    keys->Reserve(value.size());
    for (size_t i = 0; i < value.size(); ++i) keys->Append(Value::Int(static_cast<int64_t>(i)));
  } else {
    return RaiseOne(context, value, "has no keys");
  }
  return true;
}

bool KeysUnsorted(Context& context, Value* value, Value*) {
  const Value container = std::move(*value);
  return KeysOf(context, container, value);
}

bool Keys(Context& context, Value* value, Value*) {
  const Value container = std::move(*value);
  if (!KeysOf(context, container, value)) return false;
  return container.is_array() || SortValues(context, value);
}

bool Has(Context& context, Value* value, Value* arguments) {
  const Value& key = arguments[0];
  if (value->is_object() && key.is_string()) {
    *value = Value::Bool(value->FindKey(key) != nullptr);
  } else if (value->is_array() && key.is_number()) {
    const double index = key.number();
    *value = Value::Bool(index >= 0 && index < static_cast<double>(value->size()));
  } else if (value->is_null()) {
    *value = Value::Bool(false);
  } else {
    context.Raise(
        Join({"Cannot check whether ", TypeName(*value), " has a ", TypeName(key), " key"}));
    return false;
  }
  return true;
}

bool ToEntries(Context& context, Value* value, Value*) {
  static const Value kKey = Value::String("key");
  static const Value kValue = Value::String("value");
  const Value container = std::move(*value);
  if (!container.is_object() && !container.is_array()) {
    return RaiseOne(context, container, "has no keys");
  }
  if (!context.Admit(container.size() * 160) || !context.Steps(container.size())) return false;
  Value entries = Value::Array();
  entries.Reserve(container.size());
  for (size_t i = 0; i < container.size(); ++i) {
    Value entry = Value::Object();
    entry.Reserve(2);
    if (container.is_object()) {
      *entry.Slot(kKey) = container.members()[i].key;
      *entry.Slot(kValue) = container.members()[i].value;
    } else {
      *entry.Slot(kKey) = Value::Int(static_cast<int64_t>(i));
      *entry.Slot(kValue) = container.items()[i];
    }
    entries.Append(std::move(entry));
  }
  *value = std::move(entries);
  return true;
}

// The first of the names that is there and neither null nor false; null otherwise.
bool EntryKey(Context& context, const Value& entry, Value* key) {
  static const Value kNames[] = {Value::String("key"), Value::String("Key"), Value::String("name"),
                                 Value::String("Name")};
  *key = Value();
  for (const Value& name : kNames) {
    Value tmp;
    const Value* found = Index(context, entry, name, &tmp);
    if (found == nullptr) return false;
    if (!found->truthy()) continue;
    *key = *found;
    break;
  }
  return true;
}

Value EntryValue(const Value& entry) {
  static const Value kNames[] = {Value::String("value"), Value::String("Value")};
  for (const Value& name : kNames) {
    const Value* found = entry.is_object() ? entry.FindKey(name) : nullptr;
    if (found != nullptr) return *found;
  }
  return Value();
}

bool FromEntries(Context& context, Value* value, Value*) {
  const Value entries = std::move(*value);
  if (!entries.is_array() && !entries.is_object()) return RaiseNotIterable(context, entries);
  Value object = Value::Object();
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!context.Step()) return false;
    const Value& entry = entries.is_array() ? entries.items()[i] : entries.members()[i].value;
    Value key;
    if (!EntryKey(context, entry, &key)) return false;
    if (!key.is_string()) {
      context.Raise(Join({"Cannot use ", TypeName(key), " (", ShortJson(key), ") as object key"}));
      return false;
    }
    *object.Slot(key) = EntryValue(entry);
  }
  *value = std::move(object);
  return true;
}

constexpr NativeEntry kEntries[] = {
    {"keys", 0, Keys},
    {"keys_unsorted", 0, KeysUnsorted},
    {"has", 1, Has},
    {"to_entries", 0, ToEntries},
    {"from_entries", 0, FromEntries},
};

}  // namespace

absl::Span<const NativeEntry> ObjectBuiltins() { return kEntries; }

}  // namespace jaque::expression
