// SPDX-License-Identifier: Apache-2.0
// Syntax tree to nodes. Functions that do not call themselves are expanded where they are called,
// their arguments in place of their parameters, so that most programs become one tree without
// calls; the others become Code with frames. One thread. The tree was checked (checker.h): every
// name resolves.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/status_macros.h"
#include "expression/ast.h"
#include "expression/builtins.h"
#include "expression/node.h"
#include "expression/nodes_call.h"
#include "expression/nodes_update.h"

namespace jaque::expression {

// What a compiled program is made of; nodes point to each other.
struct Parts {
  std::vector<std::unique_ptr<const Node>> nodes;
  std::deque<Code> codes;
  PreparedPatterns patterns;
};

class Compiler {
 public:
  Compiler(Parts* parts, const std::vector<std::string>& free_variables)
      : parts_(parts), free_variables_(free_variables) {}

  // False: too large (message in error()).
  bool Compile(const Ast& ast, Code* program);
  const std::string& error() const { return error_; }

 private:
  // A function body under construction: its slots.
  struct Level {
    uint32_t depth = 0;
    uint32_t slots = 0;
  };

  // One name; scopes are linked from the inside out and live as long as the compiler.
  struct Scope {
    enum class Kind : uint8_t { kVariable, kLabel, kFunction, kParameter, kClosure };
    Kind kind = Kind::kVariable;
    std::string_view name;
    size_t arity = 0;
    const Scope* outer = nullptr;
    uint32_t depth = 0;              // of the level that has the slot, closure or definition
    uint32_t slot = 0;               // or index of the closure
    const Node* constant = nullptr;  // of a variable: its value, where that is known
    const FunctionAst* function = nullptr;
    // A parameter of an expanded function: the argument and where it was written.
    const Ast* argument = nullptr;
    const Scope* argument_scope = nullptr;
  };

  // A body that is compiled later, so that the compiler's recursion stays low.
  struct Job {
    const FunctionAst* function = nullptr;  // or
    const Ast* ast = nullptr;
    const Scope* scope = nullptr;
    uint32_t depth = 0;
    Code* code = nullptr;
  };

  static constexpr uint32_t kMostRecursion = limits::kExpressionHeight + 120;
  static constexpr uint32_t kExpandingRecursion = 100;  // deeper, functions are called
  static constexpr int kMostExpansions = 24;            // functions expanded inside each other
  static constexpr size_t kMostNodes = 50'000;
  static constexpr size_t kExpandedNodes = 5'000;  // then functions are called

  template <typename T, typename... Args>
  const T* Make(Args&&... args) {
    auto node = std::make_unique<T>(std::forward<Args>(args)...);
    const T* raw = node.get();
    parts_->nodes.push_back(std::move(node));
    return raw;
  }

  // compiler.cc
  const Node* Build(const Ast& ast, const Scope* scope);
  const Node* BuildKind(const Ast& ast, const Scope* scope);
  const Node* BuildOperator(const Ast& ast, const Scope* scope);
  const Node* BuildIndex(const Ast& ast, const Scope* scope);
  const Node* BuildSlice(const Ast& ast, const Scope* scope);
  const Node* BuildString(const Ast& ast, const Scope* scope);
  const Node* BuildFormat(const std::string& name, const Node* operand);
  const Node* BuildObject(const Ast& ast, const Scope* scope);
  const Node* BuildIf(const Ast& ast, const Scope* scope);
  const Node* BuildAll(Ast::Kind kind, const Ast& ast, const Scope* scope);
  const Node* Fold(const OperatorNode* node);
  const Node* Identity();
  const Node* Constant(Value value);
  const Node* Variable(const Ast& ast, const Scope* scope);
  void RunJobs();

  // compiler_bind.cc
  const Node* BuildAs(const Ast& ast, const Scope* scope);
  const Node* BuildLoop(const Ast& ast, const Scope* scope);
  const Node* BuildLabel(const Ast& ast, const Scope* scope);
  const Node* BuildUpdate(const Ast& ast, const Scope* scope);
  const Node* Update(const Ast& path, const Node* update, const Scope* scope);
  std::optional<std::vector<PathStep>> KnownSteps(const Ast& path, const Scope* scope);
  // `slot` holds a value; binds what `patterns` say and then runs what `body` builds.
  using Body = absl::FunctionRef<const Node*(const Scope*)>;
  const Node* Destructure(const std::vector<Pattern>& patterns, uint32_t slot, const Scope* scope,
                          Body body);
  struct Binding;
  void Flatten(const Pattern& pattern, uint32_t slot, const Scope* outside, const Scope** scope,
               std::vector<Binding>* bindings, bool declared);
  void Declare(const Pattern& pattern, const Scope** scope, std::vector<uint32_t>* slots);

  // compiler_call.cc
  const Node* BuildCall(const Ast& ast, const Scope* scope);
  const Node* BuildSpecial(Special special, const Ast& ast, const Scope* scope);
  const Node* BuildRange(const Ast& ast, const Scope* scope);
  const Node* BuildLimit(Special special, const Ast& ast, const Scope* scope);
  const Node* BuildBy(Special special, const Ast& ast, const Scope* scope);
  const Node* BuildPath(const Ast& body, const Scope* scope);
  const Node* BuildNative(NativeFunction function, const Ast& ast, const Scope* scope);
  void PreparePattern(const std::vector<const Node*>& arguments);
  const Node* CallPrelude(std::string_view name, const Ast& ast, const Scope* scope);
  const Node* Expand(const FunctionAst& function, const Ast& call, const Scope* definition,
                     const Scope* scope);
  const Node* CallFunction(const FunctionAst& function, const Ast& call, const Scope* definition,
                           const Scope* scope);
  const Node* BuildFunctionBody(const Job& job);
  Argument BuildArgument(const FunctionAst& function, size_t index, const Ast& argument,
                         const Scope* scope);
  // `source as $slot | body` for each operand that is no scalar; the operands to use instead.
  const Node* WithScalars(const std::vector<const Node*>& operands,
                          absl::FunctionRef<const Node*(const std::vector<const Node*>&)> body);
  bool CallsItself(const FunctionAst& function);

  Scope* Push(Scope::Kind kind, std::string_view name, const Scope* outer);
  const Scope* Find(Scope::Kind kind, std::string_view name, size_t arity,
                    const Scope* scope) const;
  uint32_t NewSlot() { return level_->slots++; }
  uint32_t Hops(const Scope& scope) const { return level_->depth - scope.depth; }

  Parts* parts_;
  const std::vector<std::string>& free_variables_;
  std::deque<Scope> scopes_;
  Level* level_ = nullptr;
  std::vector<Job> jobs_;
  std::map<std::pair<const FunctionAst*, const Scope*>, Code*> codes_;
  std::map<const FunctionAst*, bool> recursive_;
  std::map<const FunctionAst*, const Scope*> prelude_scopes_;
  const Node* identity_ = nullptr;
  uint32_t recursion_ = 0;
  int expansions_ = 0;
  std::string error_;
};

}  // namespace jaque::expression
