// SPDX-License-Identifier: Apache-2.0
// From a tree to the model, with the rules that a schema cannot state: names resolve, references to
// `use` exist, durations and cron strings make sense, expressions compile. It assumes nothing about
// the tree, so that it finds more even where the shape is wrong already (and then stays silent
// about that). One object for one Load, one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "dsl/compile_expression.h"
#include "dsl/findings.h"
#include "dsl/load.h"
#include "dsl/model.h"
#include "dsl/node.h"
#include "dsl/scope.h"

namespace jaque::dsl {

class Compiler {
 public:
  // `root` is an object; `text` is what it was read from.
  Compiler(std::string_view text, const Node& root, const LoadOptions& options, Findings* findings);

  // Null if it has a part that cannot be executed yet and LoadOptions let it pass.
  std::shared_ptr<const Workflow> Compile();

 private:
  // Where a `then` may lead: the tasks of one list by name.
  struct FlowTargets {
    const Node* list = nullptr;  // null: no list (a function)
    bool branches = false;       // of a fork: they do not follow each other
    absl::flat_hash_map<std::string, int> positions;
  };
  using Members = std::vector<std::pair<std::string, Template>>;

  // compile.cc: the document and its reusable parts.
  void CompileDocument();
  void CompileUse();
  void CompileExtensions(const Node* extensions);
  void CompileSchedule();
  void CheckEvaluate();
  // What `use.<part>.<name>` is, for a node that names it; nullptr after a finding.
  const Node* FindInUse(const Node& reference, std::string_view name, std::string_view part,
                        std::string_view what);
  void CheckSecret(const Node& reference);
  // False after a finding: what `use` holds is copied to where it is named, which must not explode.
  bool AdmitReference(const Node& reference, const Node& found);
  // Reports that `what` cannot be executed, or notes it.
  void Unbuilt(const Node& node, std::string_view what);

  // compile_task.cc: lists, flow, and what all tasks have.
  FlowTargets TargetsOf(const Node& list, bool branches);
  TaskList CompileTasks(const Node* list, const Scope& scope, bool branches = false);
  std::unique_ptr<const Task> CompileTask(const Node& node, int position,
                                          const FlowTargets& targets, const Scope& scope);
  void CompileSpec(const Node& node, const FlowTargets& targets, const Scope& scope, Task* task);
  Flow CompileFlow(const Node* node, const FlowTargets& targets);
  void ReportTarget(const Node& node, const FlowTargets& targets);
  SetTask CompileSet(const Node& node, const Scope& scope);
  SwitchTask CompileSwitch(const Node& node, const FlowTargets& targets, const Scope& scope);
  ForTask CompileFor(const Node& node, const Scope& scope);
  ForkTask CompileFork(const Node& node, const Scope& scope);
  TryTask CompileTry(const Node& node, const FlowTargets& targets, const Scope& scope);
  ErrorFilter CompileErrorFilter(const Node* node);
  std::optional<RetryPolicy> CompileRetry(const Node* node, const Variables* variables);
  RaiseTask CompileRaise(const Node& node, const Variables* variables);
  ErrorDefinition CompileError(const Node& node, const Variables* variables);

  // compile_events.cc
  ListenTask CompileListen(const Node& node, const Scope& scope);
  ListenTask::Read CompileRead(const Node& node);
  EmitTask CompileEmit(const Node& node, const Variables* variables);
  EventConsumption CompileConsumption(const Node& node, const Variables* variables);
  EventFilter CompileFilter(const Node& node, const Variables* variables);
  std::optional<ListenTask::Foreach> CompileIterator(const Node* node, const Scope& scope);

  // compile_work.cc: call and run.
  void CompileCall(const Node& node, const Scope& scope, Task* task);
  void CompileUnbuiltCall(const Node& node, std::string_view function, const Scope& scope);
  void CheckFunction(const Node& call);
  void CompileRun(const Node& node, const Scope& scope, Task* task);
  void CompileProcess(const Node& run, const Node& process, WorkerTask::Kind kind,
                      const Scope& scope, Task* task);
  RunWorkflowTask CompileRunWorkflow(const Node& run, const Node& workflow, const Scope& scope);
  // An object whose members at known places hold endpoints or authentications; the rest is data.
  Template CompileArguments(const Node& node, const Variables* variables);
  Template CompileEndpoint(const Node& node, const Variables* variables);
  Template CompileResource(const Node& node, const Variables* variables);
  Template CompileAuthentication(const Node& node, const Variables* variables);

  // compile_parts.cc: durations and data flow.
  DataFlow CompileDataFlow(const Node* node, std::string_view transformation,
                           const Variables* variables);
  std::shared_ptr<const Schema> CompileSchemaOf(const Node* node);
  std::optional<Duration> CompileDuration(const Node* node, const Variables* variables);
  std::optional<Duration> CompileTimeout(const Node* node, const Variables* variables);
  std::optional<Template> CompileExpression(const Node* node, const Variables* variables);
  // The text of member `key`, or `fallback`.
  std::string TextOf(const Node& node, std::string_view key, std::string_view fallback);

  const std::string_view source_;
  const Node& root_;
  const Node* const use_;
  const LoadOptions options_;
  Findings* const findings_;
  ExpressionCompiler expressions_;
  std::shared_ptr<Workflow> workflow_ = std::make_shared<Workflow>();
  absl::flat_hash_map<const Node*, absl::flat_hash_map<std::string, const Node*>> use_index_;
  absl::flat_hash_map<const Node*, size_t> sizes_;
  absl::flat_hash_map<std::string, const Node*> lists_by_task_;  // made for the first bad target
  size_t referenced_nodes_ = 0;
  bool complete_ = true;
};

// The word that makes `node` a task of its kind ("call", "for" …), empty if there is none.
std::string_view TaskKindKey(const Node& node);

}  // namespace jaque::dsl
