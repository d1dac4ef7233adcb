// SPDX-License-Identifier: Apache-2.0
// What operators ask: dead letters, the cluster, pools, the audit trail, who one is.
#include <cstdio>

#include "cmd/client_command.h"
#include "cmd/exit_code.h"
#include "cmd/progress.h"
#include "cmd/table.h"
#include "expression/json.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

std::string Id(const Value& item) { return TextOf(item, "id"); }

int ListDeadLetters(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string kind;
  size_t limit = 50;
  Session session(command);
  session.AddText("kind", &kind, "KIND", "command or notification");
  session.AddLimit(&limit);
  if (const auto code = session.Begin(arguments)) return *code;
  ApiRequest request;
  request.path = "/api/v1/dead-letters";
  if (!kind.empty()) request.query.emplace_back("kind", kind);
  const absl::StatusOr<Value> items = FetchItems(&session.client(), request, limit);
  if (!items.ok()) return session.Fail(items.status());
  return session.Show(*items, Id, [&] {
    Table table({"ID", "KIND", "OF", "WHAT", "SINCE", "WHY"});
    for (size_t i = 0; i < items->size(); ++i) {
      const Value& row = items->at(i);
      table.Add({Id(row), TextOf(row, "kind"), TextOf(row, "object"), TextOf(row, "summary"),
                 RelativeTime(TimeOf(row, "at"), session.now()), TextOf(row, "reason")});
    }
    return table.empty() ? "there are none\n" : table.Text(session.colors());
  });
}

int GetDeadLetter(const ClientCommand& command, const std::vector<std::string>& arguments) {
  std::string id;
  Session session(command);
  session.Take("id", &id);
  if (const auto code = session.Begin(arguments)) return *code;
  if (id.empty()) return session.Usage("say which");
  ApiRequest request;
  request.path = "/api/v1/dead-letters/" + EscapeSegment(id);
  const absl::StatusOr<Value> letter = session.client().Send(request);
  if (!letter.ok()) return session.Fail(letter.status());
  return session.Show(*letter, Id, [&] {
    return ToJson(*letter, {.indent = 2, .colors = session.colors()}) + "\n";
  });
}

// redrive and drop.
int SettleDeadLetters(const ClientCommand& command, const std::vector<std::string>& arguments) {
  const bool redrive = command.name == "dead-letters redrive";
  std::vector<std::string> ids;
  Session session(command);
  session.Take("ids", &ids);
  if (const auto code = session.Begin(arguments)) return *code;
  if (ids.empty()) return session.Usage("say which");
  int code = kExitOk;
  for (const std::string& id : ids) {
    ApiRequest request;
    request.method = redrive ? "POST" : "DELETE";
    request.path =
        fmt::format("/api/v1/dead-letters/{}{}", EscapeSegment(id), redrive ? "/redrive" : "");
    const absl::StatusOr<Value> answer = session.client().Send(request);
    if (answer.ok()) {
      std::printf("%s %s\n", id.c_str(), redrive ? "sent again" : "dropped");
    } else {
      code = session.Fail(
          absl::Status(answer.status().code(),
                       fmt::format("{}: {}", id, std::string(answer.status().message()))));
    }
  }
  return code;
}

// "2.5 s", or nothing where it is not known.
std::string LagText(const Value& row) {
  const std::string lag = TextOf(row, "lag");
  return lag.empty() ? lag : lag + " s";
}

std::string ReaderTable(const Value& cluster, const Session& session) {
  Table table({"READER", "LAG", "SHARDS BEHIND"});
  const Value* const readers = cluster.Find("readers");
  for (size_t i = 0; readers != nullptr && i < readers->size(); ++i) {
    const Value& row = readers->at(i);
    table.Add({TextOf(row, "name"), LagText(row), TextOf(row, "behind")});
  }
  return table.empty() ? "" : "\n" + table.Text(session.colors());
}

std::string CountersText(const Value& cluster) {
  const Value* const counters = cluster.Find("counters");
  if (counters == nullptr) return "";
  return fmt::format("\n{} since it started: {} forwarded, {} not owned, {} of stale epochs\n",
                     Printable(TextOf(*counters, "process")), TextOf(*counters, "forwarded"),
                     TextOf(*counters, "notOwned"), TextOf(*counters, "staleEpochs"));
}

std::string ViewTable(const Value& cluster, const Session& session) {
  Table table({"EPOCH", "SEEN", "ENGINES"});
  const Value* const views = cluster.Find("views");
  for (size_t i = 0; views != nullptr && i < views->size(); ++i) {
    const Value& row = views->at(i);
    table.Add({TextOf(row, "epoch"), RelativeTime(TimeOf(row, "at"), session.now()),
               TextOf(row, "members")});
  }
  return table.empty() ? "" : "\n" + table.Text(session.colors());
}

std::string ClusterText(const Value& cluster, const Session& session) {
  std::string text;
  if (const std::string epoch = TextOf(cluster, "epoch"); !epoch.empty()) {
    text += fmt::format("epoch {}, {} shards\n\n", epoch, TextOf(cluster, "shards"));
  }
  Table members({"MEMBER", "ROLE", "STATE", "HEARD", "STARTED", "SHARDS", "ADDRESS", "VERSION"});
  const Value* const all = cluster.Find("members");
  for (size_t i = 0; all != nullptr && i < all->size(); ++i) {
    const Value& row = all->at(i);
    members.Add({Id(row), TextOf(row, "role"), TextOf(row, "state"),
                 RelativeTime(TimeOf(row, "heardAt"), session.now()),
                 RelativeTime(TimeOf(row, "startedAt"), session.now()), TextOf(row, "shards"),
                 TextOf(row, "address"), TextOf(row, "version")});
  }
  text += members.Text(session.colors());
  Table queues({"QUEUE", "WAITING"});
  const Value* const waiting = cluster.Find("queues");
  for (size_t i = 0; waiting != nullptr && i < waiting->size(); ++i) {
    queues.Add({TextOf(waiting->at(i), "name"), TextOf(waiting->at(i), "waiting")});
  }
  if (!queues.empty()) text += "\n" + queues.Text(session.colors());
  return text + ReaderTable(cluster, session) + CountersText(cluster);
}

