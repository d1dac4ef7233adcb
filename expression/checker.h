// SPDX-License-Identifier: Apache-2.0
// Resolves every name of a program before it is compiled: finds all that are not defined, and the
// free variables. One thread; recursion is bounded by the parser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expression/ast.h"
#include "expression/program.h"

namespace jaque::expression {

class Checker {
 public:
  Checker(std::string_view source, const std::vector<std::string>* known_variables)
      : source_(source), known_(known_variables) {}

  void Check(const Ast& ast);
  const std::vector<CompileError>& errors() const { return errors_; }
  const std::vector<std::string>& free_variables() const { return free_; }

 private:
  enum class Kind : uint8_t { kVariable, kLabel, kFunction };
  struct Name {
    Kind kind;
    std::string_view name;
    size_t arity;
  };

  bool Finds(Kind kind, std::string_view name, size_t arity) const;
  void Fail(uint32_t offset, std::string message);
  void CheckVariable(const Ast& ast);
  void CheckCall(const Ast& ast);
  void CheckFunction(const Ast& ast);
  void CheckBinding(const Ast& ast, size_t first_inside);
  void CheckKeys(const Pattern& pattern);
  void Bind(const Pattern& pattern);

  std::string_view source_;
  const std::vector<std::string>* known_;
  std::vector<Name> scope_;
  std::vector<CompileError> errors_;
  std::vector<std::string> free_;
};

}  // namespace jaque::expression
