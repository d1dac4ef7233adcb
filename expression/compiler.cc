// SPDX-License-Identifier: Apache-2.0
#include "expression/compiler.h"

#include <algorithm>

#include "expression/json.h"
#include "expression/nodes_basic.h"
#include "expression/nodes_flow.h"
#include "expression/nodes_path.h"
#include "expression/text.h"

namespace jaque::expression {
namespace {

using Kind = Ast::Kind;

// Raises "NAME is not a valid format" when it runs, as jq does.
class InvalidFormatNode final : public Node {
 public:
  explicit InvalidFormatNode(std::string name) : name_(std::move(name)) {}
  const Value* Eval(Context& context, const Value&, Frame*, Value*) const override {
    return context.Raise(Join({name_, " is not a valid format"}));
  }

 private:
  std::string name_;
};

bool IsConstant(const Node* node) { return dynamic_cast<const LiteralNode*>(node) != nullptr; }

}  // namespace

bool Compiler::Compile(const Ast& ast, Code* program) {
  Level level;
  level_ = &level;
  program->body = Build(ast, nullptr);
  program->slots = level.slots;
  RunJobs();
  return error_.empty();
}

void Compiler::RunJobs() {
  while (!jobs_.empty() && error_.empty()) {
    const Job job = jobs_.back();
    jobs_.pop_back();
    Level level;
    level.depth = job.depth;
    level_ = &level;
    job.code->body = job.function != nullptr ? BuildFunctionBody(job) : Build(*job.ast, job.scope);
    job.code->slots = level.slots;
  }
}

const Node* Compiler::Identity() {
  if (identity_ == nullptr) identity_ = Make<IdentityNode>();
  return identity_;
}

const Node* Compiler::Constant(Value value) { return Make<LiteralNode>(std::move(value)); }

Compiler::Scope* Compiler::Push(Scope::Kind kind, std::string_view name, const Scope* outer) {
  Scope& scope = scopes_.emplace_back();
  scope.kind = kind;
  scope.name = name;
  scope.outer = outer;
  scope.depth = level_->depth;
  return &scope;
}

const Compiler::Scope* Compiler::Find(Scope::Kind kind, std::string_view name, size_t arity,
                                      const Scope* scope) const {
  const bool callable = kind == Scope::Kind::kFunction;
  for (; scope != nullptr; scope = scope->outer) {
    const bool matches =
        scope->kind == kind || (callable && (scope->kind == Scope::Kind::kParameter ||
                                             scope->kind == Scope::Kind::kClosure));
    if (matches && scope->name == name && scope->arity == arity) return scope;
  }
  return nullptr;
}

const Node* Compiler::Build(const Ast& ast, const Scope* scope) {
  if (recursion_ >= kMostRecursion || parts_->nodes.size() >= kMostNodes) {
    if (error_.empty()) error_ = "the expression is too large once its functions are expanded";
    return Identity();
  }
  ++recursion_;
  const Node* node = BuildKind(ast, scope);
  --recursion_;
  return node;
}

const Node* Compiler::BuildKind(const Ast& ast, const Scope* scope) {
  switch (ast.kind) {
    case Kind::kIdentity:
      return Identity();
    case Kind::kRecurse:
      return BuildSpecial(Special::kRecurse, ast, scope);
    case Kind::kIndex:
      return BuildIndex(ast, scope);
    case Kind::kSlice:
      return BuildSlice(ast, scope);
    case Kind::kIterate: {
      const Node* target = Build(*ast.kids[0], scope);
      return Make<EachNode>(target, target == identity_);
    }
    case Kind::kLiteral:
      return Constant(ast.value);
    case Kind::kString:
      return BuildString(ast, scope);
    case Kind::kFormat:
      return BuildFormat(ast.name, ast.kids.empty() ? Identity() : Build(*ast.kids[0], scope));
    case Kind::kArray:
      if (ast.kids.empty()) return Constant(Value::Array());
      return Make<CollectNode>(Build(*ast.kids[0], scope));
    case Kind::kObject:
      return BuildObject(ast, scope);
    case Kind::kPipe:
    case Kind::kComma:
      return BuildAll(ast.kind, ast, scope);
    case Kind::kNegate:
    case Kind::kBinary:
    case Kind::kAnd:
    case Kind::kOr:
    case Kind::kAlternative:
      return BuildOperator(ast, scope);
    case Kind::kAssign:
    case Kind::kUpdate:
    case Kind::kOperatorUpdate:
      return BuildUpdate(ast, scope);
    case Kind::kIf:
      return BuildIf(ast, scope);
    case Kind::kTry: {
      const Node* body = Build(*ast.kids[0], scope);
      return Make<TryNode>(body, ast.kids[1] == nullptr ? nullptr : Build(*ast.kids[1], scope));
    }
    case Kind::kReduce:
    case Kind::kForeach:
      return BuildLoop(ast, scope);
    case Kind::kAs:
      return BuildAs(ast, scope);
    case Kind::kFunction: {
      Scope* definition = Push(Scope::Kind::kFunction, ast.function->name, scope);
      definition->arity = ast.function->parameters.size();
      definition->function = ast.function.get();
      return Build(*ast.kids[0], definition);
    }
    case Kind::kCall:
      return BuildCall(ast, scope);
    case Kind::kVariable:
      return Variable(ast, scope);
    case Kind::kLabel:
      return BuildLabel(ast, scope);
    case Kind::kBreak: {
      const Scope* label = Find(Scope::Kind::kLabel, ast.name, 0, scope);
      return Make<BreakNode>(Hops(*label), label->slot);
    }
  }
  return Identity();
}

const Node* Compiler::BuildOperator(const Ast& ast, const Scope* scope) {
  if (ast.kind == Kind::kNegate) return Fold(Make<NegateNode>(Build(*ast.kids[0], scope)));
  const Node* left = Build(*ast.kids[0], scope);
  const Node* right = Build(*ast.kids[1], scope);
  if (ast.kind == Kind::kBinary) return Fold(Make<BinaryNode>(ast.op, left, right));
  if (ast.kind == Kind::kAlternative) return Make<AlternativeNode>(left, right);
  return Make<LogicNode>(ast.kind == Kind::kAnd, left, right);
}

// An operator on constants is a constant, unless it fails (then it fails when it runs).
const Node* Compiler::Fold(const OperatorNode* node) {
  for (const Node* child : node->children()) {
    if (!IsConstant(child)) return node;
  }
  Evaluation evaluation;
  evaluation.bounds.memory_bytes = size_t{1} << 16;
  const std::vector<std::string> none;
  Context context(evaluation, none, nullptr);
  Value tmp;
  const Value* value = node->Eval(context, Value(), nullptr, &tmp);
  if (value == nullptr || value->MemoryEstimate(4096) >= 4096) return node;
  return Constant(*value);
}

const Node* Compiler::BuildAll(Kind kind, const Ast& ast, const Scope* scope) {
  std::vector<const Node*> nodes;
  nodes.reserve(ast.kids.size());
  for (const AstPtr& kid : ast.kids) {
    const Node* node = Build(*kid, scope);
    if (kind == Kind::kPipe && node == identity_) continue;
    nodes.push_back(node);
  }
  if (nodes.empty()) return Identity();
  if (nodes.size() == 1) return nodes[0];
  if (kind == Kind::kPipe) return Make<PipeNode>(nodes);
  return Make<CommaNode>(nodes);
}

const Node* Compiler::BuildIndex(const Ast& ast, const Scope* scope) {
  // Collect the run of constant keys, innermost last.
  std::vector<Value> keys;
  const Ast* at = &ast;
  while (at->kind == Kind::kIndex && at->kids.size() == 2 && at->kids[1]->kind == Kind::kLiteral &&
         (at->kids[1]->value.is_string() || at->kids[1]->value.is_number())) {
    keys.push_back(at->kids[1]->value);
    at = at->kids[0].get();
  }
  if (!keys.empty()) {
    std::reverse(keys.begin(), keys.end());
    const Node* target = Build(*at, scope);
    return Make<FieldNode>(target, target == identity_, std::move(keys));
  }
  const Node* index = Build(*ast.kids[1], scope);
  return Make<IndexNode>(Build(*ast.kids[0], scope), index);
}

// A slice is an index by an object, which is also how it stands in a path.
const Node* Compiler::BuildSlice(const Ast& ast, const Scope* scope) {
  std::vector<const Node*> members = {Constant(Value::String("start")), nullptr,
                                      Constant(Value::String("end")), nullptr};
  for (size_t i = 1; i <= 2; ++i) {
    const AstPtr& bound = ast.kids[i];
    members[2 * i - 1] = bound == nullptr ? Constant(Value()) : Build(*bound, scope);
  }
  const Node* key = Fold(Make<ObjectNode>(members, std::vector<bool>(2, false)));
  const Node* target = Build(*ast.kids[0], scope);
  if (const auto* constant = dynamic_cast<const LiteralNode*>(key)) {
    return Make<FieldNode>(target, target == identity_, std::vector<Value>{constant->value()});
  }
  return Make<IndexNode>(target, key);
}

const Node* Compiler::BuildString(const Ast& ast, const Scope* scope) {
  std::vector<std::string> texts = {""};
  std::vector<const Node*> parts;
  for (const AstPtr& kid : ast.kids) {
    if (kid->kind == Kind::kLiteral) {
      texts.back().append(kid->value.str());
    } else {
      parts.push_back(Build(*kid->kids[0], scope));
      texts.emplace_back();
    }
  }
  if (parts.empty()) return Constant(Value::String(texts[0]));
  const std::optional<Format> format = FindFormat(ast.name.empty() ? "text" : ast.name);
  if (!format.has_value()) return Make<InvalidFormatNode>(ast.name);
  return Fold(Make<StringNode>(std::move(texts), parts, *format));
}

const Node* Compiler::BuildFormat(const std::string& name, const Node* operand) {
  if (name.empty()) return operand;
  const std::optional<Format> format = FindFormat(name);
  if (!format.has_value()) return Make<InvalidFormatNode>(name);
  return Make<FormatNode>(*format, operand);
}

const Node* Compiler::BuildObject(const Ast& ast, const Scope* scope) {
  std::vector<const Node*> nodes;
  std::vector<bool> fields;
  for (size_t i = 0; i < ast.kids.size(); i += 2) {
    nodes.push_back(Build(*ast.kids[i], scope));
    const Ast& value = *ast.kids[i + 1];
    fields.push_back(value.kind == Kind::kIndex && value.kids.size() == 1);
    nodes.push_back(fields.back() ? Constant(Value()) : Build(value, scope));
  }
  const auto* node = Make<ObjectNode>(nodes, fields);
  const bool reads_dot = std::find(fields.begin(), fields.end(), true) != fields.end();
  return reads_dot ? node : Fold(node);
}

// Built from the last branch on: a long chain of elif does not recurse.
const Node* Compiler::BuildIf(const Ast& ast, const Scope* scope) {
  const AstPtr& otherwise = ast.kids.back();
  const Node* node = otherwise == nullptr ? Identity() : Build(*otherwise, scope);
  for (size_t i = ast.kids.size() - 1; i > 0; i -= 2) {
    const Node* condition = Build(*ast.kids[i - 2], scope);
    node = Make<IfNode>(condition, Build(*ast.kids[i - 1], scope), node);
  }
  return node;
}

const Node* Compiler::Variable(const Ast& ast, const Scope* scope) {
  if (const Scope* bound = Find(Scope::Kind::kVariable, ast.name, 0, scope)) {
    if (bound->constant != nullptr) return bound->constant;
    return Make<VariableNode>(Hops(*bound), bound->slot);
  }
  const auto found = std::find(free_variables_.begin(), free_variables_.end(), ast.name);
  if (found == free_variables_.end()) return Constant(Value::Object());  // $ENV
  return Make<GlobalNode>(static_cast<uint32_t>(found - free_variables_.begin()));
}

}  // namespace jaque::expression
