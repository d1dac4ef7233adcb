// SPDX-License-Identifier: Apache-2.0
#include "dsl/compile.h"

#include <utility>

#include "base/limits.h"
#include "dsl/cron.h"
#include "dsl/text.h"
#include "dsl/text_rules.h"

namespace jaque::dsl {
namespace {

bool IsLoose(const Node& root) {
  const Node* mode = root.Find({"evaluate", "mode"});
  return mode != nullptr && mode->text() == "loose";
}

std::string NamesIn(const Node* map) {
  std::string names;
  if (map == nullptr || !map->is_object()) return names;
  for (const Node& member : map->children) {
    if (names.size() > 200) return names + ", …";
    Append(&names, names.empty() ? "`" : ", `", member.key, "`");
  }
  return names;
}

size_t CountNodes(const Node& node) {
  size_t count = 1;
  for (const Node& child : node.children) count += CountNodes(child);
  return count;
}

}  // namespace

Compiler::Compiler(std::string_view text, const Node& root, const LoadOptions& options,
                   Findings* findings)
    : source_(text),
      root_(root),
      use_(root.Find("use")),
      options_(options),
      findings_(findings),
      expressions_(text, IsLoose(root), root.Find({"use", "secrets"}), findings) {}

std::shared_ptr<const Workflow> Compiler::Compile() {
  CompileDocument();
  CheckEvaluate();
  CompileUse();
  CompileSchedule();
  workflow_->input = CompileDataFlow(root_.Find("input"), "from", &WorkflowInputVariables());
  workflow_->tasks = CompileTasks(root_.Find("do"), Scope());
  workflow_->output = CompileDataFlow(root_.Find("output"), "as", &WorkflowOutputVariables());
  workflow_->timeout = CompileTimeout(root_.Find("timeout"), &WorkflowInputVariables());
  workflow_->source = source_;
  return complete_ ? std::move(workflow_) : nullptr;
}

void Compiler::CompileDocument() {
  workflow_->document = root_.value;
  const Node* document = root_.Find("document");
  if (document == nullptr) return;
  workflow_->dsl = TextOf(*document, "dsl", "");
  workflow_->namespace_ = TextOf(*document, "namespace", "");
  workflow_->name = TextOf(*document, "name", "");
  workflow_->version = TextOf(*document, "version", "");
}

void Compiler::CheckEvaluate() {
  const Node* language = root_.Find({"evaluate", "language"});
  if (language == nullptr || !language->is_string() || language->text() == "jq") return;
  findings_->AddAt(*language, Cat("runtime expressions in `", language->text().substr(0, 40),
                                  "` are not supported; the language is jq"));
}

void Compiler::Unbuilt(const Node& node, std::string_view what) {
  complete_ = false;
  if (options_.refuse_unbuilt) findings_->AddAtKey(node, Cat(what, " is not built yet"));
}

const Node* Compiler::FindInUse(const Node& reference, std::string_view name, std::string_view part,
                                std::string_view what) {
  const Node* map = use_ == nullptr ? nullptr : use_->Find(part);
  if (map != nullptr && map->is_object()) {
    const auto [index, added] = use_index_.try_emplace(map);
    if (added) {
      for (const Node& member : map->children) index->second.emplace(member.key, &member);
    }
    const auto found = index->second.find(std::string(name));
    if (found != index->second.end()) {
      return AdmitReference(reference, *found->second) ? found->second : nullptr;
    }
  }
  if (findings_->full()) return nullptr;
  const std::string names = NamesIn(map);
  findings_->AddAt(reference, Cat("unknown ", what, " `", name.substr(0, 80), "`: `use.", part,
                                  "` ", names.empty() ? "has none" : Cat("has ", names)));
  return nullptr;
}

bool Compiler::AdmitReference(const Node& reference, const Node& found) {
  const auto [size, added] = sizes_.try_emplace(&found, 0);
  if (added) size->second = CountNodes(found);
  referenced_nodes_ += size->second;
  if (referenced_nodes_ <= limits::kDefinitionNodes) return true;
  findings_->AddAt(reference, Cat("what is named in `use` stands for more than ",
                                  limits::kDefinitionNodes, " values in all"));
  return false;
}

void Compiler::CheckSecret(const Node& reference) {
  if (expressions_.HasSecret(reference.text())) return;
  findings_->AddAt(reference, Cat("unknown secret `", reference.text().substr(0, 80),
                                  "`: it is not listed in `use.secrets`"));
}

// Each part is compiled here as well as where it is used, so that a mistake in one that nobody uses
// is found too. Variables are checked there, where they are known.
void Compiler::CompileUse() {
  if (use_ == nullptr) return;
  const auto each = [this](std::string_view part, auto compile) {
    const Node* map = use_->Find(part);
    if (map == nullptr || !map->is_object()) return;
    for (const Node& member : map->children) compile(member);
  };
  each("authentications", [this](const Node& node) { CompileAuthentication(node, nullptr); });
  each("errors", [this](const Node& node) { CompileError(node, nullptr); });
  each("retries", [this](const Node& node) { CompileRetry(&node, nullptr); });
  each("timeouts", [this](const Node& node) { CompileTimeout(&node, nullptr); });
  each("functions", [this](const Node& node) { CompileTask(node, 0, FlowTargets(), Scope()); });
  each("catalogs", [this](const Node& node) {
    if (const Node* endpoint = node.Find("endpoint")) CompileEndpoint(*endpoint, nullptr);
  });
  CompileExtensions(use_->Find("extensions"));
  for (const char* part : {"functions", "extensions", "catalogs"}) {
    const Node* node = use_->Find(part);
    if (node != nullptr && node->value.size() > 0) Unbuilt(*node, Cat("use.", part));
  }
  if (const Node* secrets = use_->Find("secrets")) {
    for (const Node& secret : secrets->children) workflow_->secrets.emplace_back(secret.text());
  }
}

void Compiler::CompileExtensions(const Node* extensions) {
  if (extensions == nullptr || !extensions->is_array()) return;
  for (const Node& item : extensions->children) {
    for (const Node& extension : item.children) {
      const Scope scope;
      CompileExpression(extension.Find("when"), &scope.definition());
      CompileTasks(extension.Find("before"), scope);
      CompileTasks(extension.Find("after"), scope);
    }
  }
}

void Compiler::CompileSchedule() {
  const Node* schedule = root_.Find("schedule");
  if (schedule == nullptr || !schedule->is_object()) return;
  const Variables* variables = &WorkflowInputVariables();
  if (schedule->children.empty()) {
    findings_->AddAt(*schedule, "a schedule needs `every`, `cron`, `after` or `on`");
  }
  Schedule& made = workflow_->schedule.emplace();
  if (const Node* every = schedule->Find("every")) {
    made.every = CompileDuration(every, variables);
    if (made.every.has_value() && !made.every->expression.has_value() &&
        made.every->literal <= absl::ZeroDuration()) {
      findings_->AddAt(*every, "the interval must be longer than zero");
    }
  }
  made.after = CompileDuration(schedule->Find("after"), variables);
  const Node* cron = schedule->Find("cron");
  if (cron != nullptr && cron->is_string()) {
    const auto parsed = Cron::Parse(cron->text());
    if (!parsed.ok()) {
      findings_->AddAt(*cron, std::string(parsed.status().message()));
    } else {
      made.cron = *parsed;
    }
  }
  if (const Node* on = schedule->Find("on")) made.on = CompileConsumption(*on, variables);
  made.read = CompileRead(*schedule);
}

}  // namespace jaque::dsl
