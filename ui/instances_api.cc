// SPDX-License-Identifier: Apache-2.0
#include "ui/instances_api.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/duration.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "expression/json.h"
#include "fmt/format.h"
#include "ui/instance_json.h"
#include "ui/problem.h"

namespace jaque::ui {
namespace {

// How long a command without a wait may take: a decision and an append.
constexpr absl::Duration kPatience = absl::Seconds(10);

absl::StatusOr<v1::CommandReply> ReadReply(absl::StatusOr<std::string> bytes) {
  RETURN_IF_ERROR(bytes.status());
  v1::CommandReply reply;
  if (!reply.ParseFromString(*bytes)) return absl::InternalError("the reply cannot be read");
  return reply;
}

HttpResponse Json(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

// What the engine said of an instance, shown by `body`; `ended` and `going` are the statuses then.
HttpResponse Answer(const absl::StatusOr<v1::CommandReply>& reply,
                    std::string (*body)(const v1::InstanceDescription&), int ended, int going) {
  if (!reply.ok()) return ProblemOfStatus(reply.status());
  if (reply->code() != v1::CommandReply::CODE_OK) return ProblemOfReply(*reply);
  return Json(HasEnded(reply->instance().status()) ? ended : going, body(reply->instance()));
}

// No answer came in time; DeadlineExceeded: but the command is stored.
bool CameTooLate(const absl::Status& status) {
  return absl::IsDeadlineExceeded(status) || absl::IsUnknown(status);
}

// A wait of the caller; zero without one.
absl::StatusOr<absl::Duration> ReadWait(const Call& call) {
  const std::string* text = call.Parameter("wait");
  if (text == nullptr) return absl::ZeroDuration();
  absl::StatusOr<absl::Duration> wait = ParseGoDuration(*text);
  if (!wait.ok()) {
    return absl::InvalidArgumentError("wait: " + std::string(wait.status().message()));
  }
  return std::min(*wait, absl::Seconds(limits::kWaitSeconds));
}

absl::StatusOr<std::string> ReadInput(const std::string& body) {
  if (body.empty()) return std::string("{}");
  if (body.size() > limits::kInputBytes) {
    return absl::ResourceExhaustedError(fmt::format("the input is {} bytes long; {} are possible",
                                                    body.size(), limits::kInputBytes));
  }
  const absl::StatusOr<Value> input = ParseJson(body);
  if (!input.ok()) {
    return absl::InvalidArgumentError("the input is no JSON: " +
                                      std::string(input.status().message()));
  }
  return body;
}

// Ids become parts of subjects and keys, so only what is safe in all of them.
bool IsInstanceId(const std::string& id) {
  return !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), [](char c) {
    return absl::ascii_isalnum(c) || c == '-' || c == '_';
  });
}

class InstancesApi {
 public:
  explicit InstancesApi(const ApiParts& parts) : parts_(parts) {}

  void Start(Call call) const;
  void Describe(Call call) const;
  void Cancel(Call call) const;

 private:
  absl::StatusOr<DefinitionStore::WorkflowPtr> Find(const Call& call) const;
  // The command of a start, but for its id.
  absl::StatusOr<v1::Command> ReadStart(const Call& call) const;
  void Submit(v1::Command command, absl::Duration timeout, CommandBus::ReplyFn reply) const;
  // What is known of an instance whose start or end did not come within the wait.
  // `stored`: the ingress keeps the start until an engine has executed it.
  void AnswerPending(const std::string& id, bool stored, HttpReply reply) const;
  void SubmitDescribe(const std::string& id, bool wait, absl::Duration timeout,
                      CommandBus::ReplyFn reply) const;

