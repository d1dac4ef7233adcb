// SPDX-License-Identifier: Apache-2.0
#include "cmd/flags.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/duration.h"
#include "base/status_macros.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

// Text that `parse` turns into a value; a bad status becomes CLI11's error.
CLI::Option* AddParsed(CLI::App* app, const std::string& name, const std::string& help,
                       std::function<absl::Status(const std::string&)> parse) {
  return app->add_option_function<std::string>(
      name,
      [name, parse = std::move(parse)](const std::string& text) {
        const absl::Status status = parse(text);
        if (!status.ok()) {
          throw CLI::ValidationError(name, std::string(status.message()));
        }
      },
      help);
}

CLI::Option* AddList(CLI::App* app, const std::string& name, std::vector<std::string>* list,
                     const std::string& help) {
  return app->add_option(name, *list, help)->allow_extra_args(false);
}

CLI::Option* AddDuration(CLI::App* app, const std::string& name, absl::Duration* duration,
                         const std::string& help) {
  return AddParsed(app, name, help,
                   [duration](const std::string& text) -> absl::Status {
                     ASSIGN_OR_RETURN(*duration, ParseGoDuration(text));
                     return absl::OkStatus();
                   })
      ->type_name("DURATION")
      ->default_str(DurationText(*duration));
}

bool IsNats(const std::string& value) {
  return absl::StartsWith(value, "nats://") || absl::StartsWith(value, "tls://");
}

absl::Status CheckUrl(const std::string& flag, const std::string& value) {
  if (value == "memory") return absl::OkStatus();
  for (const absl::string_view url : absl::StrSplit(value, ',')) {
    if (IsNats(std::string(absl::StripAsciiWhitespace(url)))) continue;
    return absl::InvalidArgumentError(fmt::format(
        "-{} {}: write memory, or nats://HOST:PORT (several with commas)", flag, value));
  }
  return absl::OkStatus();
}

absl::Status ParseSync(const std::string& text, sqlite::DatabaseOptions::Sync* sync) {
  if (text != "full" && text != "normal") {
    return absl::InvalidArgumentError(fmt::format("\"{}\": write full or normal", text));
  }
  *sync = text == "full" ? sqlite::DatabaseOptions::Sync::kFull
                         : sqlite::DatabaseOptions::Sync::kNormal;
  return absl::OkStatus();
}

// "default=64,gpu=2".
absl::Status ParsePools(const std::string& text, std::map<std::string, int>* pools) {
  pools->clear();
  for (const absl::string_view part : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const std::vector<std::string> sides = absl::StrSplit(part, '=');
    int tasks = 64;
    const bool good = sides.size() <= 2 && !sides[0].empty() &&
                      (sides.size() == 1 || absl::SimpleAtoi(sides[1], &tasks));
    if (!good || tasks < 1 || tasks > 10'000) {
      return absl::InvalidArgumentError(fmt::format(
          "\"{}\": write NAME=TASKS, with 1 to 10000 tasks at a time", std::string(part)));
    }
    (*pools)[sides[0]] = tasks;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::set<Role>> ParseTarget(const std::string& text) {
  std::set<Role> roles;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::string role(absl::StripAsciiWhitespace(part));
    if (role == "all") {
      roles.insert({Role::kEngine, Role::kWorker, Role::kSink, Role::kNotifier, Role::kUi});
    } else if (role == "engine") {
      roles.insert(Role::kEngine);
    } else if (role == "worker") {
      roles.insert(Role::kWorker);
    } else if (role == "ui") {
      roles.insert(Role::kUi);
    } else if (role == "sink") {
      roles.insert(Role::kSink);
    } else if (role == "notifier") {
      roles.insert(Role::kNotifier);
    } else {
      return absl::InvalidArgumentError(
          fmt::format("\"{}\" is no role: all, engine, worker, sink, notifier or ui", role));
    }
  }
  return roles;
}

void AddServeFlags(CLI::App* app, Flags* flags) {
  const std::string group = "Serving";
  AddParsed(app, "--target",
            "what this process does: all, or a list of engine, worker, sink, notifier, ui "
            "(all is engine,worker,sink,ui, and notifier with -notify-rules)",
            [flags](const std::string& text) -> absl::Status {
              ASSIGN_OR_RETURN(flags->roles, ParseTarget(text));
              return absl::OkStatus();
            })
      ->type_name("LIST")
      ->group(group);
  app->add_option("--http-listen", flags->http_listen,
                  "address of the HTTP API (ui), of /metrics, /healthz and /readyz")
      ->type_name("HOST:PORT")
      ->capture_default_str()
      ->group(group);
  app->add_option("--http-threads", flags->http_threads, "threads that serve HTTP")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, 64).description(""))
      ->group(group);
  app->add_option("--id", flags->id, "name of this process among its peers (default: made up)")
      ->type_name("NAME")
      ->group(group);
  app->add_option("--shards", flags->shards, "parts of the log; fixed for the life of a cluster")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, 65536).description(""))
      ->group(group);
  app->add_option("--executors", flags->executors, "threads that execute workflows")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, 256).description(""))
      ->group(group);
  AddDuration(app, "--stop-grace", &flags->stop_grace,
              "time that calls under way get when the process stops")
      ->group(group);
}

