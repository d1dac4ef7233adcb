// SPDX-License-Identifier: Apache-2.0
#include "worker/task_run.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "base/version.h"
#include "expression/json.h"

namespace jaque {
namespace {

absl::Duration LimitOf(dsl::WorkerTask::Kind kind) {
  const bool process =
      kind == dsl::WorkerTask::Kind::kShell || kind == dsl::WorkerTask::Kind::kScript;
  return absl::Seconds(process ? limits::kProcessSeconds : limits::kHttpSeconds);
}

absl::Duration DeadlineOf(const Clock& clock, const v1::TaskRequest& request,
                          dsl::WorkerTask::Kind kind) {
  const absl::Duration now = clock.Monotonic();
  absl::Duration left = LimitOf(kind);
  if (request.deadline_micros() != 0) {
    left = std::min(left, absl::FromUnixMicros(request.deadline_micros()) - clock.Now());
  }
  return now + left;
}

bool UsesSecrets(const dsl::Template& value) {
  const std::vector<std::string> names = value.Variables();
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name == "secrets" || name == "authorization";
  });
}

Value RuntimeDescriptor() {
  return Value::Object({{"name", Value::String("jaque")},
                        {"version", Value::String(kVersion)},
                        {"metadata", Value::Object()}});
}

}  // namespace

std::variant<std::shared_ptr<TaskRun>, v1::Problem> TaskRun::Create(
    const Clock* clock, const SecretStore* secrets, std::shared_ptr<const dsl::Workflow> workflow,
    v1::TaskRequest request) {
  const auto& tasks = workflow->by_index;
  const dsl::Task* task =
      request.task_index() < tasks.size() ? tasks[request.task_index()] : nullptr;
  if (task == nullptr || task->kind() != dsl::TaskKind::kWorker) {
    return MakeProblem(dsl::kErrorRuntime,
                       Cat("the definition ", workflow->id(), " has no worker task number ",
                           request.task_index()));
  }
  absl::StatusOr<Value> input = ParseJson(request.input());
  if (!input.ok()) {
    return MakeProblem(dsl::kErrorRuntime,
                       Cat("the task's input is no JSON: ", Message(input.status())));
  }
  std::shared_ptr<TaskRun> run(new TaskRun(clock, std::move(workflow), task, std::move(request)));
  run->input_ = *std::move(input);
  run->LoadSecrets(*secrets);
  return run;
}

TaskRun::TaskRun(const Clock* clock, std::shared_ptr<const dsl::Workflow> workflow,
                 const dsl::Task* task, v1::TaskRequest request)
    : clock_(clock),
      workflow_(std::move(workflow)),
      task_(task),
      request_(std::move(request)),
      deadline_(DeadlineOf(*clock, request_, work().kind)) {}

void TaskRun::LoadSecrets(const SecretStore& secrets) {
  for (const std::string& name : workflow_->secrets) {
    absl::StatusOr<Value> secret = secrets.Get(name);
    if (!secret.ok()) continue;  // matters only if it is used: CheckSecrets
    redactor_.AddAll(*secret);
    secrets_.emplace(name, *std::move(secret));
  }
}

absl::StatusOr<Value> TaskRun::Secret(const std::string& name) const {
  const auto found = secrets_.find(name);
  if (found != secrets_.end()) return found->second;
  const auto& declared = workflow_->secrets;
  const bool known = std::find(declared.begin(), declared.end(), name) != declared.end();
  return absl::PermissionDeniedError(
      Cat("the secret \"", name, "\" is not ",
          known ? "known to this worker" : "declared in use.secrets"));
}

absl::Status TaskRun::CheckSecrets(const dsl::Template& value) const {
  for (const std::string& name : value.VariableFootprint("secrets").fields) {
    RETURN_IF_ERROR(Secret(name).status());
  }
  return absl::OkStatus();
}

Value TaskRun::VisibleSecrets() const {
  Value all = Value::Object();
  for (const auto& [name, secret] : secrets_) all.Set(name, secret);
  return all;
}

absl::StatusOr<Value> TaskRun::Evaluate(const dsl::Template& value) const {
  if (value.is_constant()) return value.constant();
  RETURN_IF_ERROR(CheckSecrets(value));
  expression::Evaluation evaluation;
  evaluation.variables = this;
  evaluation.now = clock_->Now();
  evaluation.monotonic = [clock = clock_] { return clock->Monotonic(); };
  absl::StatusOr<Value> result = value.Evaluate(input_, evaluation);
  if (result.ok() || !UsesSecrets(value)) return result;
  return absl::Status(result.status().code(),
                      Cat("an expression failed; its message is withheld because it uses secrets",
                          dsl::PlaceAtEnd(Message(result.status()))));
}

v1::Problem TaskRun::ToProblem(const absl::Status& status) const {
  const std::string detail = redactor_.Redact(Message(status));
  if (absl::IsFailedPrecondition(status)) return ArgumentProblem(detail);
  if (absl::IsPermissionDenied(status)) return MakeProblem(dsl::kErrorAuthorization, detail);
  return MakeProblem(dsl::kErrorExpression, detail);
}

absl::StatusOr<Value> TaskRun::Lookup(std::string_view name) const {
  if (name == "secrets") return VisibleSecrets();
  if (name == "authorization") return authorization_;
  const auto found = request_.variables().find(std::string(name));
  if (found != request_.variables().end()) return ParseJson(found->second);
  if (name == "runtime") return RuntimeDescriptor();
  if (name == "input") return input_;
  return absl::InvalidArgumentError(Cat("$", name, " is not defined here"));
}

void TaskRun::OnCancel(absl::AnyInvocable<void()> cancel) {
  {
    absl::MutexLock lock(&mutex_);
    if (!cancelled_) {
      cancel_ = std::move(cancel);
      return;
    }
  }
  cancel();
}

void TaskRun::Cancel() {
  absl::AnyInvocable<void()> cancel;
  {
    absl::MutexLock lock(&mutex_);
    if (cancelled_) return;
    cancelled_ = true;
    cancel = std::move(cancel_);
    cancel_ = nullptr;
  }
  if (cancel) cancel();
}

bool TaskRun::cancelled() const {
  absl::MutexLock lock(&mutex_);
  return cancelled_;
}

}  // namespace jaque
