// SPDX-License-Identifier: Apache-2.0
#include "ui/rerun_api.h"

#include <string>
#include <utility>

#include "base/status_macros.h"
#include "ui/answers.h"
#include "ui/parameters.h"
#include "ui/problem.h"
#include "ui/rerun.h"
#include "ui/start_request.h"

namespace jaque::ui {
namespace {

absl::StatusOr<RerunRequest> ReadRerun(const Call& call) {
  ASSIGN_OR_RETURN(const Value body, ReadObject(call, {"task", "seq", "input"}));
  RerunRequest request;
  ASSIGN_OR_RETURN(request.task, TextMember(body, "task", ""));
  ASSIGN_OR_RETURN(const std::string seq, TextMember(body, "seq", ""));
  ASSIGN_OR_RETURN(request.seq, ParseSeq("seq", seq));
  if (!request.task.empty() && request.seq != 0) {
    return absl::InvalidArgumentError("either task or seq, not both");
  }
  if (const Value* input = body.Find("input")) request.input = *input;
  return request;
}

absl::StatusOr<v1::Command> ReadCommand(const ApiParts& parts, const CommandSender& sender,
                                        const Call& call, bool retry) {
  RerunRequest request;
  request.retry = retry;
  if (!retry) {
    ASSIGN_OR_RETURN(request, ReadRerun(call));
  }
  const std::string& old = call.path[0];
  ASSIGN_OR_RETURN(std::string id, ChosenId(call, old));
  ASSIGN_OR_RETURN(v1::Command command, MakeRerun(parts, sender, old, request));
  command.set_object_id(id.empty() ? parts.ids->Ulid() : std::move(id));
  command.set_actor(ActorOf(call));
  return command;
}

}  // namespace

void AddRerunRoutes(const ApiParts& parts, const CommandSender* sender, WorkPool* pool,
                    Routes* routes) {
  const auto add = [&](const char* path, bool retry) {
    routes->Add(
        "POST", path, OfInstance(Role::kOperator), {}, [parts, sender, pool, retry](Call call) {
          if (parts.store == nullptr) return call.reply(NoStoreResponse());
          pool->Run(std::move(call), [parts, sender, retry](Call taken) {
            absl::StatusOr<v1::Command> command = ReadCommand(parts, *sender, taken, retry);
            if (!command.ok()) return taken.reply(ProblemOfRequest(command.status()));
            sender->Submit(
                *std::move(command), CommandSender::kPatience,
                [http = std::move(taken.reply)](absl::StatusOr<v1::CommandReply> reply) mutable {
                  HttpResponse response = StartedResponse(reply);
                  if (response.status == 200) response.status = 202;  // it was quick
                  http(std::move(response));
                });
          });
        });
  };
  add("/api/v1/instances/{id}/retry", /*retry=*/true);
  add("/api/v1/instances/{id}/rerun", /*retry=*/false);
}

}  // namespace jaque::ui
