// SPDX-License-Identifier: Apache-2.0
// What is asked of schedules.
#include "cmd/client_command.h"
#include "cmd/exit_code.h"
#include "cmd/progress.h"
#include "cmd/table.h"
#include "expression/json.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

std::string Name(const Value& row) { return TextOf(row, "namespace") + "/" + TextOf(row, "name"); }

absl::StatusOr<std::string> SchedulePath(const std::string& text) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size()) {
    return absl::InvalidArgumentError(fmt::format("\"{}\": write NAMESPACE/NAME", text));
  }
  return fmt::format("/api/v1/schedules/{}/{}", EscapeSegment(text.substr(0, slash)),
                     EscapeSegment(text.substr(slash + 1)));
}

std::string ScheduleTable(const Value& items, const Session& session) {
  Table table({"SCHEDULE", "STARTS", "STATE", "RULE", "NEXT", "LAST", "FIRED"});
  for (size_t i = 0; i < items.size(); ++i) {
    const Value& row = items.at(i);
    const bool paused = TextOf(row, "paused") == "true";
    table.Add({Name(row), TextOf(row, "definition"), paused ? "paused" : "active",
               TextOf(row, "rule"), RelativeTime(TimeOf(row, "nextDueAt"), session.now()),
               RelativeTime(TimeOf(row, "lastDueAt"), session.now()), TextOf(row, "fired")});
  }
  return table.empty() ? "there are none\n" : table.Text(session.colors());
}

int List(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string namespace_;
  Session session(command);
  session.AddText("namespace", &namespace_, "NAME", "only of this one");
  if (const auto code = session.Begin(arguments)) return *code;
  ApiRequest request;
  request.path = "/api/v1/schedules";
  if (!namespace_.empty()) request.query.emplace_back("namespace", namespace_);
  const absl::StatusOr<Value> page = session.client().Send(request);
  if (!page.ok()) return session.Fail(page.status());
  const Value* const items = page->Find("items");
  const Value rows = items != nullptr ? *items : Value::Array();
  return session.Show(rows, Name, [&] { return ScheduleTable(rows, session); });
}

int ShowSchedule(const Session& session, const Value& schedule) {
  return session.Show(schedule, Name, [&] {
    Value rows = Value::Array();
    rows.Append(schedule);
    std::string text = ScheduleTable(rows, session);
    if (const std::string reason = TextOf(schedule, "reason"); !reason.empty()) {
      text += "paused because: " + Printable(reason) + "\n";
    }
    const Value* const next = schedule.Find("next");
    for (size_t i = 0; next != nullptr && next->is_array() && i < next->size(); ++i) {
      text += fmt::format("{}{}\n", i == 0 ? "next firings:\n  " : "  ",
                          std::string(next->at(i).is_string() ? next->at(i).AsString() : ""));
    }
    return text;
  });
}

int Get(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string name;
  Session session(command);
  session.Take("name", &name);
  if (const auto code = session.Begin(arguments)) return *code;
  const absl::StatusOr<std::string> path = SchedulePath(name);
  if (!path.ok()) return session.Fail(path.status());
  ApiRequest request;
  request.path = *path;
  const absl::StatusOr<Value> schedule = session.client().Send(request);
  if (!schedule.ok()) return session.Fail(schedule.status());
  return ShowSchedule(session, *schedule);
}

// pause and resume.
int Change(const ClientCommand& command, const std::vector<std::string>& arguments) {
  const std::string verb(command.name.substr(command.name.find(' ') + 1));
  std::string name, reason;
  Session session(command);
  session.Take("name", &name);
  if (verb == "pause") session.AddText("reason", &reason, "TEXT", "to be shown with the schedule");
  if (const auto code = session.Begin(arguments)) return *code;
  const absl::StatusOr<std::string> path = SchedulePath(name);
  if (!path.ok()) return session.Fail(path.status());
  ApiRequest request;
  request.method = "POST";
  request.path = *path + "/" + verb;
  if (!reason.empty()) request.body = ToJson(Value::Object({{"reason", Value::String(reason)}}));
  const absl::StatusOr<Value> schedule = session.client().Send(request);
  if (!schedule.ok()) return session.Fail(schedule.status());
  return ShowSchedule(session, *schedule);
}

// trigger and backfill: the instances that they start.
int StartNow(Session* session, const std::string& name, const std::string& verb,
             const std::string& body) {
  const absl::StatusOr<std::string> path = SchedulePath(name);
  if (!path.ok()) return session->Fail(path.status());
  ApiRequest request;
  request.method = "POST";
  request.path = *path + "/" + verb;
  request.body = body;
  const absl::StatusOr<Value> answer = session->client().Send(request);
  if (!answer.ok()) return session->Fail(answer.status());
  const Value* const started = answer->Find("started");
  const Value ids = started != nullptr ? *started : Value::Array();
  const auto text = [](const Value& id) {
    return std::string(id.is_string() ? id.AsString() : std::string_view());
  };
  return session->Show(ids, text, [&] {
    std::string lines;
    for (size_t i = 0; i < ids.size(); ++i) lines += text(ids.at(i)) + "\n";
    return lines.empty() ? "nothing was started\n" : lines;
  });
}

int Trigger(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string name, input;
  Session session(command);
  session.Take("name", &name);
  session.AddText("input", &input, "JSON", "of the instance: JSON, @FILE or -");
  if (const auto code = session.Begin(arguments)) return *code;
  std::string body;
  if (!input.empty()) {
    const absl::StatusOr<std::string> json = ReadJsonText("-input", input);
    if (!json.ok()) return session.Fail(json.status());
    body = *json;
  }
  return StartNow(&session, name, "trigger", body);
}

int Backfill(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string name, from, to;
  Session session(command, "Each firing that was due in between, once: 2026-11-01T00:00:00Z.\n");
  session.Take("name", &name);
  session.AddText("from", &from, "TIME", "RFC 3339; included");
  session.AddText("to", &to, "TIME", "RFC 3339; not included");
  if (const auto code = session.Begin(arguments)) return *code;
  if (from.empty() || to.empty()) return session.Usage("say -from and -to");
  return StartNow(
      &session, name, "backfill",
      ToJson(Value::Object({{"from", Value::String(from)}, {"to", Value::String(to)}})));
}

}  // namespace

absl::Span<const ClientCommand> ScheduleCommands() {
  static constexpr ClientCommand kCommands[] = {
      {"schedules list", "[flags]", "list schedules", &List},
      {"schedules get", "NAMESPACE/NAME", "show a schedule and its next firings", &Get},
      {"schedules pause", "NAMESPACE/NAME [-reason TEXT]", "hold a schedule", &Change},
      {"schedules resume", "NAMESPACE/NAME", "let a schedule go on", &Change},
      {"schedules trigger", "NAMESPACE/NAME [-input JSON]", "fire a schedule now", &Trigger},
      {"schedules backfill", "NAMESPACE/NAME -from TIME -to TIME", "make up for firings",
       &Backfill},
  };
  return kCommands;
}

}  // namespace jaque::cmd
