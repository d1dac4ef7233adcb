// SPDX-License-Identifier: Apache-2.0
#include "expression/ast.h"

#include "expression/context.h"
#include "expression/operators.h"

namespace jaque::expression {

using Kind = Ast::Kind;

namespace {

// Appends constants that commas connect.
bool AppendItems(const Ast& ast, Value* array) {
  if (ast.kind == Kind::kComma) {
    for (const AstPtr& kid : ast.kids) {
      if (!AppendItems(*kid, array)) return false;
    }
    return true;
  }
  std::optional<Value> item = ConstantOf(ast);
  if (item.has_value()) array->Append(*std::move(item));
  return item.has_value();
}

// An operator on constants; none where it would fail or take long.
std::optional<Value> Folded(Op op, Value left, const Value& right) {
  Evaluation evaluation;
  evaluation.bounds.steps = 10'000;
  evaluation.bounds.memory_bytes = 64 << 10;
  const std::vector<std::string> no_variables;
  Context context(evaluation, no_variables, nullptr);
  if (op >= Op::kEqual) {
    bool result = false;
    if (!Compares(context, op, left, right, &result)) return std::nullopt;
    return Value::Bool(result);
  }
  if (!Apply(context, op, &left, right)) return std::nullopt;
  return left;
}

}  // namespace

std::optional<Value> ConstantOf(const Ast& ast) {
  if (ast.kind == Kind::kLiteral) return ast.value;
  if (ast.kind == Kind::kArray) {
    Value array = Value::Array();
    if (!ast.kids.empty() && !AppendItems(*ast.kids[0], &array)) return std::nullopt;
    return array;
  }
  if (ast.kind == Kind::kObject) {
    Value object = Value::Object();
    for (size_t i = 0; i + 1 < ast.kids.size(); i += 2) {
      if (ast.kids[i + 1] == nullptr) return std::nullopt;
      const std::optional<Value> key = ConstantOf(*ast.kids[i]);
      std::optional<Value> value = ConstantOf(*ast.kids[i + 1]);
      if (!key.has_value() || !key->is_string() || !value.has_value()) return std::nullopt;
      *object.Slot(*key) = *std::move(value);
    }
    return object;
  }
  if (ast.kind == Kind::kBinary) {
    std::optional<Value> left = ConstantOf(*ast.kids[0]);
    if (!left.has_value()) return std::nullopt;
    const std::optional<Value> right = ConstantOf(*ast.kids[1]);
    if (!right.has_value()) return std::nullopt;
    return Folded(ast.op, *std::move(left), *right);
  }
  if (ast.kind == Kind::kPipe) {  // where all but one part are `.`
    const Ast* part = nullptr;
    for (const AstPtr& kid : ast.kids) {
      if (kid->kind == Kind::kIdentity) continue;
      if (part != nullptr) return std::nullopt;
      part = kid.get();
    }
    return part == nullptr ? std::nullopt : ConstantOf(*part);
  }
  return std::nullopt;
}

}  // namespace jaque::expression
