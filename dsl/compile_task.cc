// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "dsl/compile.h"
#include "dsl/text.h"
#include "dsl/text_rules.h"

namespace jaque::dsl {
namespace {

constexpr size_t kSuggestions = 500;  // names compared with a misspelt one

bool IsDirective(std::string_view name) {
  return name == "continue" || name == "exit" || name == "end";
}

// For each name of a task the first list that has it, anywhere below `node`.
void CollectLists(const Node& node, absl::flat_hash_map<std::string, const Node*>* lists) {
  if (node.is_array()) {
    for (const Node& item : node.children) {
      const bool task =
          item.is_object() && item.children.size() == 1 && !TaskKindKey(item.children[0]).empty();
      if (task) lists->emplace(item.children[0].key, &node);
    }
  }
  for (const Node& child : node.children) CollectLists(child, lists);
}

}  // namespace

Compiler::FlowTargets Compiler::TargetsOf(const Node& list, bool branches) {
  FlowTargets targets;
  targets.list = &list;
  targets.branches = branches;
  for (size_t i = 0; i < list.children.size(); ++i) {
    const Node& item = list.children[i];
    if (!item.is_object() || item.children.empty()) continue;
    const Node& task = item.children[0];
    if (IsDirective(task.key)) {
      findings_->AddAtKey(task, Cat("a task cannot be called `", task.key,
                                    "`: as a flow directive the word means something else"));
    }
    const auto [earlier, added] = targets.positions.emplace(task.key, static_cast<int>(i));
    if (added) continue;
    const Place first = list.children[earlier->second].children[0].key_place;
    findings_->AddAtKey(task, Cat("duplicate task name `", task.key, "`; the first one is at ",
                                  first.line, ":", first.column));
  }
  return targets;
}

TaskList Compiler::CompileTasks(const Node* list, const Scope& scope, bool branches) {
  TaskList tasks;
  if (list == nullptr || !list->is_array()) return tasks;
  const FlowTargets targets = TargetsOf(*list, branches);
  for (const Node& item : list->children) {
    if (!item.is_object() || item.children.empty()) continue;
    tasks.push_back(CompileTask(item.children[0], static_cast<int>(tasks.size()), targets, scope));
  }
  return tasks;
}

std::unique_ptr<const Task> Compiler::CompileTask(const Node& node, int position,
                                                  const FlowTargets& targets, const Scope& scope) {
  auto task = std::make_unique<Task>();
  task->name = node.key;
  task->pointer = PointerOf(node);
  task->index = static_cast<uint32_t>(workflow_->by_index.size());
  task->position = position;
  task->definition = node.value;
  workflow_->by_index.push_back(task.get());
  task->condition = CompileExpression(node.Find("if"), &scope.input());
  task->input = CompileDataFlow(node.Find("input"), "from", &scope.input());
  CompileSpec(node, targets, scope, task.get());
  task->output = CompileDataFlow(node.Find("output"), "as", &scope.definition());
  task->export_to = CompileDataFlow(node.Find("export"), "as", &scope.exported());
  task->timeout = CompileTimeout(node.Find("timeout"), &scope.definition());
  task->then = CompileFlow(node.Find("then"), targets);
  return task;
}

void Compiler::CompileSpec(const Node& node, const FlowTargets& targets, const Scope& scope,
                           Task* task) {
  const std::string_view kind = TaskKindKey(node);
  if (kind.empty()) return;
  const Node& spec = *node.Find(kind);
  if (kind == "set") {
    task->spec = CompileSet(spec, scope);
  } else if (kind == "do") {
    task->spec = DoTask{CompileTasks(&spec, scope)};
  } else if (kind == "switch") {
    task->spec = CompileSwitch(spec, targets, scope);
  } else if (kind == "for") {
    task->spec = CompileFor(node, scope);
  } else if (kind == "fork") {
    task->spec = CompileFork(spec, scope);
  } else if (kind == "try") {
    task->spec = CompileTry(node, targets, scope);
  } else if (kind == "raise") {
    task->spec = CompileRaise(spec, &scope.definition());
  } else if (kind == "wait") {
    task->spec = WaitTask{CompileDuration(&spec, &scope.definition()).value_or(Duration())};
  } else if (kind == "emit") {
    task->spec = CompileEmit(spec, &scope.definition());
  } else if (kind == "listen") {
    task->spec = CompileListen(node, scope);
  } else if (kind == "call") {
    CompileCall(node, scope, task);
  } else if (kind == "run") {
    CompileRun(spec, scope, task);
  }
}

Flow Compiler::CompileFlow(const Node* node, const FlowTargets& targets) {
  Flow flow;
  if (node == nullptr || !node->is_string()) return flow;
  const std::string_view name = node->text();
  if (name == "continue") return flow;
  if (name == "exit") {
    flow.kind = Flow::Kind::kExit;
    return flow;
  }
  if (name == "end") {
    flow.kind = Flow::Kind::kEnd;
    return flow;
  }
  const auto found = targets.positions.find(std::string(name));
  if (found == targets.positions.end() || targets.branches) {
    ReportTarget(*node, targets);
    return flow;
  }
  flow.kind = Flow::Kind::kTask;
  flow.position = found->second;
  return flow;
}

void Compiler::ReportTarget(const Node& node, const FlowTargets& targets) {
  if (findings_->full()) return;
  const std::string_view name = node.text();
  const std::string quoted = Cat("`", name.substr(0, 80), "`");
  if (targets.branches) {
    return findings_->AddAt(node, Cat("`then: ", name.substr(0, 80),
                                      "`: branches of a fork run side by side; a branch can only "
                                      "`continue`, `exit` or `end`"));
  }
  if (lists_by_task_.empty()) CollectLists(root_, &lists_by_task_);
  const auto found = lists_by_task_.find(std::string(name));
  const Node* elsewhere = found == lists_by_task_.end() ? nullptr : found->second;
  const std::string scope = targets.list == nullptr
                                ? "a function is in no list"
                                : Cat("its scope is ", PointerOf(*targets.list));
  if (elsewhere == nullptr) {
    std::vector<std::string_view> names = {"continue", "exit", "end"};
    if (targets.list != nullptr) {
      for (const Node& item : targets.list->children) {
        for (const Node& task : item.children) names.push_back(task.key);
        if (names.size() > kSuggestions) break;
      }
    }
    const std::string_view near = Nearest(name, names);
    return findings_->AddAt(
        node, Cat("unknown task ", quoted, ": there is none of this name (", scope, ")",
                  near.empty() ? "" : Cat("; did you mean `", near, "`?")));
  }
  findings_->AddAt(node, Cat("unknown task ", quoted,
                             " in the scope of this task: a flow directive "
                             "can only name a task of its own list (",
                             scope, "), but ", quoted, " is in ", PointerOf(*elsewhere)));
}

}  // namespace jaque::dsl
