// SPDX-License-Identifier: Apache-2.0
// cancel, suspend, resume, retry (of named instances, or of all that a filter finds) and rerun.
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "absl/strings/ascii.h"
#include "base/status_macros.h"
#include "cmd/client_command.h"
#include "cmd/client_watch.h"
#include "cmd/exit_code.h"
#include "cmd/table.h"
#include "cmd/terminal.h"
#include "expression/json.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

std::string Id(const Value& item) { return TextOf(item, "id"); }

struct ChangeFlags {
  std::vector<std::string> ids;
  FilterFlags filter;
  std::string reason;
  bool all = false, yes = false, preview = false;
};

Value ReasonBody(const std::string& reason) {
  Value body = Value::Object();
  if (!reason.empty()) body.Set("reason", Value::String(reason));
  return body;
}

int64_t NumberOf(const Value& object, std::string_view member) {
  const Value* const value = object.Find(member);
  return value != nullptr && value->is_number() ? value->AsInt().value_or(0) : 0;
}
bool IsTrue(const Value& object, std::string_view member) {
  const Value* const value = object.Find(member);
  return value != nullptr && value->truthy();
}

// Each of the named ones; the exit code is that of the last that failed.
int ChangeEach(const Session& session, Client* client, const std::string& verb,
               const ChangeFlags& flags) {
  Value outcomes = Value::Array();
  int code = kExitOk;
  for (const std::string& id : flags.ids) {
    ApiRequest request;
    request.method = "POST";
    request.path = fmt::format("/api/v1/instances/{}/{}", EscapeSegment(id), verb);
    if (!flags.reason.empty()) request.body = ToJson(ReasonBody(flags.reason));
    const absl::StatusOr<Value> outcome = client->Send(request);
    if (outcome.ok()) {
      outcomes.Append(*outcome);
    } else {
      code = session.Fail(
          absl::Status(outcome.status().code(),
                       fmt::format("{}: {}", id, std::string(outcome.status().message()))));
    }
  }
  session.Show(outcomes, Id, [&] {
    std::string text;
    for (size_t i = 0; i < outcomes.size(); ++i) {
      text += fmt::format("{}  {}\n", Id(outcomes.at(i)),
                          PaintState(TextOf(outcomes.at(i), "status"), session.colors()));
    }
    return text;
  });
  return code;
}

absl::StatusOr<Value> SendBulk(const Session& session, Client* client, const std::string& verb,
                               const ChangeFlags& flags, bool preview) {
  ASSIGN_OR_RETURN(const Value filter, FilterObject(flags.filter, session.now()));
  Value body = ReasonBody(flags.reason);
  body.Set("operation", Value::String(verb));
  body.Set("filter", filter);
  body.Set("preview", Value::Bool(preview));
  ApiRequest request;
  request.method = "POST";
  request.path = "/api/v1/instances/bulk";
  request.body = ToJson(body);
  return client->Send(request);
}

// Asks on the terminal; without one the answer has to be given before, with -yes.
bool Confirm(const std::string& question) {
  std::fprintf(stderr, "%s [y/N] ", question.c_str());
  std::string answer;
  std::getline(std::cin, answer);
  return absl::AsciiStrToLower(answer) == "y" || absl::AsciiStrToLower(answer) == "yes";
}

// A thousand at a time, until no more are found or none of a round could be changed.
int ChangeAll(const Session& session, Client* client, const std::string& verb,
              const ChangeFlags& flags, const Value& preview) {
  const int64_t matched = NumberOf(preview, "matched");
  const bool more = IsTrue(preview, "more");
  int64_t done = 0;
  Value failed = Value::Array();
  while (true) {
    const absl::StatusOr<Value> result = SendBulk(session, client, verb, flags, false);
    if (!result.ok()) return session.Fail(result.status());
    const int64_t now = NumberOf(*result, "done");
    done += now;
    const Value* const refused = result->Find("failed");
    for (size_t i = 0; refused != nullptr && i < refused->size(); ++i) {
      failed.Append(refused->at(i));
    }
    if (!IsTrue(*result, "remaining") || now == 0) break;
    std::fprintf(stderr, "%s%lld of %s%lld done%s", isatty(STDERR_FILENO) == 1 ? "\r" : "",
                 static_cast<long long>(done), more ? "more than " : "",
                 static_cast<long long>(matched), isatty(STDERR_FILENO) == 1 ? "" : "\n");
  }
  Value summary = Value::Object({{"done", Value::Int(done)}, {"failed", failed}});
  session.Show(
      summary, [](const Value& all) { return TextOf(all, "done"); },
      [&] {
        std::string text =
            fmt::format("{} of {}{} done\n", done, more ? "more than " : "", matched);
        for (size_t i = 0; i < failed.size(); ++i) {
          text +=
              fmt::format("{}: {}\n", TextOf(failed.at(i), "id"), TextOf(failed.at(i), "detail"));
        }
        return text;
      });
  return failed.size() == 0 ? kExitOk : kExitFaulted;
}

