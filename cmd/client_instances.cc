// SPDX-License-Identifier: Apache-2.0
// start, list, get, tasks, history.
#include <cstdio>

#include "absl/strings/numbers.h"
#include "base/duration.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "cmd/client_command.h"
#include "cmd/client_watch.h"
#include "cmd/exit_code.h"
#include "cmd/progress.h"
#include "cmd/table.h"
#include "cmd/terminal.h"
#include "expression/json.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

std::string Id(const Value& item) { return TextOf(item, "id"); }

bool HasEnded(const Value& outcome) {
  const std::string status = TextOf(outcome, "status");
  return status == "completed" || status == "faulted" || status == "cancelled";
}

struct StartFlags {
  std::string definition, input, id, wait, key;
  std::vector<std::string> tags;
  bool watch = false;
};

// "namespace/name" or "namespace/name:version".
absl::StatusOr<ApiRequest> StartRequest(const StartFlags& flags) {
  const size_t slash = flags.definition.find('/');
  const size_t colon = std::min(flags.definition.find(':'), flags.definition.size());
  if (slash == std::string::npos || slash == 0 || slash + 1 >= colon) {
    return absl::InvalidArgumentError(
        fmt::format("\"{}\": write NAMESPACE/NAME or NAMESPACE/NAME:VERSION", flags.definition));
  }
  ApiRequest request;
  request.method = "POST";
  request.path = fmt::format("/api/v1/definitions/{}/{}/instances",
                             EscapeSegment(flags.definition.substr(0, slash)),
                             EscapeSegment(flags.definition.substr(slash + 1, colon - slash - 1)));
  if (colon < flags.definition.size()) {
    request.query.emplace_back("version", flags.definition.substr(colon + 1));
  }
  if (!flags.id.empty()) request.query.emplace_back("id", flags.id);
  for (const std::string& tag : flags.tags) request.query.emplace_back("tag", tag);
  if (!flags.key.empty()) request.headers.push_back("Idempotency-Key: " + flags.key);
  if (!flags.input.empty()) {
    ASSIGN_OR_RETURN(request.body, ReadJsonText("-input", flags.input));
  }
  return request;
}

// The server waits a minute at most for one request.
std::string WaitText(absl::Duration left) {
  return absl::FormatDuration(
      std::clamp(left, absl::Milliseconds(1), absl::Seconds(limits::kWaitSeconds)));
}

absl::StatusOr<Value> AwaitEnd(Client* client, Value outcome, absl::Time until) {
  while (!HasEnded(outcome) && absl::Now() < until) {
    ApiRequest request;
    request.path = "/api/v1/instances/" + EscapeSegment(Id(outcome));
    request.query.emplace_back("wait", WaitText(until - absl::Now()));
    ASSIGN_OR_RETURN(outcome, client->Send(request));
  }
  return outcome;
}

int ShowOutcome(const Session& session, const Value& outcome) {
  session.Show(outcome, Id, [&] {
    std::string text = fmt::format("{}  {}\n", Id(outcome),
                                   PaintState(TextOf(outcome, "status"), session.colors()));
    if (const Value* output = outcome.Find("output")) {
      text += ToJson(*output, {.indent = 2, .colors = session.colors()}) + "\n";
    }
    if (const Value* error = outcome.Find("error")) {
      text += ToJson(*error, {.indent = 2, .colors = session.colors()}) + "\n";
    }
    return text;
  });
  const std::string status = TextOf(outcome, "status");
  return status == "faulted" || status == "cancelled" ? kExitFaulted : kExitOk;
}

