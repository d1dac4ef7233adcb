// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expression/builtins.h"
#include "expression/text.h"

namespace jaque::expression {

const std::vector<Value>& BuiltinNames() {
  static const auto* names = [] {
    auto* list = new std::vector<Value>;
    for (const auto& [name, arity] : BuiltinKeys()) {
      if (name.starts_with("_")) continue;
      list->push_back(Value::String(Join({name, "/", std::to_string(arity)})));
    }
    std::sort(list->begin(), list->end(),
              [](const Value& a, const Value& b) { return a.str() < b.str(); });
    return list;
  }();
  return *names;
}

}  // namespace jaque::expression
