// SPDX-License-Identifier: Apache-2.0
#include "ui/schedules_api.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/status_macros.h"
#include "expression/json.h"
#include "fmt/format.h"
#include "ui/answers.h"
#include "ui/definition_json.h"
#include "ui/encoding.h"
#include "ui/json_writer.h"
#include "ui/parameters.h"
#include "ui/problem.h"
#include "ui/start_request.h"
#include "ui/store_handler.h"

namespace jaque::ui {
namespace {

constexpr int64_t kFirings = 10;  // shown unless asked for more

// Changes with what people decide about a schedule, not with each firing.
std::string ScheduleTag(const v1::ScheduleDescription& schedule) {
  return EntityTag(
      fmt::format("{}\n{}\n{}", schedule.definition(), schedule.paused(), schedule.reason()));
}

// Without the end.
JsonWriter ScheduleWriter(const v1::ScheduleDescription& schedule, const std::string& namespace_,
                          const std::string& name, const dsl::Workflow* workflow) {
  JsonWriter out;
  out.Text("namespace", namespace_)
      .Text("name", name)
      .Member("definition", Value::String(schedule.definition()));
  if (workflow != nullptr && WrittenSchedule(*workflow) != nullptr) {
    out.Member("rule", *WrittenSchedule(*workflow));
  }
  out.Bool("paused", schedule.paused())
      .Text("reason", schedule.reason())
      .Time("nextDueAt", schedule.next_due_micros())
      .Time("lastDueAt", schedule.last_due_micros())
      .Text("lastInstance", schedule.last_instance())
      .Int("fired", static_cast<int64_t>(schedule.fired()));
  return out;
}

// The firings to come, as far as they are known: of `after` and `on` only the next.
Value Firings(const v1::ScheduleDescription& schedule, const dsl::Workflow* workflow,
              int64_t count) {
  Value list = Value::Array();
  absl::Time due = absl::FromUnixMicros(schedule.next_due_micros());
  if (schedule.paused() || schedule.next_due_micros() == 0) return list;
  for (int64_t i = 0; i < count; ++i) {
    list.Append(Value::String(TimeText(absl::ToUnixMicros(due))));
    if (workflow == nullptr || !workflow->schedule.has_value()) break;
    if (workflow->schedule->cron.has_value()) {
      due = workflow->schedule->cron->Next(due);
    } else if (workflow->schedule->every.has_value() &&
               workflow->schedule->every->literal > absl::ZeroDuration()) {
      due += workflow->schedule->every->literal;
    } else {
      break;
    }
  }
  return list;
}

class SchedulesApi {
 public:
  SchedulesApi(const ApiParts& parts, const CommandSender* sender)
      : parts_(parts), sender_(*sender) {}

  absl::StatusOr<HttpResponse> Show(const Call& call) const;
  absl::StatusOr<HttpResponse> Pause(const Call& call) const;
  absl::StatusOr<HttpResponse> Resume(const Call& call) const;
  absl::StatusOr<HttpResponse> Trigger(const Call& call) const;
  absl::StatusOr<HttpResponse> Backfill(const Call& call) const;

 private:
  DefinitionStore::WorkflowPtr Definition(const v1::ScheduleDescription& schedule) const;
  // What the schedule's engine answers.
  absl::StatusOr<v1::CommandReply> Ask(const Call& call, v1::Command command) const;
  HttpResponse Details(const Call& call, const v1::ScheduleDescription& schedule,
                       int64_t firings) const;
  // A change of two people at once is seen: If-Match must have the tag of now.
  absl::StatusOr<HttpResponse> Change(const Call& call, v1::Command command) const;
  absl::StatusOr<HttpResponse> Start(const Call& call, v1::Command command) const;

