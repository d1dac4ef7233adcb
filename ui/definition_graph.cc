// SPDX-License-Identifier: Apache-2.0
#include "ui/definition_graph.h"

#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_split.h"
#include "dsl/findings.h"
#include "dsl/read.h"
#include "expression/json.h"
#include "fmt/format.h"
#include "ui/definition_json.h"
#include "ui/json_writer.h"

namespace jaque::ui {
namespace {

constexpr char kStart[] = "start";
constexpr char kEnd[] = "end";

// The lists of tasks inside a task, each with the slot that the API names.
struct Inside {
  std::string_view slot;
  const dsl::TaskList* tasks;
};

std::vector<Inside> ListsOf(const dsl::Task& task) {
  if (const auto* spec = std::get_if<dsl::DoTask>(&task.spec)) return {{"do", &spec->tasks}};
  if (const auto* spec = std::get_if<dsl::ForTask>(&task.spec)) return {{"do", &spec->tasks}};
  if (const auto* spec = std::get_if<dsl::ForkTask>(&task.spec)) {
    return {{"branches", &spec->branches}};
  }
  if (const auto* spec = std::get_if<dsl::TryTask>(&task.spec)) {
    return {{"try", &spec->tasks}, {"catch", &spec->catch_tasks}};
  }
  if (const auto* spec = std::get_if<dsl::ListenTask>(&task.spec); spec && spec->foreach) {
    return {{"foreach", &spec->foreach->tasks}};
  }
  return {};
}

// Where pointers stand in the source.
class Places {
 public:
  explicit Places(const std::string& source) {
    dsl::Findings findings;
    root_ = dsl::ReadDocument(dsl::SkipByteOrderMark(source), &findings);
  }
  dsl::Place Of(const std::string& pointer) const {
    const dsl::Node* node = root_.get();
    for (absl::string_view token :
         absl::StrSplit(absl::string_view(pointer).substr(pointer.empty() ? 0 : 1), '/')) {
      if (node == nullptr) return {};
      std::string key(token);
      for (const auto& [escape, plain] : {std::pair("~1", '/'), std::pair("~0", '~')}) {
        for (size_t at = 0; (at = key.find(escape, at)) != std::string::npos; ++at) {
          key.replace(at, 2, 1, plain);
        }
      }
      if (node->is_array()) {
        const size_t index = std::strtoul(key.c_str(), nullptr, 10);
        node = index < node->children.size() ? &node->children[index] : nullptr;
      } else {
        node = node->Find(key);
      }
    }
    if (node == nullptr) return {};
    return node->key_place.line != 0 ? node->key_place : node->place;
  }

 private:
  std::unique_ptr<const dsl::Node> root_;
};

class Graph {
 public:
  explicit Graph(const dsl::Workflow& workflow) : workflow_(workflow), places_(workflow.source) {}

  std::string Take() {
    AddEnd(kStart);
    Edge(kStart, workflow_.tasks.empty() ? kEnd : workflow_.tasks[0]->pointer, "next");
    AddList(workflow_.tasks, nullptr, "do");
    AddEnd(kEnd);
    JsonWriter out;
    out.Member("definition", DefinitionIdentity(workflow_))
        .Raw("nodes", nodes_ + "]")
        .Raw("edges", edges_ + "]");
    return out.Take();
  }

 private:
  void Append(std::string* list, const std::string& json) {
    if (list->size() > 1) *list += ',';
    *list += json;
  }
  void AddEnd(const char* id) {
    JsonWriter node;
    node.Text("id", id).Text("kind", id).Text("name", id).Raw("children", "[]");
    Append(&nodes_, node.Take());
  }
  void Edge(std::string_view from, std::string_view to, std::string_view kind,
            std::string_view label = "") {
    JsonWriter edge;
    edge.Text("from", from).Text("to", to).Text("kind", kind).Text("label", label);
    Append(&edges_, edge.Take());
  }

  // Lists are of bounded depth (limits::kDefinitionDepth).
  void AddList(const dsl::TaskList& list, const dsl::Task* parent, std::string_view slot) {
    for (const auto& task : list) {
      AddNode(*task, parent, slot);
      AddExits(*task, list, parent, slot);
      for (const Inside& inside : ListsOf(*task)) {
        AddEntries(*task, inside);
        AddList(*inside.tasks, task.get(), inside.slot);
      }
    }
  }

