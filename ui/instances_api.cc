// SPDX-License-Identifier: Apache-2.0
#include "ui/instances_api.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "expression/json.h"
#include "ui/answers.h"
#include "ui/instance_json.h"
#include "ui/parameters.h"
#include "ui/problem.h"
#include "ui/start_request.h"

namespace jaque::ui {
namespace {

constexpr absl::Duration kPatience = CommandSender::kPatience;

class InstancesApi {
 public:
  InstancesApi(const ApiParts& parts, const CommandSender* sender, WorkPool* pool)
      : parts_(parts), sender_(*sender), pool_(*pool) {}

  void Start(Call call) const;
  void Describe(Call call) const;
  void Cancel(Call call) const;
  void Suspend(Call call) const;
  void Resume(Call call) const;

 private:
  absl::StatusOr<v1::Command> ReadStart(const Call& call, bool* chosen) const;
  void SubmitStart(v1::Command command, absl::Duration wait, HttpReply reply) const;
  // What is known of an instance whose start or end did not come within the wait. `stored`: the
  // ingress keeps the start until an engine has executed it.
  void AnswerPending(const std::string& id, bool stored, HttpReply reply) const;
  // The answer for an id that had its instance before, which no engine remembers: nullopt if there
  // was none.
  std::optional<HttpResponse> AnswerEnded(const v1::Command& command) const;
  void AnswerDescription(const std::string& id, absl::StatusOr<v1::CommandReply> reply,
                         HttpReply http) const;
  HttpResponse Describe(const std::string& id, const absl::StatusOr<v1::CommandReply>& reply) const;
  // A command that changes an instance that runs.
  void Change(Call call, v1::Command command) const;

