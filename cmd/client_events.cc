// SPDX-License-Identifier: Apache-2.0
// send-event, and which instances took one.
#include "absl/strings/str_split.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/random.h"
#include "base/status_macros.h"
#include "cmd/client_command.h"
#include "cmd/files.h"
#include "cmd/table.h"
#include "expression/json.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

struct EventFlags {
  std::string file, type, source = "jaque", id, subject, data;
  std::vector<std::string> attributes;
};

// What the flags say, as a CloudEvent.
absl::StatusOr<std::string> EventText(const EventFlags& flags) {
  Value event = Value::Object({{"specversion", Value::String("1.0")},
                               {"id", Value::String(flags.id)},
                               {"source", Value::String(flags.source)},
                               {"type", Value::String(flags.type)}});
  if (!flags.subject.empty()) event.Set("subject", Value::String(flags.subject));
  for (const std::string& attribute : flags.attributes) {
    const std::vector<std::string> sides = absl::StrSplit(attribute, absl::MaxSplits('=', 1));
    if (sides.size() != 2) {
      return absl::InvalidArgumentError(fmt::format("-attribute {}: write NAME=VALUE", attribute));
    }
    event.Set(sides[0], Value::String(sides[1]));
  }
  if (!flags.data.empty()) {
    ASSIGN_OR_RETURN(const std::string data, ReadJsonText("-data", flags.data));
    event.Set("data", *ParseJson(data));
  }
  return ToJson(event);
}

int SendEvent(const ClientCommand& command, const std::vector<std::string>& arguments) {
  EventFlags flags;
  Session session(
      command,
      "The event of the flags, or those of a file (one CloudEvent or an array of them; - "
      "for\nstandard input). The same source and id again is taken once.\n");
  session.Take("file", &flags.file);
  session.AddText("type", &flags.type, "TYPE", "of the event");
  session.AddText("event-source", &flags.source, "URI", "who sends it (default jaque)");
  session.AddText("id", &flags.id, "ID", "of the event (default: made up)");
  session.AddText("subject", &flags.subject, "TEXT", "what it is about");
  session.AddText("data", &flags.data, "JSON", "its data: JSON, @FILE or -");
  session.AddList("attribute", &flags.attributes, "NAME=VALUE", "a further attribute");
  if (const auto code = session.Begin(arguments)) return *code;
  if (flags.file.empty() == flags.type.empty()) return session.Usage("a FILE, or -type");
  if (flags.id.empty()) flags.id = IdGenerator(&SystemClock(), EntropySeed()).Ulid();
  const absl::StatusOr<std::string> text =
      flags.file.empty() ? EventText(flags) : ReadFile(flags.file, limits::kRequestBytes);
  if (!text.ok()) return session.Fail(text.status());
  ApiRequest request;
  request.method = "POST";
  request.path = "/api/v1/events";
  request.body = *text;
  const bool batch = text->find_first_not_of(" \t\r\n") != std::string::npos &&
                     (*text)[text->find_first_not_of(" \t\r\n")] == '[';
  request.content_type =
      batch ? "application/cloudevents-batch+json" : "application/cloudevents+json";
  const absl::StatusOr<Value> answer = session.client().Send(request);
  if (!answer.ok()) return session.Fail(answer.status());
  return session.Show(
      *answer, [&](const Value&) { return flags.file.empty() ? flags.id : ""; },
      [&] {
        return flags.file.empty() ? fmt::format("{} sent\n", flags.id)
                                  : fmt::format("{} events sent\n", TextOf(*answer, "accepted"));
      });
}

int Matches(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string source, id;
  Session session(command);
  session.Take("source", &source);
  session.Take("id", &id);
  if (const auto code = session.Begin(arguments)) return *code;
  if (source.empty() || id.empty()) return session.Usage("say the source and the id of the event");
  ApiRequest request;
  request.path = "/api/v1/events/matches";
  request.query = {{"source", source}, {"id", id}};
  const absl::StatusOr<Value> page = session.client().Send(request);
  if (!page.ok()) return session.Fail(page.status());
  const Value* const items = page->Find("items");
  const Value rows = items != nullptr ? *items : Value::Array();
  return session.Show(
      rows, [](const Value& row) { return TextOf(row, "instance"); },
      [&] {
        Table table({"INSTANCE", "TASK", "TAKEN"});
        for (size_t i = 0; i < rows.size(); ++i) {
          table.Add({TextOf(rows.at(i), "instance"), TextOf(rows.at(i), "task"),
                     RelativeTime(TimeOf(rows.at(i), "at"), session.now())});
        }
        return table.empty() ? "nobody took it\n" : table.Text(session.colors());
      });
}

}  // namespace

absl::Span<const ClientCommand> EventCommands() {
  static constexpr ClientCommand kCommands[] = {
      {"send-event", "FILE | -type TYPE [flags]", "send CloudEvents to those that listen",
       &SendEvent},
      {"event-matches", "SOURCE ID", "list the instances that took an event", &Matches},
  };
  return kCommands;
}

}  // namespace jaque::cmd