int Start(const ClientCommand& command, const std::vector<std::string>& arguments) {
  StartFlags flags;
  Session session(
      command,
      "The id of the instance goes to standard output. With -wait or -watch the exit code "
      "is 0 if\nit completed in time (or still runs), 1 if it faulted or was cancelled.\n");
  session.Take("definition", &flags.definition);
  session.AddText("input", &flags.input, "JSON", "its input: JSON, @FILE, or - for standard input");
  session.AddText("id", &flags.id, "ID", "of the instance (default: made up by the server)");
  session.AddList("tag", &flags.tags, "KEY:VALUE", "to find it by");
  session.AddText("key", &flags.key, "TEXT",
                  "idempotency key: a second start with it starts nothing");
  session.AddText("wait", &flags.wait, "DURATION", "wait so long for its end");
  session.AddSwitch("watch", &flags.watch, "show its tasks as they run, to its end");
  if (const auto code = session.Begin(arguments)) return *code;
  if (flags.definition.empty()) return session.Usage("say what to start");
  absl::Duration wait;
  if (!flags.wait.empty()) {
    const absl::StatusOr<absl::Duration> parsed = ParseGoDuration(flags.wait);
    if (!parsed.ok()) return session.Usage("-wait: " + std::string(parsed.status().message()));
    wait = *parsed;
  }
  absl::StatusOr<ApiRequest> request = StartRequest(flags);
  if (!request.ok()) return session.Fail(request.status());
  const absl::Time until = session.now() + wait;
  if (wait > absl::ZeroDuration()) request->query.emplace_back("wait", WaitText(wait));
  absl::StatusOr<Value> outcome = session.client().Send(*request);
  if (outcome.ok() && flags.watch) return WatchInstance(&session, Id(*outcome));
  if (outcome.ok()) outcome = AwaitEnd(&session.client(), *outcome, until);
  if (!outcome.ok()) return session.Fail(outcome.status());
  return ShowOutcome(session, *outcome);
}

int List(const ClientCommand& command, const std::vector<std::string>& arguments) {
  FilterFlags filter;
  size_t limit = 50;
  bool oldest = false;
  Session session(command, "The newest first.\n");
  AddFilterFlags(&session, &filter);
  session.AddLimit(&limit);
  session.AddSwitch("oldest-first", &oldest, "the oldest first");
  if (const auto code = session.Begin(arguments)) return *code;
  const auto query = FilterQuery(filter, session.now());
  if (!query.ok()) return session.Fail(query.status());
  ApiRequest request;
  request.path = "/api/v1/instances";
  request.query = *query;
  if (oldest) request.query.emplace_back("order", "oldest");
  const absl::StatusOr<Value> items = FetchItems(&session.client(), request, limit);
  if (!items.ok()) return session.Fail(items.status());
  return session.Show(*items, Id, [&] { return InstanceTable(*items, session); });
}

// What there is to say of an instance, one line each.
std::string Describe(const Value& instance, const Session& session) {
  std::string text;
  const auto line = [&text](const char* title, const std::string& value) {
    if (!value.empty()) text += fmt::format("{:<12} {}\n", title, Printable(value));
  };
  const auto json = [&](const char* title, const char* member) {
    const Value* const value = instance.Find(member);
    if (value == nullptr) return;
    text +=
        fmt::format("{}\n{}\n", title, ToJson(*value, {.indent = 2, .colors = session.colors()}));
  };
  const auto time = [&](const char* title, const char* member) {
    const absl::Time at = TimeOf(instance, member);
    if (at == absl::InfinitePast()) return;
    line(title,
         fmt::format("{} ({})", absl::FormatTime("%Y-%m-%d %H:%M:%E3S", at, absl::LocalTimeZone()),
                     RelativeTime(at, session.now())));
  };
  line("id", Id(instance));
  line("definition", TextOf(instance, "definition"));
  text += fmt::format("{:<12} {}\n", "status",
                      PaintState(TextOf(instance, "status"), session.colors()));
  line("reason", TextOf(instance, "reason"));
  time("started", "startedAt");
  time("ended", "endedAt");
  line("actor", TextOf(instance, "actor"));
  line("parent", TextOf(instance, "parent"));
  line("rerun of", TextOf(instance, "rerunOf"));
  line("schedule", TextOf(instance, "schedule"));
  line("tags", TextOf(instance, "tags"));
  const Value* const active = instance.Find("active");
  for (size_t i = 0; active != nullptr && i < active->size(); ++i) {
    line(i == 0 ? "does now" : "", TextOf(active->at(i), "pointer"));
  }
  json("input", "input");
  json("output", "output");
  json("error", "error");
  return text;
}

