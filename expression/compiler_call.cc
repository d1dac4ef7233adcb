// SPDX-License-Identifier: Apache-2.0
// Calls: of built-in functions, of functions expanded in place, of functions with frames.
#include <algorithm>

#include "expression/compiler.h"
#include "expression/nodes_basic.h"
#include "expression/nodes_flow.h"
#include "expression/nodes_loop.h"
#include "expression/nodes_path.h"
#include "expression/operators.h"
#include "expression/path_access.h"
#include "expression/regex.h"

namespace jaque::expression {
namespace {

using Kind = Ast::Kind;

bool DeletePathsOf(Context& context, Value* value, Value* arguments) {
  return DeletePaths(context, value, arguments[0]);
}

// sort_by and its kin for keys with several outputs: `.` is [item, keys] pairs' source.
template <ByNode::What what>
bool ArrangeByKeys(Context& context, Value* value, Value* arguments) {
  if (!value->is_array()) {
    constexpr bool kExtreme = what == ByNode::What::kMin || what == ByNode::What::kMax;
    return RaisePair(
        context, *value, arguments[0],
        kExtreme ? "cannot be iterated over" : "cannot be sorted, as they are not both arrays");
  }
  const std::vector<Value> keys(arguments[0].items().begin(), arguments[0].items().end());
  const Value items = std::move(*value);
  return ArrangeBy(context, what, items, keys, value);
}

// Whether `name/arity` is called anywhere in the tree, however it may be redefined there.
bool Mentions(const Ast& ast, std::string_view name, size_t arity) {
  if (ast.kind == Kind::kCall && ast.name == name && ast.kids.size() == arity) return true;
  if (ast.function != nullptr && Mentions(*ast.function->body, name, arity)) return true;
  const auto in_pattern = [&](const auto& self, const Pattern& pattern) -> bool {
    return std::any_of(pattern.entries.begin(), pattern.entries.end(), [&](const auto& entry) {
      return (entry.key != nullptr && Mentions(*entry.key, name, arity)) ||
             (entry.value != nullptr && self(self, *entry.value));
    });
  };
  for (const Pattern& pattern : ast.patterns) {
    if (in_pattern(in_pattern, pattern)) return true;
  }
  return std::any_of(ast.kids.begin(), ast.kids.end(), [&](const AstPtr& kid) {
    return kid != nullptr && Mentions(*kid, name, arity);
  });
}

// Paths, constants and operators on them: nothing that could need a slot.
bool NeedsNoFrame(const Ast& ast) {
  switch (ast.kind) {
    case Kind::kIdentity:
    case Kind::kIndex:
    case Kind::kSlice:
    case Kind::kIterate:
    case Kind::kLiteral:
    case Kind::kVariable:
    case Kind::kArray:
    case Kind::kNegate:
    case Kind::kPipe:
    case Kind::kComma:
    case Kind::kBinary:
    case Kind::kAnd:
    case Kind::kOr:
    case Kind::kIf:
    case Kind::kObject:
      return std::all_of(ast.kids.begin(), ast.kids.end(),
                         [](const AstPtr& kid) { return kid == nullptr || NeedsNoFrame(*kid); });
    default:
      return false;
  }
}

}  // namespace

bool Compiler::CallsItself(const FunctionAst& function) {
  const auto [entry, fresh] = recursive_.try_emplace(&function, false);
  if (fresh) {
    entry->second = Mentions(*function.body, function.name, function.parameters.size());
  }
  return entry->second;
}

const Node* Compiler::BuildCall(const Ast& ast, const Scope* scope) {
  const size_t arity = ast.kids.size();
  const Scope* found = Find(Scope::Kind::kFunction, ast.name, arity, scope);
  if (found != nullptr) {
    if (found->kind == Scope::Kind::kClosure) return Make<ClosureNode>(Hops(*found), found->slot);
    if (found->kind == Scope::Kind::kParameter) {
      return Build(*found->argument, found->argument_scope);
    }
    return CallFunction(*found->function, ast, found, scope);
  }
  const Special special = FindSpecial(ast.name, arity);
  if (special != Special::kNone) return BuildSpecial(special, ast, scope);
  if (const NativeFunction native = FindNative(ast.name, arity)) {
    return BuildNative(native, ast, scope);
  }
  return CallPrelude(ast.name, ast, scope);
}

const Node* Compiler::BuildNative(NativeFunction function, const Ast& ast, const Scope* scope) {
  std::vector<const Node*> arguments;
  for (const AstPtr& kid : ast.kids) arguments.push_back(Build(*kid, scope));
  if (TakesPattern(function)) PreparePattern(arguments);
  return Make<NativeNode>(function, arguments);
}

// A pattern that is known is compiled now, once. A bad one is an error when it is used.
void Compiler::PreparePattern(const std::vector<const Node*>& arguments) {
  std::string_view texts[2];  // pattern and flags
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto* constant = dynamic_cast<const LiteralNode*>(arguments[i]);
    if (constant == nullptr) return;
    const Value& value = constant->value();
    if (value.is_string()) {
      texts[i] = value.str();
    } else if (i == 0 || !value.is_null()) {
      return;
    }
  }
  auto regex = Regex::Compile(texts[0], texts[1]);
  if (regex.ok()) parts_->patterns.Add(texts[0], texts[1], *std::move(regex));
}

