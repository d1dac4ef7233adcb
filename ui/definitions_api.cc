// SPDX-License-Identifier: Apache-2.0
#include "ui/definitions_api.h"

#include <optional>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/logging.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "dsl/load.h"
#include "expression/json.h"
#include "fmt/format.h"
#include "ui/answers.h"
#include "ui/definition_json.h"
#include "ui/encoding.h"
#include "ui/parameters.h"
#include "ui/problem.h"
#include "ui/start_request.h"

namespace jaque::ui {
namespace {

class DefinitionsApi {
 public:
  DefinitionsApi(const ApiParts& parts, const CommandSender* sender)
      : parts_(parts), sender_(*sender) {}

  HttpResponse Create(const Call& call) const;
  HttpResponse Validate(const Call& call) const;
  HttpResponse Delete(const Call& call) const;

 private:
  std::string ValidationJson(const dsl::LoadResult& loaded) const;
  HttpResponse Store(const Call& call, const DefinitionStore::WorkflowPtr& workflow) const;
  // Tells the schedule of that name that its definition changed. `scheduled`: the version that was
  // stored or deleted has one.
  absl::Status FollowSchedule(const Call& call, const std::string& name, bool scheduled) const;

  const ApiParts parts_;
  const CommandSender& sender_;
};

std::string DefinitionsApi::ValidationJson(const dsl::LoadResult& loaded) const {
  JsonWriter out;
  out.Bool("valid", loaded.findings.empty()).Member("findings", FindingsValue(loaded.findings));
  if (loaded.workflow == nullptr) return out.Take();
  out.Member("definition", DefinitionIdentity(*loaded.workflow));
  const auto stored = parts_.definitions->Get(loaded.workflow->id());
  if (stored.ok()) {
    out.Text("exists", (*stored)->source == loaded.workflow->source ? "same" : "other");
  }
  return out.Take();
}

HttpResponse DefinitionsApi::Validate(const Call& call) const {
  return JsonResponse(200, ValidationJson(dsl::Load(call.request.body)));
}

HttpResponse DefinitionsApi::Create(const Call& call) const {
  const absl::StatusOr<bool> dry_run = ReadFlag(call, "dryRun");
  if (!dry_run.ok()) return ProblemOfStatus(dry_run.status());
  const dsl::LoadResult loaded = dsl::Load(call.request.body);
  if (loaded.workflow == nullptr) return FindingsResponse(loaded.findings);
  if (!call.caller.May(Role::kAuthor, loaded.workflow->namespace_)) {
    return ProblemResponse(403, fmt::format("{} may not change definitions of the namespace {}",
                                            call.caller.name, loaded.workflow->namespace_));
  }
  if (*dry_run) return JsonResponse(200, ValidationJson(loaded));
  return Store(call, loaded.workflow);
}

HttpResponse DefinitionsApi::Store(const Call& call,
                                   const DefinitionStore::WorkflowPtr& workflow) const {
  const absl::Status stored = parts_.definitions->Put(workflow);
  if (absl::IsAlreadyExists(stored)) {
    return ProblemResponse(
        409, fmt::format("{} exists with another text; a definition never changes, so give this "
                         "one a new version",
                         workflow->id()));
  }
  if (!stored.ok()) return ProblemOfStatus(stored);
  const absl::Status followed = FollowSchedule(call, workflow->namespace_ + "/" + workflow->name,
                                               workflow->schedule.has_value());
  // It is stored: the same request again sets the schedule too.
  if (!followed.ok()) return ProblemOfStatus(followed);
  HttpResponse response = JsonResponse(201, ToJson(DefinitionIdentity(*workflow)));
  response.headers.emplace_back(
      "Location", fmt::format("/api/v1/definitions/{}/{}?version={}", workflow->namespace_,
                              workflow->name, workflow->version));
  response.headers.emplace_back("ETag", DefinitionTag(*workflow));
  return response;
}

absl::Status DefinitionsApi::FollowSchedule(const Call& call, const std::string& name,
                                            bool scheduled) const {
  // One that had a schedule in an earlier version may lose it.
  const std::string prefix = name + ":";
  for (const std::string& id : parts_.definitions->List()) {
    if (scheduled || id.compare(0, prefix.size(), prefix) != 0) continue;
    const auto other = parts_.definitions->Get(id);
    scheduled = other.ok() && (*other)->schedule.has_value();
  }
  if (!scheduled) return absl::OkStatus();
  v1::Command command;
  command.set_object_id("schedule/" + name);
  command.set_actor(ActorOf(call));
  command.mutable_set_schedule();
  ASSIGN_OR_RETURN(const v1::CommandReply reply, sender_.SubmitAndWait(std::move(command)));
  if (reply.code() == v1::CommandReply::CODE_OK ||
      reply.code() == v1::CommandReply::CODE_NOT_FOUND) {
    return absl::OkStatus();
  }
  return absl::UnavailableError("the definition is stored, its schedule is not set: " +
                                reply.message());
}

HttpResponse DefinitionsApi::Delete(const Call& call) const {
  if (ReadText(call, "version").empty()) {
    return ProblemResponse(400, "version: is missing; one version is deleted at a time");
  }
  const auto found = FindDefinition(parts_, call);
  if (!found.ok()) return ProblemOfStatus(found.status());
  if (!MatchesTag(call.request.Header("If-Match"), DefinitionTag(**found), /*fallback=*/true)) {
    return ProblemResponse(412, "the definition is not the one that If-Match means");
  }
  const absl::Status deleted = parts_.deletion->Delete((*found)->id());
  if (!deleted.ok()) return ProblemOfStatus(deleted);
  const absl::Status followed =
      FollowSchedule(call, call.path[0] + "/" + call.path[1], (*found)->schedule.has_value());
  if (!followed.ok()) return ProblemOfStatus(followed);
  HttpResponse response;
  response.status = 204;
  response.content_type.clear();
  return response;
}

}  // namespace

void AddDefinitionRoutes(const ApiParts& parts, const CommandSender* sender, WorkPool* pool,
                         WorkPool* loader, Routes* routes) {
  const auto api = std::make_shared<const DefinitionsApi>(parts, sender);
  const auto add = [&](const char* method, const char* path, Access access,
                       std::vector<std::string> parameters, WorkPool* threads,
                       HttpResponse (DefinitionsApi::*serve)(const Call&) const) {
    routes->Add(method, path, access, std::move(parameters), [api, threads, serve](Call call) {
      threads->Answer(std::move(call),
                      [api, serve](const Call& taken) { return (*api.*serve)(taken); });
    });
  };
  add("POST", "/api/v1/definitions", Somewhere(Role::kAuthor), {"dryRun"}, loader,
      &DefinitionsApi::Create);
  add("POST", "/api/v1/definitions/validate", Somewhere(Role::kViewer), {}, loader,
      &DefinitionsApi::Validate);
  add("DELETE", "/api/v1/definitions/{namespace}/{name}", InPath(Role::kAuthor), {"version"}, pool,
      &DefinitionsApi::Delete);
}

}  // namespace jaque::ui