  const ApiParts parts_;
};

void InstancesApi::Submit(v1::Command command, absl::Duration timeout,
                          CommandBus::ReplyFn reply) const {
  command.set_id(parts_.ids->Ulid());
  parts_.commands->Submit(command.SerializeAsString(), command.id(), timeout, std::move(reply));
}

absl::StatusOr<DefinitionStore::WorkflowPtr> InstancesApi::Find(const Call& call) const {
  const std::string name = call.path[0] + "/" + call.path[1];
  const std::string* version = call.Parameter("version");
  absl::StatusOr<DefinitionStore::WorkflowPtr> found =
      version == nullptr || *version == "latest" ? parts_.definitions->GetLatest(name)
                                                 : parts_.definitions->Get(name + ":" + *version);
  if (absl::IsNotFound(found.status())) {
    return absl::NotFoundError(version == nullptr
                                   ? fmt::format("there is no definition {}", name)
                                   : fmt::format("there is no definition {}:{}", name, *version));
  }
  return found;
}

absl::StatusOr<v1::Command> InstancesApi::ReadStart(const Call& call) const {
  ASSIGN_OR_RETURN(const DefinitionStore::WorkflowPtr workflow, Find(call));
  v1::Command command;
  v1::StartInstance* start = command.mutable_start_instance();
  start->set_definition(workflow->id());
  ASSIGN_OR_RETURN(*start->mutable_input(), ReadInput(call.request.body));
  const std::string* id = call.Parameter("id");
  if (id != nullptr && !IsInstanceId(*id)) {
    return absl::InvalidArgumentError("id: 1 to 64 letters, digits, '-' or '_'");
  }
  // Made before the command is routed: the instance is born on its owner.
  command.set_object_id(id != nullptr ? *id : parts_.ids->Ulid());
  return command;
}

void InstancesApi::Start(Call call) const {
  const absl::StatusOr<absl::Duration> wait = ReadWait(call);
  if (!wait.ok()) return call.reply(ProblemOfStatus(wait.status()));
  absl::StatusOr<v1::Command> command = ReadStart(call);
  if (absl::IsResourceExhausted(command.status())) {
    return call.reply(ProblemResponse(413, std::string(command.status().message())));
  }
  if (!command.ok()) return call.reply(ProblemOfStatus(command.status()));
  const bool waits = *wait > absl::ZeroDuration();
  command->mutable_start_instance()->set_wait(waits);
  std::string id = command->object_id();
  Submit(*std::move(command), waits ? *wait : kPatience,
         [this, id = std::move(id),
          reply = std::move(call.reply)](absl::StatusOr<std::string> bytes) mutable {
           const absl::StatusOr<v1::CommandReply> answer = ReadReply(std::move(bytes));
           if (CameTooLate(answer.status())) {
             return AnswerPending(id, absl::IsDeadlineExceeded(answer.status()), std::move(reply));
           }
           reply(Answer(answer, InstanceSummary, 200, 202));
         });
}

void InstancesApi::AnswerPending(const std::string& id, bool stored, HttpReply reply) const {
  SubmitDescribe(
      id, /*wait=*/false, kPatience,
      [id, stored, reply = std::move(reply)](absl::StatusOr<std::string> bytes) mutable {
        const absl::StatusOr<v1::CommandReply> answer = ReadReply(std::move(bytes));
        if (answer.ok() && answer->code() == v1::CommandReply::CODE_OK) {
          return reply(Answer(answer, InstanceSummary, 200, 202));
        }
        if (!stored) {
          return reply(ProblemOfStatus(absl::UnavailableError(
              "it is not known whether the start was stored: start it again with id=" + id)));
        }
        v1::InstanceDescription pending;
        pending.set_id(id);
        reply(Json(202, InstanceSummary(pending)));
      });
}

void InstancesApi::SubmitDescribe(const std::string& id, bool wait, absl::Duration timeout,
                                  CommandBus::ReplyFn reply) const {
  v1::Command command;
  command.set_object_id(id);
  command.mutable_describe_instance()->set_wait(wait);
  Submit(std::move(command), timeout, std::move(reply));
}

void InstancesApi::Describe(Call call) const {
  const absl::StatusOr<absl::Duration> wait = ReadWait(call);
  if (!wait.ok()) return call.reply(ProblemOfStatus(wait.status()));
  const bool waits = *wait > absl::ZeroDuration();
  std::string id = call.path[0];
  auto answer = [this, waits, id,
                 reply = std::move(call.reply)](absl::StatusOr<std::string> bytes) mutable {
    const absl::StatusOr<v1::CommandReply> got = ReadReply(std::move(bytes));
    if (waits && CameTooLate(got.status())) {
      // It has not ended in time: what it is now.
      return SubmitDescribe(id, /*wait=*/false, kPatience,
                            [reply = std::move(reply)](absl::StatusOr<std::string> now) mutable {
                              reply(Answer(ReadReply(std::move(now)), InstanceDetails, 200, 200));
                            });
    }
    reply(Answer(got, InstanceDetails, 200, 200));
  };
  SubmitDescribe(id, waits, waits ? *wait : kPatience, std::move(answer));
}

void InstancesApi::Cancel(Call call) const {
  v1::Command command;
  command.set_object_id(call.path[0]);
  std::string reason = "cancelled by a request";
  if (!call.request.body.empty()) {
    const absl::StatusOr<Value> body = ParseJson(call.request.body);
    if (!body.ok() || !body->is_object()) {
      return call.reply(
          ProblemResponse(400, "the body is no JSON object like {\"reason\": \"…\"}"));
    }
    reason = std::string(body->StringOr("reason", reason));
    if (reason.size() > limits::kProblemDetailBytes) {
      return call.reply(
          ProblemResponse(400, fmt::format("the reason is {} bytes long; {} are possible",
                                           reason.size(), limits::kProblemDetailBytes)));
    }
  }
  command.mutable_cancel_instance()->set_reason(reason);
  Submit(std::move(command), kPatience,
         [reply = std::move(call.reply)](absl::StatusOr<std::string> bytes) mutable {
           reply(Answer(ReadReply(std::move(bytes)), InstanceSummary, 200, 200));
         });
}

}  // namespace

void AddInstanceRoutes(const ApiParts& parts, Routes* routes) {
  const auto api = std::make_shared<const InstancesApi>(parts);
  routes->Add("POST", "/api/v1/definitions/{namespace}/{name}/instances", InPath(Role::kOperator),
              {"version", "wait", "id"}, [api](Call call) { api->Start(std::move(call)); });
  routes->Add("GET", "/api/v1/instances/{id}", OfInstance(Role::kViewer), {"wait"},
              [api](Call call) { api->Describe(std::move(call)); });
  routes->Add("POST", "/api/v1/instances/{id}/cancel", OfInstance(Role::kOperator), {},
              [api](Call call) { api->Cancel(std::move(call)); });
}

}  // namespace jaque::ui