const Node* Compiler::CallPrelude(std::string_view name, const Ast& ast, const Scope* scope) {
  const FunctionAst* function = FindPrelude(name, ast.kids.size());
  JAQUE_CHECK(function != nullptr);
  // Built-in functions see built-in names only.
  const Scope*& definition = prelude_scopes_[function];
  if (definition == nullptr) {
    Scope* made = Push(Scope::Kind::kFunction, function->name, nullptr);
    made->arity = function->parameters.size();
    made->function = function;
    made->depth = 0;
    definition = made;
  }
  return CallFunction(*function, ast, definition, scope);
}

const Node* Compiler::CallFunction(const FunctionAst& function, const Ast& call,
                                   const Scope* definition, const Scope* scope) {
  if (!CallsItself(function) && expansions_ < kMostExpansions && recursion_ < kExpandingRecursion &&
      parts_->nodes.size() < kExpandedNodes) {
    return Expand(function, call, definition, scope);
  }
  Code*& code = codes_[{&function, definition}];
  if (code == nullptr) {
    code = &parts_->codes.emplace_back();
    code->closures = static_cast<uint32_t>(function.parameters.size());
    jobs_.push_back({&function, nullptr, definition, definition->depth + 1, code});
  }
  std::vector<Argument> arguments;
  for (size_t i = 0; i < call.kids.size(); ++i) {
    arguments.push_back(BuildArgument(function, i, *call.kids[i], scope));
  }
  return Make<CallNode>(code, level_->depth - definition->depth, std::move(arguments));
}

// The body in place of the call, the arguments in place of the parameters.
const Node* Compiler::Expand(const FunctionAst& function, const Ast& call, const Scope* definition,
                             const Scope* scope) {
  ++expansions_;
  const Scope* inside = definition;
  std::vector<std::pair<const Node*, uint32_t>> bindings;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const FunctionAst::Parameter& parameter = function.parameters[i];
    Scope* closure = Push(Scope::Kind::kParameter, parameter.name, inside);
    closure->argument = call.kids[i].get();
    closure->argument_scope = scope;
    inside = closure;
    if (!parameter.variable) continue;
    Scope* variable = Push(Scope::Kind::kVariable, parameter.name, inside);
    inside = variable;
    const Node* value = Build(*call.kids[i], scope);
    if (dynamic_cast<const LiteralNode*>(value) != nullptr) {
      variable->constant = value;
    } else {
      variable->slot = NewSlot();
      bindings.emplace_back(value, variable->slot);
    }
  }
  const Node* body = Build(*function.body, inside);
  for (size_t i = bindings.size(); i > 0; --i) {
    body = Make<BindNode>(bindings[i - 1].first, bindings[i - 1].second, body);
  }
  --expansions_;
  return body;
}