void AddClusterFlags(CLI::App* app, Flags* flags) {
  const std::string group = "Cluster";
  app->add_option("--queue", flags->queue,
                  "where the log, commands, tasks and events are: memory, or nats://HOST:PORT")
      ->type_name("URL")
      ->capture_default_str()
      ->group(group);
  app->add_option("--data-dir", flags->data_dir,
                  "folder that keeps log, events, definitions and state of -queue memory on disk")
      ->type_name("DIR")
      ->group(group);
  AddParsed(app, "--data-sync",
            "what is acknowledged outlives: a power loss too (full), or only this process (normal)",
            [flags](const std::string& text) { return ParseSync(text, &flags->data_sync); })
      ->type_name("SYNC")
      ->default_str("full")
      ->group(group);
  app->add_option("--coordination", flags->coordination,
                  "where members meet: memory (one engine), or nats://HOST:PORT")
      ->type_name("URL")
      ->capture_default_str()
      ->group(group);
  AddDuration(app, "--heartbeat-ttl", &flags->heartbeat_ttl,
              "silence after which a member counts as dead; the same in all processes")
      ->group(group);
  app->add_option("--expected-engines", flags->expected_engines,
                  "refuse writes while fewer than half of so many engines, and one, are there")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(0, 10'000).description(""))
      ->group(group);
  app->add_flag("--standby,!--no-standby", flags->standby,
                "follow the shards that this engine is the next to own (on)")
      ->group(group);
  AddDuration(app, "--retention", &flags->retention,
              "how long the log is kept once a snapshot stands for it")
      ->group(group);
  app->add_option("--nats-prefix", flags->nats_prefix,
                  "what names on NATS begin with; one cluster, one prefix")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  app->add_option("--nats-replicas", flags->nats_replicas, "of streams and buckets that are made")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, 5).description(""))
      ->group(group);
  app->add_option("--nats-creds", flags->nats_creds, "user credentials for NATS")
      ->type_name("FILE")
      ->group(group);
  app->add_option("--nats-nkey", flags->nats_nkey, "nkey seed (SU…) of this process for NATS")
      ->type_name("FILE")
      ->group(group);
  app->add_flag("--nats-tls", flags->nats_tls, "speak TLS with NATS")->group(group);
  app->add_option("--nats-ca", flags->nats_ca, "certificates (PEM) that NATS servers are known by")
      ->type_name("FILE")
      ->group(group);
  app->add_option("--nats-cert", flags->nats_cert, "this process's certificate (PEM) for NATS")
      ->type_name("FILE")
      ->group(group);
  app->add_option("--nats-key", flags->nats_key, "its key (PEM)")->type_name("FILE")->group(group);
}

void AddDefinitionFlags(CLI::App* app, Flags* flags) {
  AddList(app, "--definitions", &flags->definitions,
          "file or folder of definitions to load at the start; may be repeated")
      ->type_name("PATH")
      ->group("Definitions");
  AddList(app, "--samples", &flags->samples,
          "the same, but one that differs from what is stored is left out with a warning")
      ->type_name("PATH")
      ->group("Definitions");
}

