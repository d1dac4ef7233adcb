// SPDX-License-Identifier: Apache-2.0
// call and run.
#include <algorithm>
#include <utility>

#include "dsl/compile.h"
#include "dsl/text.h"
#include "dsl/text_rules.h"

namespace jaque::dsl {
namespace {

constexpr std::string_view kUnbuiltCalls[] = {"grpc", "asyncapi", "a2a", "mcp"};

}  // namespace

void Compiler::CompileCall(const Node& node, const Scope& scope, Task* task) {
  const Node& call = *node.Find("call");
  const std::string_view function = call.text();
  const Node* with = node.Find("with");
  if (function != "http" && function != "openapi") return CompileUnbuiltCall(node, function, scope);
  WorkerTask work;
  work.kind = function == "http" ? WorkerTask::Kind::kHttp : WorkerTask::Kind::kOpenApi;
  if (with != nullptr && with->is_object()) {
    work.arguments = CompileArguments(*with, &scope.arguments());
  }
  task->spec = std::move(work);
}

// Checked as far as it can be, then refused.
void Compiler::CompileUnbuiltCall(const Node& node, std::string_view function, const Scope& scope) {
  const Node& call = *node.Find("call");
  const Node* with = node.Find("with");
  const bool known = std::find(std::begin(kUnbuiltCalls), std::end(kUnbuiltCalls), function) !=
                     std::end(kUnbuiltCalls);
  const Node* functions = use_ == nullptr ? nullptr : use_->Find("functions");
  const bool own = functions != nullptr && functions->Find(function) != nullptr;
  const std::string_view near =
      known || own ? "" : Nearest(function, {"http", "openapi", "grpc", "asyncapi", "a2a", "mcp"});
  if (known) {
    Unbuilt(call, Cat("call ", function));
  } else if (!near.empty()) {
    findings_->AddAt(call, Cat("unknown function `", function, "`; did you mean `", near, "`?"));
  } else {
    CheckFunction(call);
    Unbuilt(call, "calling a custom function");
  }
  if (with == nullptr || !with->is_object()) return;
  const Variables* arguments = &scope.arguments();
  const Node* subscription = with->Find("subscription");
  if (!known || subscription == nullptr) {
    CompileArguments(*with, arguments);
    return;
  }
  for (const Node& member : with->children) {
    if (&member != subscription) expressions_.CompileData(member, arguments);
  }
  const Variables* variables = &scope.definition();
  CompileExpression(subscription->Find("filter"), variables);
  for (const char* key : {"while", "until"}) {
    CompileExpression(subscription->Find({"consume", key}), variables);
  }
  CompileDuration(subscription->Find({"consume", "for"}), variables);
  CompileIterator(subscription->Find("foreach"), scope);
}

// By name in use.functions, `name:version@catalog`, or a URI.
void Compiler::CheckFunction(const Node& call) {
  const std::string_view function = call.text();
  if (!call.is_string() || function.find("://") != std::string_view::npos) return;
  const size_t at = function.rfind('@');
  if (at == std::string_view::npos) {
    FindInUse(call, function, "functions", "function");
  } else if (function.substr(at + 1) != "default") {
    FindInUse(call, function.substr(at + 1), "catalogs", "catalog");
  }
}

Template Compiler::CompileArguments(const Node& node, const Variables* variables) {
  Members members;
  for (const Node& member : node.children) {
    if (member.key == "endpoint" || member.key == "server") {
      members.emplace_back(member.key, CompileEndpoint(member, variables));
    } else if (member.key == "document" || member.key == "proto" || member.key == "agentCard") {
      members.emplace_back(member.key, CompileResource(member, variables));
    } else if (member.key == "authentication") {
      members.emplace_back(member.key, CompileAuthentication(member, variables));
    } else {
      members.emplace_back(member.key, expressions_.CompileData(member, variables));
    }
  }
  return Template::Object(std::move(members));
}

Template Compiler::CompileEndpoint(const Node& node, const Variables* variables) {
  if (!node.is_object()) return expressions_.CompileData(node, variables);
  return CompileArguments(node, variables);
}

Template Compiler::CompileResource(const Node& node, const Variables* variables) {
  if (!node.is_object()) return expressions_.CompileData(node, variables);
  return CompileArguments(node, variables);
}

Template Compiler::CompileAuthentication(const Node& node, const Variables* variables) {
  const Node* policy = &node;
  const Node* use = node.Find("use");
  if (use != nullptr && use->is_string() && !use->text().empty()) {
    policy = FindInUse(*use, use->text(), "authentications", "authentication");
    if (policy == nullptr) return {};
  }
  for (const Node& scheme : policy->children) {
    if (scheme.key == "oauth2" || scheme.key == "oidc") {
      Unbuilt(scheme, Cat(scheme.key, " authentication"));
    }
    const Node* secret = scheme.Find("use");
    if (secret != nullptr && secret->is_string()) CheckSecret(*secret);
  }
  Members members;
  for (const Node& scheme : policy->children) {
    members.emplace_back(scheme.key, expressions_.CompileData(scheme, variables));
  }
  return Template::Object(std::move(members));
}

void Compiler::CompileRun(const Node& node, const Scope& scope, Task* task) {
  if (const Node* container = node.Find("container")) {
    expressions_.CompileData(*container, &scope.arguments());
    CompileDuration(container->Find({"lifetime", "after"}), &scope.definition());
    Unbuilt(*container, "run container");
  } else if (const Node* shell = node.Find("shell")) {
    CompileProcess(node, *shell, WorkerTask::Kind::kShell, scope, task);
  } else if (const Node* script = node.Find("script")) {
    const Node* language = script->Find("language");
    const std::string_view name =
        language == nullptr || !language->is_string() ? "js" : language->text();
    if (name != "js" && name != "javascript" && name != "python") {
      findings_->AddAt(*language, Cat("scripts in `", name.substr(0, 40),
                                      "` are not supported; js, javascript and python are"));
    }
    if (const Node* source = script->Find("source")) {
      CompileResource(*source, &scope.arguments());
      Unbuilt(*source, "a script from an external resource");
    }
    CompileProcess(node, *script, WorkerTask::Kind::kScript, scope, task);
  } else if (const Node* workflow = node.Find("workflow")) {
    task->spec = CompileRunWorkflow(node, *workflow, scope);
  }
}

void Compiler::CompileProcess(const Node& run, const Node& process, WorkerTask::Kind kind,
                              const Scope& scope, Task* task) {
  WorkerTask work;
  work.kind = kind;
  if (process.is_object()) {
    Members members;
    for (const Node& member : process.children) {
      members.emplace_back(member.key, expressions_.CompileData(member, &scope.arguments()));
    }
    work.arguments = Template::Object(std::move(members));
  }
  const Node* await = run.Find("await");
  work.await = await == nullptr || await->value.kind() != Value::Kind::kFalse;
  work.return_kind = TextOf(run, "return", "stdout");
  task->spec = std::move(work);
}

RunWorkflowTask Compiler::CompileRunWorkflow(const Node& run, const Node& workflow,
                                             const Scope& scope) {
  RunWorkflowTask task;
  task.namespace_ = TextOf(workflow, "namespace", "");
  task.name = TextOf(workflow, "name", "");
  task.version = TextOf(workflow, "version", "latest");
  for (const char* key : {"namespace", "name", "version"}) {
    const Node* member = workflow.Find(key);
    if (member == nullptr || !member->is_string()) continue;
    const bool version = key[0] == 'v';
    if (version && member->text() == "latest") continue;
    std::string problem =
        version ? CheckSemanticVersion(member->text()) : CheckDnsLabel(member->text());
    if (!problem.empty()) {
      findings_->AddAt(*member, Cat(problem, version ? ", or `latest`" : "",
                                    IsRuntimeExpression(member->text())
                                        ? " (which workflow runs cannot depend on data)"
                                        : ""));
    }
  }
  if (const Node* input = workflow.Find("input")) {
    task.input = expressions_.CompileData(*input, &scope.definition());
  }
  const Node* await = run.Find("await");
  task.await = await == nullptr || await->value.kind() != Value::Kind::kFalse;
  task.return_kind = TextOf(run, "return", "stdout");
  return task;
}

}  // namespace jaque::dsl