// Slots of `$parameters` come first, in their order.
const Node* Compiler::BuildFunctionBody(const Job& job) {
  const FunctionAst& function = *job.function;
  const Scope* inside = job.scope;
  std::vector<std::pair<uint32_t, uint32_t>> variables;  // closure, slot
  for (uint32_t i = 0; i < function.parameters.size(); ++i) {
    const FunctionAst::Parameter& parameter = function.parameters[i];
    Scope* closure = Push(Scope::Kind::kClosure, parameter.name, inside);
    closure->slot = i;
    inside = closure;
    if (!parameter.variable) continue;
    Scope* variable = Push(Scope::Kind::kVariable, parameter.name, inside);
    variable->slot = NewSlot();
    inside = variable;
    variables.emplace_back(i, variable->slot);
  }
  const Node* body = Build(*function.body, inside);
  for (size_t i = variables.size(); i > 0; --i) {
    const auto [closure, slot] = variables[i - 1];
    const Node* bind = Make<BindNode>(Make<ClosureNode>(0, closure), slot, body);
    body = Make<ParameterNode>(closure, bind, body);
  }
  return body;
}

Argument Compiler::BuildArgument(const FunctionAst& function, size_t index, const Ast& argument,
                                 const Scope* scope) {
  Argument result;
  const FunctionAst::Parameter& parameter = function.parameters[index];
  if (argument.kind == Kind::kCall && argument.kids.empty()) {
    const Scope* found = Find(Scope::Kind::kFunction, argument.name, 0, scope);
    // One that is a variable too has no closure where its value was known at the call.
    if (found != nullptr && found->kind == Scope::Kind::kClosure &&
        Find(Scope::Kind::kVariable, argument.name, 0, scope) == nullptr) {
      result.kind = Argument::Kind::kClosure;
      result.hops = Hops(*found);
      result.index = found->slot;
      return result;
    }
  }
  if (parameter.variable && !Mentions(*function.body, parameter.name, 0)) {
    const Node* node = Build(argument, scope);
    if (node->scalar()) {
      result.kind = Argument::Kind::kValue;
      result.node = node;
      for (size_t i = 0; i < index; ++i) result.slot += function.parameters[i].variable ? 1 : 0;
      return result;
    }
  }
  Code* code = &parts_->codes.emplace_back();
  code->own_frame = !NeedsNoFrame(argument);
  jobs_.push_back({nullptr, &argument, scope, level_->depth + (code->own_frame ? 1 : 0), code});
  result.code = code;
  return result;
}

// --- what the compiler knows by name ---

const Node* Compiler::BuildSpecial(Special special, const Ast& ast, const Scope* scope) {
  switch (special) {
    case Special::kConstant:
      return Constant(SpecialConstant(ast.name));
    case Special::kEmpty:
      return Make<EmptyNode>();
    case Special::kPath:
      return BuildPath(*ast.kids[0], scope);
    case Special::kGetPath:
      return Make<GetPathNode>(Build(*ast.kids[0], scope));
    case Special::kSelect: {
      const Node* condition = Build(*ast.kids[0], scope);
      return Make<IfNode>(condition, Identity(), Make<EmptyNode>());
    }
    case Special::kMap: {
      const Node* body = Build(*ast.kids[0], scope);
      const Node* each = Make<EachNode>(Identity(), true);
      if (body == identity_) return Make<CollectNode>(each);
      return Make<CollectNode>(Make<PipeNode>(std::vector<const Node*>{each, body}));
    }
    case Special::kMapValues: {
      const Node* update = Build(*ast.kids[0], scope);
      if (!update->scalar()) {
        return Make<UpdateNode>(Make<EachNode>(Identity(), true), update);
      }
      std::vector<PathStep> steps(1);
      steps[0].kind = PathStep::Kind::kEach;
      return Make<StepUpdateNode>(std::move(steps), update);
    }
    case Special::kRecurse: {
      Ast call;
      return Make<RecurseNode>(CallPrelude("_recurse", call, scope));
    }
    case Special::kRange:
      return BuildRange(ast, scope);
    case Special::kFirst:
      return Make<LimitNode>(Constant(Value::Int(1)), Build(*ast.kids[0], scope), true);
    case Special::kLimit:
    case Special::kSkip:
      return BuildLimit(special, ast, scope);
    case Special::kUntil: {
      const Node* condition = Build(*ast.kids[0], scope);
      const Node* update = Build(*ast.kids[1], scope);
      if (condition->scalar() && update->scalar()) return Make<UntilNode>(condition, update);
      return CallPrelude("_until", ast, scope);
    }
    case Special::kDelete:
      return Make<NativeNode>(
          DeletePathsOf,
          std::vector<const Node*>{Make<CollectNode>(BuildPath(*ast.kids[0], scope))});
    case Special::kSortBy:
    case Special::kGroupBy:
    case Special::kUniqueBy:
    case Special::kMinBy:
    case Special::kMaxBy:
      return BuildBy(special, ast, scope);
    default:
      return Identity();
  }
}