int Get(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string id;
  Session session(command);
  session.Take("id", &id);
  if (const auto code = session.Begin(arguments)) return *code;
  if (id.empty()) return session.Usage("say which instance");
  ApiRequest request;
  request.path = "/api/v1/instances/" + EscapeSegment(id);
  const absl::StatusOr<Value> instance = session.client().Send(request);
  if (!instance.ok()) return session.Fail(instance.status());
  return session.Show(*instance, Id, [&] { return Describe(*instance, session); });
}

int Tasks(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string id;
  Session session(command);
  session.Take("id", &id);
  if (const auto code = session.Begin(arguments)) return *code;
  if (id.empty()) return session.Usage("say of which instance");
  ApiRequest request;
  request.path = fmt::format("/api/v1/instances/{}/tasks", EscapeSegment(id));
  const absl::StatusOr<Value> items = FetchItems(&session.client(), request, 0);
  if (!items.ok()) return session.Fail(items.status());
  return session.Show(
      *items, [](const Value& task) { return TextOf(task, "seq"); },
      [&] {
        Table table({"TASK", "KIND", "STATUS", "ATTEMPT", "STARTED", "TOOK", "ERROR"});
        for (size_t i = 0; i < items->size(); ++i) {
          const Value& row = items->at(i);
          const absl::Time started = TimeOf(row, "startedAt");
          const absl::Time ended = TimeOf(row, "endedAt");
          const Value* const error = row.Find("error");
          table.Add({TextOf(row, "pointer"), TextOf(row, "kind"), TextOf(row, "status"),
                     TextOf(row, "attempt"), RelativeTime(started, session.now()),
                     ended == absl::InfinitePast() ? "" : DurationText(ended - started),
                     error != nullptr ? TextOf(*error, "title") : ""});
        }
        return table.Text(session.colors());
      });
}

int History(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string id;
  size_t limit = 0;
  Session session(command, "Every fact of it, in order; -o json has what each says.\n");
  session.Take("id", &id);
  session.AddLimit(&limit);
  if (const auto code = session.Begin(arguments)) return *code;
  if (id.empty()) return session.Usage("say of which instance");
  ApiRequest request;
  request.path = fmt::format("/api/v1/instances/{}/history", EscapeSegment(id));
  const absl::StatusOr<Value> items = FetchItems(&session.client(), request, limit);
  if (!items.ok()) return session.Fail(items.status());
  return session.Show(
      *items, [](const Value& fact) { return TextOf(fact, "seq"); },
      [&] {
        Table table({"TIME", "FACT", "TASK", "SEQ"});
        for (size_t i = 0; i < items->size(); ++i) {
          const Value& fact = items->at(i);
          table.Add(
              {absl::FormatTime("%m-%d %H:%M:%E3S", TimeOf(fact, "at"), absl::LocalTimeZone()),
               TextOf(fact, "kind"), TextOf(fact, "task"), TextOf(fact, "seq")});
        }
        return table.Text(session.colors());
      });
}

}  // namespace

absl::Span<const ClientCommand> InstanceCommands() {
  static constexpr ClientCommand kCommands[] = {
      {"start", "NAMESPACE/NAME[:VERSION] [flags]", "start an instance", &Start},
      {"list", "[flags]", "list instances", &List},
      {"get", "ID", "show an instance: what it is, got, does and gave", &Get},
      {"tasks", "ID", "list the tasks of an instance", &Tasks},
      {"history", "ID [flags]", "list what happened in an instance", &History},
  };
  return kCommands;
}

}  // namespace jaque::cmd