  const ApiParts parts_;
  const CommandSender& sender_;
};

DefinitionStore::WorkflowPtr SchedulesApi::Definition(
    const v1::ScheduleDescription& schedule) const {
  auto found = parts_.definitions->Get(schedule.definition());
  return found.ok() ? *std::move(found) : nullptr;
}

absl::StatusOr<v1::CommandReply> SchedulesApi::Ask(const Call& call, v1::Command command) const {
  command.set_object_id("schedule/" + call.path[0] + "/" + call.path[1]);
  command.set_actor(ActorOf(call));
  return sender_.SubmitAndWait(std::move(command));
}

HttpResponse SchedulesApi::Details(const Call& call, const v1::ScheduleDescription& schedule,
                                   int64_t firings) const {
  const DefinitionStore::WorkflowPtr workflow = Definition(schedule);
  JsonWriter out = ScheduleWriter(schedule, call.path[0], call.path[1], workflow.get());
  out.Member("next", Firings(schedule, workflow.get(), firings));
  HttpResponse response = JsonResponse(200, out.Take());
  response.headers.emplace_back("ETag", ScheduleTag(schedule));
  return response;
}

absl::StatusOr<HttpResponse> SchedulesApi::Show(const Call& call) const {
  ASSIGN_OR_RETURN(const int64_t firings,
                   ReadNumber(call, "firings", 0, limits::kFiringsShown, kFirings));
  v1::Command command;
  command.mutable_describe_schedule();
  ASSIGN_OR_RETURN(const v1::CommandReply reply, Ask(call, std::move(command)));
  if (reply.code() != v1::CommandReply::CODE_OK) return ProblemOfReply(reply);
  HttpResponse response = Details(call, reply.schedule(), firings);
  // The tag is for If-Match; whoever asks again wants the firings too.
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

absl::StatusOr<HttpResponse> SchedulesApi::Change(const Call& call, v1::Command command) const {
  const std::string_view if_match = call.request.Header("If-Match");
  if (!if_match.empty()) {
    v1::Command describe;
    describe.mutable_describe_schedule();
    ASSIGN_OR_RETURN(const v1::CommandReply now, Ask(call, std::move(describe)));
    if (now.code() != v1::CommandReply::CODE_OK) return ProblemOfReply(now);
    if (!MatchesTag(if_match, ScheduleTag(now.schedule()), /*fallback=*/true)) {
      return ProblemResponse(412, "the schedule is not any more as If-Match means");
    }
  }
  ASSIGN_OR_RETURN(const v1::CommandReply reply, Ask(call, std::move(command)));
  if (reply.code() != v1::CommandReply::CODE_OK) return ProblemOfReply(reply);
  return Details(call, reply.schedule(), kFirings);
}

absl::StatusOr<HttpResponse> SchedulesApi::Pause(const Call& call) const {
  v1::Command command;
  ASSIGN_OR_RETURN(*command.mutable_pause_schedule()->mutable_reason(),
                   ReadReason(call, "paused by a request"));
  return Change(call, std::move(command));
}

absl::StatusOr<HttpResponse> SchedulesApi::Resume(const Call& call) const {
  v1::Command command;
  command.mutable_resume_schedule();
  return Change(call, std::move(command));
}

absl::StatusOr<HttpResponse> SchedulesApi::Start(const Call& call, v1::Command command) const {
  ASSIGN_OR_RETURN(const v1::CommandReply reply, Ask(call, std::move(command)));
  if (reply.code() != v1::CommandReply::CODE_OK) return ProblemOfReply(reply);
  Value started = Value::Array();
  for (const std::string& id : reply.schedule().started()) started.Append(Value::String(id));
  JsonWriter out;
  out.Member("started", started);
  return JsonResponse(202, out.Take());
}

absl::StatusOr<HttpResponse> SchedulesApi::Trigger(const Call& call) const {
  ASSIGN_OR_RETURN(const Value body, ReadObject(call, {"input"}));
  v1::Command command;
  command.mutable_trigger_schedule();
  if (const Value* input = body.Find("input")) {
    ASSIGN_OR_RETURN(*command.mutable_trigger_schedule()->mutable_input(),
                     CheckInput(ToJson(*input)));
  }
  return Start(call, std::move(command));
}

absl::StatusOr<HttpResponse> SchedulesApi::Backfill(const Call& call) const {
  ASSIGN_OR_RETURN(const Value body, ReadObject(call, {"from", "to"}));
  ASSIGN_OR_RETURN(const std::string from_text, TextMember(body, "from", ""));
  ASSIGN_OR_RETURN(const std::string to_text, TextMember(body, "to", ""));
  ASSIGN_OR_RETURN(const store::Micros from, ParseTime("from", from_text));
  ASSIGN_OR_RETURN(const store::Micros to, ParseTime("to", to_text));
  if (from == 0 || to == 0) return absl::InvalidArgumentError("from and to: both are needed");
  if (to <= from) return absl::InvalidArgumentError("to: is not after from");
  if (to > absl::ToUnixMicros(parts_.clock->Now())) {
    return absl::InvalidArgumentError("to: has not passed yet");
  }
  v1::Command command;
  command.mutable_backfill_schedule()->set_from_micros(from);
  command.mutable_backfill_schedule()->set_to_micros(to);
  return Start(call, std::move(command));
}

absl::StatusOr<HttpResponse> List(const ApiParts& parts, const Call& call) {
  const std::string namespace_ = ReadText(call, "namespace");
  ASSIGN_OR_RETURN(std::vector<store::ScheduleRow> rows, parts.store->ListSchedules());
  ListWriter list;
  for (const store::ScheduleRow& row : rows) {
    if ((!namespace_.empty() && row.namespace_ != namespace_) ||
        !call.caller.May(Role::kViewer, row.namespace_)) {
      continue;
    }
    const auto workflow = parts.definitions->Get(row.schedule.definition());
    list.Add(ScheduleWriter(row.schedule, row.namespace_, row.name,
                            workflow.ok() ? workflow->get() : nullptr)
                 .Take());
  }
  return JsonResponse(200, list.Take(""));
}

}  // namespace

void AddScheduleRoutes(const ApiParts& parts, const CommandSender* sender, WorkPool* pool,
                       Routes* routes) {
  routes->Add("GET", "/api/v1/schedules", Somewhere(Role::kViewer), {"namespace"},
              OnStore(parts, pool, List));
  const auto api = std::make_shared<const SchedulesApi>(parts, sender);
  const auto add = [&](const char* method, const char* rest, Role role,
                       std::vector<std::string> parameters,
                       absl::StatusOr<HttpResponse> (SchedulesApi::*serve)(const Call&) const) {
    routes->Add(method, std::string("/api/v1/schedules/{namespace}/{name}") + rest, InPath(role),
                std::move(parameters), [api, pool, serve](Call call) {
                  pool->Answer(std::move(call), [api, serve](const Call& taken) {
                    absl::StatusOr<HttpResponse> response = (*api.*serve)(taken);
                    return response.ok() ? *std::move(response)
                                         : ProblemOfRequest(response.status());
                  });
                });
  };
  add("GET", "", Role::kViewer, {"firings"}, &SchedulesApi::Show);
  add("POST", "/pause", Role::kOperator, {}, &SchedulesApi::Pause);
  add("POST", "/resume", Role::kOperator, {}, &SchedulesApi::Resume);
  add("POST", "/trigger", Role::kOperator, {}, &SchedulesApi::Trigger);
  add("POST", "/backfill", Role::kOperator, {}, &SchedulesApi::Backfill);
}

}  // namespace jaque::ui