std::string ShardTable(const Value& cluster, const Session& session) {
  Table table({"SHARD", "OWNER", "STANDBY", "PROJECTED", "LAG"});
  const Value* const owners = cluster.Find("owners");
  for (size_t i = 0; owners != nullptr && i < owners->size(); ++i) {
    const Value& row = owners->at(i);
    table.Add({TextOf(row, "shard"), TextOf(row, "owner"), TextOf(row, "standby"),
               TextOf(row, "projected"), LagText(row)});
  }
  return "\n" + table.Text(session.colors());
}

int ShowCluster(const ClientCommand& command, const std::vector<std::string>& arguments) {
  bool shards = false, views = false;
  Session session(command);
  session.AddSwitch("shards", &shards, "list the shards and their owners too");
  session.AddSwitch("views", &views, "list the views that the server has seen too");
  if (const auto code = session.Begin(arguments)) return *code;
  ApiRequest request;
  request.path = "/api/v1/cluster";
  const absl::StatusOr<Value> cluster = session.client().Send(request);
  if (!cluster.ok()) return session.Fail(cluster.status());
  return session.Show(
      *cluster, [](const Value& all) { return TextOf(all, "epoch"); },
      [&] {
        return ClusterText(*cluster, session) + (views ? ViewTable(*cluster, session) : "") +
               (shards ? ShardTable(*cluster, session) : "");
      });
}

int ShowPools(const ClientCommand& command, const std::vector<std::string>& arguments) {
  Session session(command);
  if (const auto code = session.Begin(arguments)) return *code;
  ApiRequest request;
  request.path = "/api/v1/pools";
  const absl::StatusOr<Value> page = session.client().Send(request);
  if (!page.ok()) return session.Fail(page.status());
  const Value* const items = page->Find("items");
  const Value rows = items != nullptr ? *items : Value::Array();
  return session.Show(
      rows, [](const Value& row) { return TextOf(row, "name"); },
      [&] {
        Table table({"POOL", "WAITING", "RUNNING", "WORKERS", "PLACES"});
        for (size_t i = 0; i < rows.size(); ++i) {
          const Value& row = rows.at(i);
          table.Add({TextOf(row, "name"), TextOf(row, "waiting"), TextOf(row, "running"),
                     TextOf(row, "workers"), TextOf(row, "places")});
        }
        return table.empty() ? "there are none\n" : table.Text(session.colors());
      });
}

int ShowAudit(const ClientCommand& command, const std::vector<std::string>& arguments) {
  size_t limit = 50;
  Session session(command, "The newest first.\n");
  session.AddLimit(&limit);
  if (const auto code = session.Begin(arguments)) return *code;
  ApiRequest request;
  request.path = "/api/v1/audit";
  const absl::StatusOr<Value> items = FetchItems(&session.client(), request, limit);
  if (!items.ok()) return session.Fail(items.status());
  return session.Show(*items, Id, [&] {
    Table table({"TIME", "WHO", "FROM", "WHAT", "ANSWER"});
    for (size_t i = 0; i < items->size(); ++i) {
      const Value& row = items->at(i);
      table.Add({absl::FormatTime("%Y-%m-%d %H:%M:%S", TimeOf(row, "at"), absl::LocalTimeZone()),
                 TextOf(row, "actor"), TextOf(row, "address"),
                 TextOf(row, "method") + " " + TextOf(row, "path"), TextOf(row, "status")});
    }
    return table.Text(session.colors());
  });
}

int WhoAmI(const ClientCommand& command, const std::vector<std::string>& arguments) {
  Session session(command);
  if (const auto code = session.Begin(arguments)) return *code;
  ApiRequest request;
  request.path = "/api/v1/me";
  const absl::StatusOr<Value> me = session.client().Send(request);
  if (!me.ok()) return session.Fail(me.status());
  return session.Show(
      *me, [](const Value& who) { return TextOf(who, "name"); },
      [&] {
        std::string text =
            fmt::format("{} at {} (authentication: {})\n", Printable(TextOf(*me, "name")),
                        session.client().server(), TextOf(*me, "authentication"));
        const Value* const grants = me->Find("grants");
        for (size_t i = 0; grants != nullptr && i < grants->size(); ++i) {
          text += fmt::format("  {} of {}\n", TextOf(grants->at(i), "role"),
                              TextOf(grants->at(i), "namespaces"));
        }
        return text;
      });
}

}  // namespace

absl::Span<const ClientCommand> OperationCommands() {
  static constexpr ClientCommand kCommands[] = {
      {"dead-letters list", "[flags]", "list what was given up", &ListDeadLetters},
      {"dead-letters get", "ID", "show what was given up", &GetDeadLetter},
      {"dead-letters redrive", "ID...", "send it again", &SettleDeadLetters},
      {"dead-letters drop", "ID...", "forget it", &SettleDeadLetters},
      {"cluster", "[-shards] [-views]", "show members, queues and lags", &ShowCluster},
      {"pools", "", "show the pools of workers and what waits for them", &ShowPools},
      {"audit", "[flags]", "list who changed what", &ShowAudit},
      {"whoami", "", "show who you are for the server, and what you may", &WhoAmI},
  };
  return kCommands;
}

}  // namespace jaque::cmd
