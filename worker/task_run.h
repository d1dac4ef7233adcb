// SPDX-License-Identifier: Apache-2.0
// One attempt of one task while a worker has it: what its expressions may see, its secrets, its
// time, and how to stop it. The loop makes it, one runner uses it, from one thread at a time; only
// Cancel and cancelled() may come from any thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "dsl/model.h"
#include "expression/program.h"
#include "jaque/v1/task.pb.h"
#include "worker/outcome.h"
#include "worker/redactor.h"
#include "worker/secrets.h"

namespace jaque {

class TaskRun final : private expression::VariableSource {
 public:
  // `workflow` is the request's definition. A problem if the request does not fit it.
  static std::variant<std::shared_ptr<TaskRun>, v1::Problem> Create(
      const Clock* clock, const SecretStore* secrets, std::shared_ptr<const dsl::Workflow> workflow,
      v1::TaskRequest request);

  const v1::TaskRequest& request() const { return request_; }
  const dsl::Task& task() const { return *task_; }
  const dsl::WorkerTask& work() const { return std::get<dsl::WorkerTask>(task_->spec); }
  const Value& input() const { return input_; }

  // PermissionDenied where it uses a secret that is not declared or not known here. Messages of
  // expressions that use secrets are withheld: they quote values, and parts of them.
  absl::StatusOr<Value> Evaluate(const dsl::Template& value) const;
  // Of arguments evaluated and read: BadArgument (validation, 400); PermissionDenied, a secret that
  // may not be seen (authorization, 403); all else is the expression's fault (expression, 400).
  v1::Problem ToProblem(const absl::Status& status) const;
  // What `$authorization` gives from now on.
  void SetAuthorization(Value descriptor) { authorization_ = std::move(descriptor); }

  // PermissionDenied as above.
  absl::StatusOr<Value> Secret(const std::string& name) const;
  // Masks what is no declared secret but must not be shown either: a password in a policy.
  void Hide(std::string_view text) { redactor_.Add(text); }
  const Redactor& redactor() const { return redactor_; }

  // Until the deadline, or until the limit of such work where the task has none; may be negative.
  absl::Duration TimeLeft() const { return deadline_ - clock_->Monotonic(); }

  // How to stop what is being done now, instead of what was said before; called at once if the
  // attempt is cancelled already. `cancel` must only post.
  void OnCancel(absl::AnyInvocable<void()> cancel);
  void Cancel();
  bool cancelled() const;

 private:
  TaskRun(const Clock* clock, std::shared_ptr<const dsl::Workflow> workflow, const dsl::Task* task,
          v1::TaskRequest request);

  absl::StatusOr<Value> Lookup(std::string_view name) const override;
  absl::Status CheckSecrets(const dsl::Template& value) const;
  void LoadSecrets(const SecretStore& secrets);
  Value VisibleSecrets() const;

  const Clock* const clock_;
  const std::shared_ptr<const dsl::Workflow> workflow_;
  const dsl::Task* const task_;
  const v1::TaskRequest request_;
  const absl::Duration deadline_;  // on the monotonic clock
  Value input_;
  Value authorization_;
  std::map<std::string, Value> secrets_;  // declared and known
  Redactor redactor_;

  mutable absl::Mutex mutex_;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  absl::AnyInvocable<void()> cancel_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace jaque
