// SPDX-License-Identifier: Apache-2.0
#include "dsl/scope.h"

#include <algorithm>
#include <utility>

namespace jaque::dsl {
namespace {

void Add(const Variables& more, Variables* all) {
  for (const std::string& name : more) {
    if (std::find(all->begin(), all->end(), name) == all->end()) all->push_back(name);
  }
}

Variables Join(const Variables& own, std::initializer_list<const char*> names) {
  Variables all(names.begin(), names.end());
  Add(own, &all);
  return all;
}

}  // namespace

const Variables& WorkflowInputVariables() {
  static const auto& variables = *new Variables{"workflow", "runtime"};
  return variables;
}

const Variables& WorkflowOutputVariables() {
  static const auto& variables = *new Variables{"context", "workflow", "runtime"};
  return variables;
}

Scope::Scope(Variables own)
    : own_(std::move(own)),
      input_(Join(own_, {"context", "task", "workflow", "runtime"})),
      definition_(Join(own_, {"context", "input", "task", "workflow", "runtime"})),
      exported_(Join(own_, {"context", "input", "output", "task", "workflow", "runtime"})),
      arguments_(Join(definition_, {"secrets", "authorization"})) {}

Scope Scope::With(const Variables& names) const {
  Variables own = own_;
  Add(names, &own);
  return Scope(std::move(own));
}

}  // namespace jaque::dsl