  const ApiParts parts_;
  const CommandSender& sender_;
  WorkPool& pool_;
};

absl::StatusOr<v1::Command> InstancesApi::ReadStart(const Call& call, bool* chosen) const {
  ASSIGN_OR_RETURN(const DefinitionStore::WorkflowPtr workflow, FindDefinition(parts_, call));
  v1::Command command;
  command.set_actor(ActorOf(call));
  v1::StartInstance* start = command.mutable_start_instance();
  start->set_definition(workflow->id());
  ASSIGN_OR_RETURN(*start->mutable_input(), CheckInput(call.request.body));
  RETURN_IF_ERROR(SetTags(*workflow, call, start));
  ASSIGN_OR_RETURN(std::string id, ChosenId(call, workflow->namespace_ + "/" + workflow->name));
  *chosen = !id.empty();
  // Made before the command is routed: the instance is born on its owner.
  command.set_object_id(*chosen ? std::move(id) : parts_.ids->Ulid());
  return command;
}

void InstancesApi::Start(Call call) const {
  const absl::StatusOr<absl::Duration> wait = ReadWait(call);
  if (!wait.ok()) return call.reply(ProblemOfStatus(wait.status()));
  bool chosen = false;
  absl::StatusOr<v1::Command> command = ReadStart(call, &chosen);
  if (!command.ok()) return call.reply(ProblemOfRequest(command.status()));
  if (!chosen || parts_.store == nullptr) {
    return SubmitStart(*std::move(command), *wait, std::move(call.reply));
  }
  pool_.Run(std::move(call), [this, wait = *wait, command = *std::move(command)](Call taken) {
    if (auto ended = AnswerEnded(command)) return taken.reply(*std::move(ended));
    SubmitStart(command, wait, std::move(taken.reply));
  });
}

std::optional<HttpResponse> InstancesApi::AnswerEnded(const v1::Command& command) const {
  const absl::StatusOr<store::InstanceRecord> stored =
      parts_.store->GetInstance(command.object_id());
  if (!stored.ok() || !HasEnded(stored->row.status)) return std::nullopt;
  const absl::StatusOr<Value> before = ParseJson(stored->input);
  const absl::StatusOr<Value> now = ParseJson(command.start_instance().input());
  const std::string name = stored->row.namespace_ + "/" + stored->row.name + ":";
  if (command.start_instance().definition().compare(0, name.size(), name) != 0 || !before.ok() ||
      !now.ok() || *before != *now) {
    return ProblemResponse(
        409, "the id " + command.object_id() + " had an instance of another definition or input");
  }
  return JsonResponse(200, InstanceOutcome(*stored));
}

void InstancesApi::SubmitStart(v1::Command command, absl::Duration wait, HttpReply reply) const {
  const bool waits = wait > absl::ZeroDuration();
  command.mutable_start_instance()->set_wait(waits);
  std::string id = command.object_id();
  sender_.Submit(std::move(command), waits ? wait : kPatience,
                 [this, id = std::move(id),
                  reply = std::move(reply)](absl::StatusOr<v1::CommandReply> answer) mutable {
                   if (CameTooLate(answer.status())) {
                     return AnswerPending(id, absl::IsDeadlineExceeded(answer.status()),
                                          std::move(reply));
                   }
                   reply(StartedResponse(answer));
                 });
}

void InstancesApi::AnswerPending(const std::string& id, bool stored, HttpReply reply) const {
  sender_.Describe(
      id, /*wait=*/false, kPatience,
      [id, stored, reply = std::move(reply)](absl::StatusOr<v1::CommandReply> answer) mutable {
        if (answer.ok() && answer->code() == v1::CommandReply::CODE_OK) {
          return reply(StartedResponse(answer));
        }
        if (!stored) {
          return reply(ProblemOfStatus(absl::UnavailableError(
              "it is not known whether the start was stored: start it again with id=" + id)));
        }
        v1::InstanceDescription pending;
        pending.set_id(id);
        reply(StartedResponse(pending));
      });
}

HttpResponse InstancesApi::Describe(const std::string& id,
                                    const absl::StatusOr<v1::CommandReply>& reply) const {
  const absl::StatusOr<store::InstanceRecord> stored =
      parts_.store != nullptr ? parts_.store->GetInstance(id)
                              : absl::StatusOr<store::InstanceRecord>(absl::NotFoundError(""));
  // What the engine says is shown also while the store is away, and the reverse.
  if (reply.ok() && reply->code() == v1::CommandReply::CODE_OK) {
    return JsonResponse(200, InstanceDetails(reply->instance(), stored.ok() ? &*stored : nullptr));
  }
  if (stored.ok()) return JsonResponse(200, InstanceDetails(*stored));
  if (!reply.ok()) return ProblemOfStatus(reply.status());
  if (!absl::IsNotFound(stored.status())) return ProblemOfStatus(stored.status());
  return ProblemOfReply(*reply);
}

void InstancesApi::AnswerDescription(const std::string& id, absl::StatusOr<v1::CommandReply> reply,
                                     HttpReply http) const {
  if (parts_.store == nullptr) return http(Describe(id, reply));
  Call call;
  call.reply = std::move(http);
  pool_.Answer(std::move(call),
               [this, id, reply = std::move(reply)](const Call&) { return Describe(id, reply); });
}

void InstancesApi::Describe(Call call) const {
  const absl::StatusOr<absl::Duration> wait = ReadWait(call);
  if (!wait.ok()) return call.reply(ProblemOfStatus(wait.status()));
  const bool waits = *wait > absl::ZeroDuration();
  const std::string id = call.path[0];
  const absl::Status reachable = parts_.writable ? parts_.writable() : absl::OkStatus();
  if (!reachable.ok()) return AnswerDescription(id, reachable, std::move(call.reply));
  sender_.Describe(id, waits, waits ? *wait : kPatience,
                   [this, waits, id,
                    http = std::move(call.reply)](absl::StatusOr<v1::CommandReply> reply) mutable {
                     if (!waits || !CameTooLate(reply.status())) {
                       return AnswerDescription(id, std::move(reply), std::move(http));
                     }
                     // It has not ended in time: what it is now.
                     sender_.Describe(id, /*wait=*/false, kPatience,
                                      [this, id, http = std::move(http)](
                                          absl::StatusOr<v1::CommandReply> now) mutable {
                                        AnswerDescription(id, std::move(now), std::move(http));
                                      });
                   });
}

void InstancesApi::Change(Call call, v1::Command command) const {
  command.set_object_id(call.path[0]);
  command.set_actor(ActorOf(call));
  sender_.Submit(std::move(command), kPatience,
                 [http = std::move(call.reply)](absl::StatusOr<v1::CommandReply> reply) mutable {
                   http(ChangedResponse(reply));
                 });
}

void InstancesApi::Cancel(Call call) const {
  absl::StatusOr<std::string> reason = ReadReason(call, "cancelled by a request");
  if (!reason.ok()) return call.reply(ProblemOfStatus(reason.status()));
  v1::Command command;
  command.mutable_cancel_instance()->set_reason(*std::move(reason));
  Change(std::move(call), std::move(command));
}

void InstancesApi::Suspend(Call call) const {
  absl::StatusOr<std::string> reason = ReadReason(call, "suspended by a request");
  if (!reason.ok()) return call.reply(ProblemOfStatus(reason.status()));
  v1::Command command;
  command.mutable_suspend_instance()->set_reason(*std::move(reason));
  Change(std::move(call), std::move(command));
}

void InstancesApi::Resume(Call call) const {
  v1::Command command;
  command.mutable_resume_instance();
  Change(std::move(call), std::move(command));
}

}  // namespace

void AddInstanceRoutes(const ApiParts& parts, const CommandSender* sender, WorkPool* pool,
                       Routes* routes) {
  const auto api = std::make_shared<const InstancesApi>(parts, sender, pool);
  const auto add = [&](const char* method, const char* path, Access access,
                       std::vector<std::string> parameters,
                       void (InstancesApi::*serve)(Call) const) {
    routes->Add(method, path, access, std::move(parameters),
                [api, serve](Call call) { (*api.*serve)(std::move(call)); });
  };
  add("POST", "/api/v1/definitions/{namespace}/{name}/instances", InPath(Role::kOperator),
      {"version", "wait", "id", "tag*"}, &InstancesApi::Start);
  const Access change = OfInstance(Role::kOperator);
  add("GET", "/api/v1/instances/{id}", OfInstance(Role::kViewer), {"wait"},
      &InstancesApi::Describe);
  add("POST", "/api/v1/instances/{id}/cancel", change, {}, &InstancesApi::Cancel);
  add("POST", "/api/v1/instances/{id}/suspend", change, {}, &InstancesApi::Suspend);
  add("POST", "/api/v1/instances/{id}/resume", change, {}, &InstancesApi::Resume);
}

}  // namespace jaque::ui