  void AddNode(const dsl::Task& task, const dsl::Task* parent, std::string_view slot) {
    Value children = Value::Array();
    for (const Inside& inside : ListsOf(task)) {
      for (const auto& child : *inside.tasks) children.Append(Value::String(child->pointer));
    }
    JsonWriter node;
    node.Text("id", task.pointer)
        .Text("kind", task.kind_name())
        .Member("name", Value::String(task.name))
        .Text("summary", TaskSummary(task));
    if (parent != nullptr) node.Text("parent", parent->pointer).Text("slot", slot);
    const dsl::Place place = places_.Of(task.pointer);
    node.Member("children", children).Count("line", place.line).Count("column", place.column);
    if (const Value* condition = task.definition.FindPath({"if"});
        condition && condition->is_string()) {
      node.Text("condition", condition->AsString());
    }
    if (const Value* timeout = task.definition.FindPath({"timeout"})) {
      const Value* after = timeout->is_object() ? timeout->FindPath({"after"}) : timeout;
      const Value& shown = after != nullptr ? *after : *timeout;
      node.Text("timeout", shown.is_string() ? shown.AsString() : ToJson(shown));
    }
    if (const auto* work = std::get_if<dsl::WorkerTask>(&task.spec)) node.Text("pool", work->pool);
    if (const auto* run = std::get_if<dsl::RunWorkflowTask>(&task.spec)) {
      node.Text("childDefinition",
                fmt::format("{}/{}:{}", run->namespace_, run->name, run->version));
    }
    Append(&nodes_, node.Take());
  }

  void AddEntries(const dsl::Task& task, const Inside& inside) {
    if (inside.tasks->empty()) return;
    if (inside.slot == "branches") {
      for (const auto& branch : *inside.tasks) {
        Edge(task.pointer, branch->pointer, "branch", branch->name);
      }
      return;
    }
    std::string label;
    if (inside.slot == "catch") {
      label = std::get<dsl::TryTask>(task.spec).filter.type.value_or("");
    }
    Edge(task.pointer, (*inside.tasks)[0]->pointer, inside.slot == "catch" ? "catch" : "enter",
         label);
  }

  void AddExits(const dsl::Task& task, const dsl::TaskList& list, const dsl::Task* parent,
                std::string_view slot) {
    if (slot == "branches") return;  // what comes then is its fork's to say
    if (const auto* choice = std::get_if<dsl::SwitchTask>(&task.spec)) {
      bool otherwise = false;
      for (const dsl::SwitchTask::Case& one : choice->cases) {
        Follow(task, one.then, list, parent, "case", one.name);
        otherwise = otherwise || !one.when.has_value();
      }
      if (otherwise) return;
    }
    Follow(task, task.then, list, parent, "next", "");
    if (const auto* attempt = std::get_if<dsl::TryTask>(&task.spec); attempt && attempt->then) {
      Follow(task, *attempt->then, list, parent, "then", "caught");
    }
  }

  void Follow(const dsl::Task& task, const dsl::Flow& flow, const dsl::TaskList& list,
              const dsl::Task* parent, std::string_view kind, std::string_view label) {
    switch (flow.kind) {
      case dsl::Flow::Kind::kEnd:
        return Edge(task.pointer, kEnd, kind == "next" ? "then" : kind, label);
      case dsl::Flow::Kind::kTask:
        return Edge(task.pointer, list[flow.position]->pointer, kind == "next" ? "then" : kind,
                    label);
      case dsl::Flow::Kind::kExit:
        return Edge(task.pointer, parent == nullptr ? kEnd : parent->pointer,
                    kind == "next" ? "then" : kind, label.empty() ? "exit" : label);
      case dsl::Flow::Kind::kContinue: {
        const size_t next = static_cast<size_t>(task.position) + 1;
        if (next < list.size()) return Edge(task.pointer, list[next]->pointer, kind, label);
        // The end of an inner list: what follows is the outer task's to say.
        if (parent == nullptr) return Edge(task.pointer, kEnd, kind, label);
        if (kind == "case") Edge(task.pointer, parent->pointer, kind, label);
      }
    }
  }

  const dsl::Workflow& workflow_;
  const Places places_;
  std::string nodes_ = "[", edges_ = "[";
};

}  // namespace

std::string GraphJson(const dsl::Workflow& workflow) { return Graph(workflow).Take(); }

}  // namespace jaque::ui
