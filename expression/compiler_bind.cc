// SPDX-License-Identifier: Apache-2.0
// What binds variables and labels, and assignments (which bind their right side).
#include <algorithm>

#include "expression/compiler.h"
#include "expression/nodes_basic.h"
#include "expression/nodes_flow.h"
#include "expression/nodes_loop.h"
#include "expression/nodes_path.h"

namespace jaque::expression {

using Kind = Ast::Kind;

// One step of taking a value apart: `source as $slot`.
struct Compiler::Binding {
  const Node* source;
  uint32_t slot;
};

const Node* Compiler::BuildAs(const Ast& ast, const Scope* scope) {
  const Node* source = Build(*ast.kids[0], scope);
  const Pattern& first = ast.patterns[0];
  if (ast.patterns.size() == 1 && first.kind == Pattern::Kind::kVariable) {
    Scope* variable = Push(Scope::Kind::kVariable, first.name, scope);
    variable->slot = NewSlot();
    return Make<BindNode>(source, variable->slot, Build(*ast.kids[1], variable));
  }
  const uint32_t slot = NewSlot();
  const Node* body = Destructure(ast.patterns, slot, scope,
                                 [&](const Scope* inner) { return Build(*ast.kids[1], inner); });
  return Make<BindNode>(source, slot, body);
}

const Node* Compiler::Destructure(const std::vector<Pattern>& patterns, uint32_t slot,
                                  const Scope* scope, Body body) {
  const auto chain = [this](const std::vector<Binding>& bindings, const Node* last) {
    for (size_t i = bindings.size(); i > 0; --i) {
      last = Make<BindNode>(bindings[i - 1].source, bindings[i - 1].slot, last);
    }
    return last;
  };
  if (patterns.size() == 1) {
    std::vector<Binding> bindings;
    const Scope* inside = scope;
    Flatten(patterns[0], slot, scope, &inside, &bindings, false);
    return chain(bindings, body(inside));
  }
  std::vector<uint32_t> slots;
  for (const Pattern& pattern : patterns) Declare(pattern, &scope, &slots);
  const Node* last = body(scope);
  std::vector<const Node*> ways;
  for (const Pattern& pattern : patterns) {
    std::vector<Binding> bindings;
    const Scope* inside = scope;
    Flatten(pattern, slot, scope, &inside, &bindings, true);
    ways.push_back(chain(bindings, last));
  }
  return Make<AlternativeBindNode>(ways, slots);
}

// Names of all alternatives, each once.
void Compiler::Declare(const Pattern& pattern, const Scope** scope, std::vector<uint32_t>* slots) {
  const auto declare = [&](const std::string& name) {
    const Scope* known = Find(Scope::Kind::kVariable, name, 0, *scope);
    if (known != nullptr && known->constant == nullptr && known->depth == level_->depth &&
        std::find(slots->begin(), slots->end(), known->slot) != slots->end()) {
      return;
    }
    Scope* variable = Push(Scope::Kind::kVariable, name, *scope);
    variable->slot = NewSlot();
    slots->push_back(variable->slot);
    *scope = variable;
  };
  if (pattern.kind == Pattern::Kind::kVariable) declare(pattern.name);
  for (const Pattern::Entry& entry : pattern.entries) {
    if (!entry.variable.empty()) declare(entry.variable);
    if (entry.value != nullptr) Declare(*entry.value, scope, slots);
  }
}

// Appends what takes apart the value in `slot`. Keys see `outside`; `scope` gets the variables.
// `declared`: the variables have their slots already. As in jq, an array's last item comes first.
void Compiler::Flatten(const Pattern& pattern, uint32_t slot, const Scope* outside,
                       const Scope** scope, std::vector<Binding>* bindings, bool declared) {
  const auto variable_slot = [&](const std::string& name) {
    if (declared) return Find(Scope::Kind::kVariable, name, 0, *scope)->slot;
    Scope* variable = Push(Scope::Kind::kVariable, name, *scope);
    variable->slot = NewSlot();
    *scope = variable;
    return variable->slot;
  };
  const Node* whole = Make<VariableNode>(0, slot);
  if (pattern.kind == Pattern::Kind::kVariable) {
    bindings->push_back({whole, variable_slot(pattern.name)});
    return;
  }
  const bool array = pattern.kind == Pattern::Kind::kArray;
  std::vector<std::vector<Binding>> parts(pattern.entries.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const Pattern::Entry& entry = pattern.entries[i];
    const Node* part;
    if (array) {
      const Value position = Value::Int(static_cast<int64_t>(i));
      part = Make<FieldNode>(whole, false, std::vector<Value>{position});
    } else if (entry.key->kind == Kind::kLiteral) {
      part = Make<FieldNode>(whole, false, std::vector<Value>{entry.key->value});
    } else {  // the key's expression sees the value that is taken apart
      const Node* index = Make<IndexNode>(Identity(), Build(*entry.key, outside));
      part = Make<PipeNode>(std::vector<const Node*>{whole, index});
    }
    if (entry.value != nullptr && entry.value->kind == Pattern::Kind::kVariable &&
        entry.variable.empty()) {
      parts[i].push_back({part, variable_slot(entry.value->name)});
      continue;
    }
    const uint32_t part_slot = entry.variable.empty() ? NewSlot() : variable_slot(entry.variable);
    parts[i].push_back({part, part_slot});
    if (entry.value != nullptr) {
      Flatten(*entry.value, part_slot, outside, scope, &parts[i], declared);
    }
  }
  if (array) std::reverse(parts.begin(), parts.end());
  for (const auto& part : parts) bindings->insert(bindings->end(), part.begin(), part.end());
}

const Node* Compiler::BuildLoop(const Ast& ast, const Scope* scope) {
  const Node* source = Build(*ast.kids[0], scope);
  const Node* start = Build(*ast.kids[1], scope);
  const Scope* inside = scope;
  uint32_t slot;
  const Node* update;
  const Pattern& first = ast.patterns[0];
  if (ast.patterns.size() == 1 && first.kind == Pattern::Kind::kVariable) {
    Scope* variable = Push(Scope::Kind::kVariable, first.name, scope);
    slot = variable->slot = NewSlot();
    inside = variable;
    update = Build(*ast.kids[2], inside);
  } else {
    slot = NewSlot();
    update = Destructure(ast.patterns, slot, scope, [&](const Scope* inner) {
      inside = inner;
      return Build(*ast.kids[2], inner);
    });
  }
  if (ast.kind == Kind::kReduce) return Make<ReduceNode>(source, slot, start, update);
  const AstPtr& extract = ast.kids[3];
  return Make<ForeachNode>(source, slot, start, update,
                           extract == nullptr ? nullptr : Build(*extract, inside));
}

const Node* Compiler::BuildLabel(const Ast& ast, const Scope* scope) {
  Scope* label = Push(Scope::Kind::kLabel, ast.name, scope);
  label->slot = NewSlot();
  return Make<LabelNode>(label->slot, Build(*ast.kids[0], label));
}

// `a = b` and `a op= b` evaluate b first, on the whole input, and go on for each of its outputs.
const Node* Compiler::BuildUpdate(const Ast& ast, const Scope* scope) {
  const Ast& path = *ast.kids[0];
  const Node* right = Build(*ast.kids[1], scope);
  if (ast.kind == Kind::kUpdate) return Update(path, right, scope);
  const Node* value = right;
  uint32_t slot = 0;
  const bool constant = dynamic_cast<const LiteralNode*>(right) != nullptr;
  if (!constant) {
    slot = NewSlot();
    value = Make<VariableNode>(0, slot);
  }
  const Node* update = value;
  if (ast.kind == Kind::kOperatorUpdate) {
    if (ast.op == Op::kAlternative) {
      update = Make<AlternativeNode>(Identity(), value);
    } else {
      update = Make<BinaryNode>(ast.op, Identity(), value);
    }
  }
  const Node* node = Update(path, update, scope);
  return constant ? node : Make<BindNode>(right, slot, node);
}

const Node* Compiler::Update(const Ast& path, const Node* update, const Scope* scope) {
  if (update->scalar()) {
    if (auto steps = KnownSteps(path, scope)) {
      return Make<StepUpdateNode>(*std::move(steps), update);
    }
  }
  return Make<UpdateNode>(Build(path, scope), update);
}

std::optional<std::vector<PathStep>> Compiler::KnownSteps(const Ast& path, const Scope* scope) {
  std::vector<PathStep> steps;
  const Ast* at = &path;
  for (; at->kind != Kind::kIdentity; at = at->kids[0].get()) {
    if (steps.size() >= StepUpdateNode::kMostSteps) return std::nullopt;
    PathStep& step = steps.emplace_back();
    if (at->kind == Kind::kIterate) {
      step.kind = PathStep::Kind::kEach;
    } else if (at->kind == Kind::kIndex && at->kids.size() == 2) {
      const Ast& index = *at->kids[1];
      if (index.kind == Kind::kLiteral) {
        if (!index.value.is_string() && !index.value.is_number()) return std::nullopt;
        step.key = index.value;
      } else {
        step.index = Build(index, scope);
        step.kind = PathStep::Kind::kIndex;
        if (!step.index->scalar()) return std::nullopt;
      }
    } else {
      return std::nullopt;
    }
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace jaque::expression