const Node* Compiler::BuildPath(const Ast& body, const Scope* scope) {
  if (body.kind == Kind::kComma) {
    std::vector<const Node*> parts;
    for (const AstPtr& kid : body.kids) parts.push_back(BuildPath(*kid, scope));
    return Make<CommaNode>(parts);
  }
  const Node* node = Build(body, scope);
  std::optional<Value> fixed;
  const auto* field = dynamic_cast<const FieldNode*>(node);
  if (node == identity_) fixed = Value::Array();
  if (field != nullptr && field->on_identity()) fixed = Value::ArrayFrom(field->keys());
  return Make<PathNode>(node, std::move(fixed));
}

const Node* Compiler::WithScalars(
    const std::vector<const Node*>& operands,
    absl::FunctionRef<const Node*(const std::vector<const Node*>&)> body) {
  std::vector<const Node*> scalars;
  std::vector<std::pair<const Node*, uint32_t>> bindings;
  const auto bound = std::find_if(operands.rbegin(), operands.rend(),
                                  [](const Node* operand) { return !operand->scalar(); });
  auto left = operands.rend() - bound;  // up to here they are bound: errors keep their order
  for (const Node* operand : operands) {
    if (left-- <= 0 || dynamic_cast<const LiteralNode*>(operand) != nullptr) {
      scalars.push_back(operand);
      continue;
    }
    const uint32_t slot = NewSlot();
    bindings.emplace_back(operand, slot);
    scalars.push_back(Make<VariableNode>(0, slot));
  }
  const Node* node = body(scalars);
  for (size_t i = bindings.size(); i > 0; --i) {
    node = Make<BindNode>(bindings[i - 1].first, bindings[i - 1].second, node);
  }
  return node;
}

const Node* Compiler::BuildRange(const Ast& ast, const Scope* scope) {
  std::vector<const Node*> bounds;
  if (ast.kids.size() == 1) bounds.push_back(Constant(Value::Int(0)));
  for (const AstPtr& kid : ast.kids) bounds.push_back(Build(*kid, scope));
  if (bounds.size() == 2) bounds.push_back(Constant(Value::Int(1)));
  return WithScalars(bounds, [this](const std::vector<const Node*>& scalars) {
    return Make<RangeNode>(scalars[0], scalars[1], scalars[2]);
  });
}

const Node* Compiler::BuildLimit(Special special, const Ast& ast, const Scope* scope) {
  const Node* body = Build(*ast.kids[1], scope);
  return WithScalars({Build(*ast.kids[0], scope)},
                     [&](const std::vector<const Node*>& scalars) -> const Node* {
                       if (special == Special::kSkip) return Make<SkipNode>(scalars[0], body);
                       return Make<LimitNode>(scalars[0], body, false);
                     });
}

const Node* Compiler::BuildBy(Special special, const Ast& ast, const Scope* scope) {
  using What = ByNode::What;
  struct Kin {
    Special special;
    What what;
    NativeFunction by_keys;
  };
  static constexpr Kin kKin[] = {{Special::kSortBy, What::kSort, ArrangeByKeys<What::kSort>},
                                 {Special::kGroupBy, What::kGroup, ArrangeByKeys<What::kGroup>},
                                 {Special::kUniqueBy, What::kUnique, ArrangeByKeys<What::kUnique>},
                                 {Special::kMinBy, What::kMin, ArrangeByKeys<What::kMin>},
                                 {Special::kMaxBy, What::kMax, ArrangeByKeys<What::kMax>}};
  const Kin& kin = *std::find_if(std::begin(kKin), std::end(kKin),
                                 [&](const Kin& entry) { return entry.special == special; });
  const Node* key = Build(*ast.kids[0], scope);
  if (key->scalar()) return Make<ByNode>(kin.what, key);
  // map([key])
  const Node* each = Make<EachNode>(Identity(), true);
  const Node* keys =
      Make<CollectNode>(Make<PipeNode>(std::vector<const Node*>{each, Make<CollectNode>(key)}));
  return Make<NativeNode>(kin.by_keys, std::vector<const Node*>{keys});
}

}  // namespace jaque::expression
