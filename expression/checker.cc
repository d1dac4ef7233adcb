// SPDX-License-Identifier: Apache-2.0
#include "expression/checker.h"

#include <algorithm>

#include "expression/builtins.h"
#include "expression/parser.h"
#include "expression/text.h"

namespace jaque::expression {
namespace {

constexpr size_t kMostErrors = 20;

}  // namespace

bool Checker::Finds(Kind kind, std::string_view name, size_t arity) const {
  return std::any_of(scope_.rbegin(), scope_.rend(), [&](const Name& known) {
    return known.kind == kind && known.name == name && known.arity == arity;
  });
}

void Checker::Fail(uint32_t offset, std::string message) {
  if (errors_.size() >= kMostErrors) return;
  errors_.push_back({PlaceOf(source_, offset), std::move(message)});
}

void Checker::Check(const Ast& ast) {
  switch (ast.kind) {
    case Ast::Kind::kVariable:
      return CheckVariable(ast);
    case Ast::Kind::kCall:
      return CheckCall(ast);
    case Ast::Kind::kFunction:
      return CheckFunction(ast);
    case Ast::Kind::kAs:
    case Ast::Kind::kReduce:
      return CheckBinding(ast, ast.kind == Ast::Kind::kAs ? 1 : 2);
    case Ast::Kind::kForeach:
      return CheckBinding(ast, 2);
    case Ast::Kind::kBreak:
      if (!Finds(Kind::kLabel, ast.name, 0)) {
        Fail(ast.offset, Join({"$*label-", ast.name, " is not defined"}));
      }
      return;
    case Ast::Kind::kLabel:
      scope_.push_back({Kind::kLabel, ast.name, 0});
      Check(*ast.kids[0]);
      scope_.pop_back();
      return;
    default:
      for (const AstPtr& kid : ast.kids) {
        if (kid != nullptr) Check(*kid);
      }
  }
}

void Checker::CheckVariable(const Ast& ast) {
  if (Finds(Kind::kVariable, ast.name, 0) || ast.name == "ENV") return;
  if (known_ != nullptr && std::find(known_->begin(), known_->end(), ast.name) == known_->end()) {
    return Fail(ast.offset, Join({"$", ast.name, " is not defined"}));
  }
  if (std::find(free_.begin(), free_.end(), ast.name) == free_.end()) free_.push_back(ast.name);
}

void Checker::CheckCall(const Ast& ast) {
  const size_t arity = ast.kids.size();
  if (!Finds(Kind::kFunction, ast.name, arity)) {
    const std::string_view why = WhyUnavailable(ast.name, arity);
    const std::string full = Join({ast.name, "/", std::to_string(arity)});
    if (!why.empty()) {
      Fail(ast.offset, Join({full, " is not available here: ", why}));
    } else if (ast.name.starts_with("_") ? FindNative(ast.name, arity) == nullptr
                                         : !IsBuiltin(ast.name, arity)) {
      Fail(ast.offset, Join({full, " is not defined"}));
    }
  }
  for (const AstPtr& kid : ast.kids) Check(*kid);
}

void Checker::CheckFunction(const Ast& ast) {
  const FunctionAst& function = *ast.function;
  const size_t outside = scope_.size();
  scope_.push_back({Kind::kFunction, function.name, function.parameters.size()});
  for (const FunctionAst::Parameter& parameter : function.parameters) {
    scope_.push_back({Kind::kFunction, parameter.name, 0});
    if (parameter.variable) scope_.push_back({Kind::kVariable, parameter.name, 0});
  }
  Check(*function.body);
  scope_.resize(outside + 1);
  Check(*ast.kids[0]);
  scope_.resize(outside);
}

// Kids before `first_inside` do not see what the patterns bind.
void Checker::CheckBinding(const Ast& ast, size_t first_inside) {
  const size_t outside = scope_.size();
  for (size_t i = 0; i < first_inside; ++i) Check(*ast.kids[i]);
  // Keys do not see what their pattern binds; but with `?//` they do, whatever binds it.
  if (ast.patterns.size() == 1) CheckKeys(ast.patterns[0]);
  for (const Pattern& pattern : ast.patterns) Bind(pattern);
  if (ast.patterns.size() > 1) {
    for (const Pattern& pattern : ast.patterns) CheckKeys(pattern);
  }
  for (size_t i = first_inside; i < ast.kids.size(); ++i) {
    if (ast.kids[i] != nullptr) Check(*ast.kids[i]);
  }
  scope_.resize(outside);
}

void Checker::CheckKeys(const Pattern& pattern) {
  for (const Pattern::Entry& entry : pattern.entries) {
    if (entry.key != nullptr) Check(*entry.key);
    if (entry.value != nullptr) CheckKeys(*entry.value);
  }
}

void Checker::Bind(const Pattern& pattern) {
  if (pattern.kind == Pattern::Kind::kVariable) {
    scope_.push_back({Kind::kVariable, pattern.name, 0});
  }
  for (const Pattern::Entry& entry : pattern.entries) {
    if (!entry.variable.empty()) scope_.push_back({Kind::kVariable, entry.variable, 0});
    if (entry.value != nullptr) Bind(*entry.value);
  }
}

}  // namespace jaque::expression