void AddOutsideFlags(CLI::App* app, Flags* flags) {
  const std::string group = "The world outside";
  AddList(app, "--http-resolve", &flags->http_resolve,
          "connect to ADDRESS instead of HOST; may be repeated")
      ->type_name("HOST:PORT:ADDRESS[:PORT]")
      ->group(group);
  app->add_option("--http-ca", flags->http_ca, "certificates (PEM) to trust beside the system's")
      ->type_name("FILE")
      ->group(group);
  app->add_option("--http-proxy", flags->http_proxy, "proxy for calls")
      ->type_name("URL")
      ->group(group);
  app->add_flag("--http-refuse-private", flags->http_refuse_private,
                "refuse calls to loopback, link-local and private addresses")
      ->group(group);
  app->add_option("--secrets-dir", flags->secrets_dir,
                  "folder of secrets: one file each, named as the secret; then JAQUE_SECRET_<NAME>")
      ->type_name("DIR")
      ->group(group);
  app->add_option("--notify-rules", flags->notify_rules,
                  "which lifecycle events are told to whom (notifier); read again when it changes")
      ->type_name("FILE")
      ->group(group);
  app->add_option("--workers", flags->workers, "calls and processes at a time")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000).description(""))
      ->group(group);
  AddParsed(app, "--worker-pools", "queues that this worker serves, and tasks at a time",
            [flags](const std::string& text) { return ParsePools(text, &flags->worker_pools); })
      ->type_name("NAME=N,…")
      ->default_str("default=64")
      ->group(group);
}

void AddProcessFlags(CLI::App* app, Flags* flags) {
  const std::string group = "The process";
  AddParsed(app, "--log-level", "debug, info, warn, error or off",
            [flags](const std::string& text) { return ParseLogLevel(text, &flags->log_level); })
      ->type_name("LEVEL")
      ->default_str(flags->log_level == LogLevel::kInfo ? "info" : "warn")
      ->group(group);
  AddParsed(app, "--log-format", "text or json",
            [flags](const std::string& text) { return ParseLogFormat(text, &flags->log_format); })
      ->type_name("FORMAT")
      ->default_str("text")
      ->group(group);
  app->add_option_function<std::string>(
         "--config", [](const std::string&) {}, "file of \"flag: value\" lines")
      ->type_name("FILE")
      ->group(group);
}

absl::Status CheckServeFlags(const Flags& flags) {
  RETURN_IF_ERROR(CheckUrl("queue", flags.queue));
  RETURN_IF_ERROR(CheckUrl("coordination", flags.coordination));
  if (flags.roles.empty()) return absl::InvalidArgumentError("-target is missing: try -target all");
  const bool engine = flags.roles.contains(Role::kEngine);
  const bool worker = flags.roles.contains(Role::kWorker);
  const bool memory = flags.queue == "memory";
  const bool notifier = flags.roles.contains(Role::kNotifier);
  if (notifier && flags.roles.size() == 1 && flags.notify_rules.empty()) {
    return absl::InvalidArgumentError("-target notifier needs -notify-rules FILE");
  }
  if (!flags.notify_rules.empty() && !notifier) {
    return absl::InvalidArgumentError("-notify-rules is for the role notifier: add it to -target");
  }
  if (!flags.notify_rules.empty() && memory && !engine) {
    return absl::InvalidArgumentError(
        "a notifier on -queue memory has to be in the process of the engine, whose log it reads");
  }
  if (!flags.data_dir.empty() && !memory) {
    return absl::InvalidArgumentError(
        "-data-dir goes with -queue memory: with -queue nats://… the NATS servers keep what there "
        "is");
  }
  if (!flags.data_dir.empty() && !engine) {
    return absl::InvalidArgumentError(
        "-data-dir is the folder of one process with an engine: add engine to -target");
  }
  if (memory && engine != worker) {
    return absl::InvalidArgumentError(fmt::format(
        "-target {} alone cannot work on -queue memory: engine and worker have to be in one "
        "process there",
        engine ? "engine without worker" : "worker without engine"));
  }
  const bool sink = flags.roles.contains(Role::kSink);
  if (memory && sink && !engine) {
    return absl::InvalidArgumentError(
        "-target sink alone cannot work on -queue memory: the log that it reads is the engine's");
  }
  if (sink &&
      StoreUrl(flags.store, flags.data_dir, sink, flags.roles.contains(Role::kUi)).empty()) {
    return absl::InvalidArgumentError(
        "-target sink needs -store: sqlite:PATH or postgres://USER@HOST/DATABASE");
  }
  if (!flags.store.exports.empty() && !sink) {
    return absl::InvalidArgumentError("-export is for the role sink: add it to -target");
  }
  if (memory && flags.coordination != "memory") {
    return absl::InvalidArgumentError(
        "-coordination nats://… needs -queue nats://…: engines cannot share a log that is in the "
        "memory of one");
  }
  RETURN_IF_ERROR(
      CheckAccessFlags(flags.access, flags.http_listen, flags.roles.contains(Role::kUi)));
  if (flags.heartbeat_ttl < absl::Seconds(1)) {
    return absl::InvalidArgumentError("-heartbeat-ttl: at least 1s");
  }
  return absl::OkStatus();
}

}  // namespace jaque::cmd
