// SPDX-License-Identifier: Apache-2.0
// set, switch, for, fork, try and raise.
#include <algorithm>
#include <limits>
#include <utility>

#include "dsl/compile.h"
#include "dsl/errors.h"
#include "dsl/text.h"

namespace jaque::dsl {

SetTask Compiler::CompileSet(const Node& node, const Scope& scope) {
  return {expressions_.CompileData(node, &scope.definition())};
}

SwitchTask Compiler::CompileSwitch(const Node& node, const FlowTargets& targets,
                                   const Scope& scope) {
  SwitchTask task;
  if (!node.is_array()) return task;
  const Node* fallback = nullptr;
  for (const Node& item : node.children) {
    if (!item.is_object() || item.children.empty()) continue;
    const Node& definition = item.children[0];
    SwitchTask::Case one;
    one.name = definition.key;
    const Node* when = definition.Find("when");
    one.when = CompileExpression(when, &scope.definition());
    one.then = CompileFlow(definition.Find("then"), targets);
    if (when == nullptr && definition.is_object()) {
      if (fallback != nullptr) {
        findings_->AddAtKey(definition, Cat("a switch has one default case at most, and that is `",
                                            fallback->key, "`; give this one a `when`"));
      } else {
        fallback = &definition;
      }
    }
    task.cases.push_back(std::move(one));
  }
  return task;
}

ForTask Compiler::CompileFor(const Node& node, const Scope& scope) {
  ForTask task;
  const Node& loop = *node.Find("for");
  task.each = TextOf(loop, "each", "item");
  task.at = TextOf(loop, "at", "index");
  if (task.each == task.at) {
    findings_->AddAt(loop, Cat("`each` and `at` are both called `", task.each, "`"));
  }
  if (const Node* in = loop.Find("in")) {
    if (in->is_string()) {
      task.in = CompileExpression(in, &scope.definition()).value_or(Template());
    } else {
      task.in = expressions_.CompileData(*in, &scope.definition());
    }
  }
  const Scope inner = scope.With({task.each, task.at});
  task.while_condition = CompileExpression(node.Find("while"), &inner.definition());
  task.tasks = CompileTasks(node.Find("do"), inner);
  return task;
}

ForkTask Compiler::CompileFork(const Node& node, const Scope& scope) {
  ForkTask task;
  task.branches = CompileTasks(node.Find("branches"), scope, /*branches=*/true);
  const Node* compete = node.Find("compete");
  task.compete = compete != nullptr && compete->value.kind() == Value::Kind::kTrue;
  return task;
}

TryTask Compiler::CompileTry(const Node& node, const FlowTargets& targets, const Scope& scope) {
  TryTask task;
  task.tasks = CompileTasks(node.Find("try"), scope);
  const Node* handler = node.Find("catch");
  if (handler == nullptr || !handler->is_object()) return task;
  task.filter = CompileErrorFilter(handler->Find({"errors", "with"}));
  task.as = TextOf(*handler, "as", "error");
  const Scope inner = scope.With({task.as});
  task.when = CompileExpression(handler->Find("when"), &inner.definition());
  task.except_when = CompileExpression(handler->Find("exceptWhen"), &inner.definition());
  const Node* retry = handler->Find("retry");
  if (retry != nullptr && retry->is_string() && !retry->text().empty()) {
    retry = FindInUse(*retry, retry->text(), "retries", "retry policy");
  }
  task.retry = CompileRetry(retry, &inner.definition());
  task.catch_tasks = CompileTasks(handler->Find("do"), inner);
  if (const Node* then = handler->Find("then")) task.then = CompileFlow(then, targets);
  return task;
}

ErrorFilter Compiler::CompileErrorFilter(const Node* node) {
  ErrorFilter filter;
  if (node == nullptr) return filter;
  const auto text = [node](std::string_view key) -> std::optional<std::string> {
    const Node* member = node->Find(key);
    if (member == nullptr || !member->is_string()) return std::nullopt;
    return std::string(member->text());
  };
  if (auto type = text("type")) filter.type = NormaliseErrorType(*type);
  filter.instance = text("instance");
  filter.title = text("title");
  filter.detail = text("detail");
  const Node* status = node->Find("status");
  if (status != nullptr && status->value.is_number()) filter.status = status->value.AsInt();
  return filter;
}

std::optional<RetryPolicy> Compiler::CompileRetry(const Node* node, const Variables* variables) {
  if (node == nullptr || !node->is_object()) return std::nullopt;
  RetryPolicy policy;
  policy.when = CompileExpression(node->Find("when"), variables);
  policy.except_when = CompileExpression(node->Find("exceptWhen"), variables);
  policy.delay = CompileDuration(node->Find("delay"), variables).value_or(Duration());
  if (const Node* backoff = node->Find("backoff")) {
    if (backoff->Find("linear") != nullptr) policy.backoff = RetryPolicy::Backoff::kLinear;
    if (backoff->Find("exponential") != nullptr)
      policy.backoff = RetryPolicy::Backoff::kExponential;
  }
  if (const Node* count = node->Find({"limit", "attempt", "count"});
      count != nullptr && count->value.is_number()) {
    const int64_t number = count->value.AsInt().value_or(std::numeric_limits<int>::max());
    if (number < 0) findings_->AddAt(*count, "the number of attempts cannot be negative");
    policy.attempt_count =
        static_cast<int>(std::clamp<int64_t>(number, 0, std::numeric_limits<int>::max()));
  }
  policy.attempt_duration =
      CompileDuration(node->Find({"limit", "attempt", "duration"}), variables);
  policy.duration = CompileDuration(node->Find({"limit", "duration"}), variables);
  policy.jitter_from = CompileDuration(node->Find({"jitter", "from"}), variables);
  policy.jitter_to = CompileDuration(node->Find({"jitter", "to"}), variables);
  const auto literal = [](const std::optional<Duration>& duration) {
    return duration.has_value() && !duration->expression.has_value();
  };
  if (literal(policy.jitter_from) && literal(policy.jitter_to) &&
      policy.jitter_from->literal > policy.jitter_to->literal) {
    findings_->AddAt(*node->Find("jitter"), "`from` of the jitter is longer than `to`");
  }
  return policy;
}

RaiseTask Compiler::CompileRaise(const Node& node, const Variables* variables) {
  const Node* error = node.Find("error");
  if (error != nullptr && error->is_string() && !error->text().empty()) {
    error = FindInUse(*error, error->text(), "errors", "error");
  }
  if (error == nullptr || !error->is_object()) return {};
  return {CompileError(*error, variables)};
}

ErrorDefinition Compiler::CompileError(const Node& node, const Variables* variables) {
  const auto compile = [&](std::string_view key) -> std::optional<Template> {
    const Node* member = node.Find(key);
    if (member == nullptr) return std::nullopt;
    return expressions_.CompileData(*member, variables);
  };
  ErrorDefinition error;
  error.type = compile("type").value_or(Template());
  error.status = compile("status").value_or(Template());
  error.title = compile("title");
  error.detail = compile("detail");
  error.instance = compile("instance");
  return error;
}

}  // namespace jaque::dsl