int ChangeMany(const Session& session, Client* client, const std::string& verb,
               const ChangeFlags& flags) {
  if (flags.filter.empty() && !flags.all) {
    return session.Usage("say which: IDs, filters, or -all for every instance");
  }
  const absl::StatusOr<Value> preview = SendBulk(session, client, verb, flags, true);
  if (!preview.ok()) return session.Fail(preview.status());
  const std::string count = fmt::format("{}{}", IsTrue(*preview, "more") ? "more than " : "",
                                        NumberOf(*preview, "matched"));
  if (flags.preview || !flags.yes) {
    const Value* const sample = preview->Find("sample");
    const std::string table =
        sample != nullptr && sample->size() > 0 ? InstanceTable(*sample, session) : "";
    if (flags.preview) {
      return session.Show(
          *preview, [](const Value& all) { return TextOf(all, "matched"); },
          [&] { return fmt::format("{}{} found\n", table, count); });
    }
    std::fprintf(stderr, "%s", table.c_str());
  }
  if (NumberOf(*preview, "matched") == 0) {
    std::fprintf(stderr, "there are none\n");
    return kExitOk;
  }
  if (!flags.yes) {
    if (isatty(STDIN_FILENO) != 1) {
      return session.Usage(fmt::format("{} found: say -yes to {} them", count, verb));
    }
    if (!Confirm(fmt::format("{} {} instances?", verb, count))) return kExitRefused;
  }
  return ChangeAll(session, client, verb, flags, *preview);
}

int Change(const ClientCommand& command, const std::vector<std::string>& arguments) {
  const std::string verb(command.name);
  ChangeFlags flags;
  Session session(
      command,
      "Either those that are named, or all that the filter finds: these are shown first, "
      "and\nasked for, unless -yes stands there.\n");
  session.Take("ids", &flags.ids);
  if (verb == "cancel" || verb == "suspend") {
    session.AddText("reason", &flags.reason, "TEXT", "to be shown with the instance");
  }
  AddFilterFlags(&session, &flags.filter);
  session.AddSwitch("all", &flags.all, "every instance, without any filter");
  session.AddSwitch("preview", &flags.preview, "only show what the filter finds");
  session.AddSwitch("yes", &flags.yes, "do not ask");
  if (const auto code = session.Begin(arguments)) return *code;
  if (flags.ids.empty()) return ChangeMany(session, &session.client(), verb, flags);
  if (!flags.filter.empty() || flags.all) return session.Usage("IDs or filters, not both");
  return ChangeEach(session, &session.client(), verb, flags);
}

int Rerun(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string id, task, seq, input;
  bool watch = false;
  Session session(
      command,
      "A new instance begins at that task (of the workflow's do) with what it got then; the "
      "old one\nstays as it is.\n");
  session.Take("id", &id);
  session.AddText("task", &task, "POINTER",
                  "where to begin, like /do/1/charge (default: the start)");
  session.AddText("seq", &seq, "SEQ", "instead: the row of `jaque tasks -o json`");
  session.AddText("input", &input, "JSON", "instead of what the task got: JSON, @FILE or -");
  session.AddSwitch("watch", &watch, "show its tasks as they run, to its end");
  if (const auto code = session.Begin(arguments)) return *code;
  if (id.empty()) return session.Usage("say which instance");
  Value body = Value::Object();
  if (!task.empty()) body.Set("task", Value::String(task));
  if (!seq.empty()) body.Set("seq", Value::String(seq));
  if (!input.empty()) {
    const absl::StatusOr<std::string> json = ReadJsonText("-input", input);
    if (!json.ok()) return session.Fail(json.status());
    body.Set("input", *ParseJson(*json));
  }
  ApiRequest request;
  request.method = "POST";
  request.path = fmt::format("/api/v1/instances/{}/rerun", EscapeSegment(id));
  request.body = ToJson(body);
  const absl::StatusOr<Value> outcome = session.client().Send(request);
  if (!outcome.ok()) return session.Fail(outcome.status());
  if (watch) return WatchInstance(&session, Id(*outcome));
  return session.Show(*outcome, Id, [&] {
    return fmt::format("{}  {}\n", Id(*outcome),
                       PaintState(TextOf(*outcome, "status"), session.colors()));
  });
}

}  // namespace

absl::Span<const ClientCommand> ChangeCommands() {
  static constexpr ClientCommand kCommands[] = {
      {"cancel", "ID... | [filters]", "end instances", &Change},
      {"suspend", "ID... | [filters]", "hold instances", &Change},
      {"resume", "ID... | [filters]", "let suspended instances go on", &Change},
      {"retry", "ID... | [filters]", "begin failed instances again at the failed task", &Change},
      {"rerun", "ID [flags]", "do an instance again from a task on", &Rerun},
  };
  return kCommands;
}

}  // namespace jaque::cmd
