// SPDX-License-Identifier: Apache-2.0
#include "cmd/serve.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/metrics.h"
#include "base/status_macros.h"
#include "base/ticker.h"
#include "cmd/arguments.h"
#include "cmd/client_command.h"
#include "cmd/definitions.h"
#include "cmd/exit_code.h"
#include "cmd/flags.h"
#include "cmd/node.h"
#include "cmd/signals.h"
#include "fmt/format.h"
#include "ui/api.h"
#include "ui/http_server.h"
#include "ui/web/embedded_page.h"

namespace jaque::cmd {
namespace {

constexpr char kHelp[] =
    "jaque: a durable workflow engine for the Open Workflow Specification DSL 1.0\n\n"
    "Usage:\n"
    "  jaque -target LIST [flags]       serve\n"
    "  jaque run FILE [-input JSON]     execute one workflow here, print its output\n"
    "  jaque validate FILE...           check definitions, print every finding\n"
    "  jaque expr EXPRESSION            evaluate an expression on standard input\n"
    "  jaque token NAME ROLE...         make a token for -auth tokens\n"
    "  jaque version                    print the version\n"
    "  jaque help                       print this; jaque COMMAND -help for a command\n\n"
    "With a server that runs (-server URL, or JAQUE_SERVER; docs/cli.md):\n";
constexpr char kFlagsHelp[] =
    "\nFlags of serving (-flag value, -flag=value and --flag all work):\n";
constexpr char kExamples[] =
    "Each flag can also stand in the environment (JAQUE_HTTP_LISTEN for -http-listen; lists with\n"
    "commas) and in the file that -config names, one \"flag: value\" a line. The command line "
    "counts\n"
    "before the environment, the environment before the file.\n\n"
    "Examples:\n"
    "  jaque -target all -samples deploy/samples\n"
    "  jaque -target all -http-listen :8080 -auth tokens -auth-tokens /etc/jaque/tokens\n"
    "  JAQUE_TARGET=all jaque -config /etc/jaque.conf";

std::string Help() { return kHelp + ClientCommandsHelp() + kFlagsHelp; }

void AddFlags(CLI::App* app, Flags* flags) {
  AddServeFlags(app, flags);
  AddAccessFlags(app, &flags->access);
  AddClusterFlags(app, flags);
  AddStoreFlags(app, &flags->store);
  AddDefinitionFlags(app, flags);
  AddOutsideFlags(app, flags);
  AddProcessFlags(app, flags);
  app->footer(kExamples);
}

// What serves: the node and the HTTP side of it. Goes in the reverse order.
class Process {
 public:
  // `exit`: see Node::Start.
  Process(const Flags& flags, std::unique_ptr<Node> node, std::function<void(absl::Status)> exit)
      : flags_(flags), node_(std::move(node)), exit_(std::move(exit)) {}

  absl::Status Start() {
    ProcessMetrics().start_time_seconds.Set(
        absl::ToDoubleSeconds(node_->clock()->Now() - absl::UnixEpoch()));
    // Listens first, so that a port that is taken is known before anything is done.
    RETURN_IF_ERROR(StartHttp());
    RETURN_IF_ERROR(
        PatientlyWhileAway(node_->clock(), "loading definitions", [this] { return Load(); }));
    RETURN_IF_ERROR(node_->Start(exit_));
    if (!flags_.definitions.empty() || !flags_.samples.empty()) {
      SetSchedules(node_->definitions(), node_->commands(), node_->ids());
    }
    ready_ = true;
    LogInfo("ready", {{"definitions", node_->definitions()->List().size()}});
    return absl::OkStatus();
  }

  void Stop() {
    ready_ = false;
    ticker_.Stop();
    if (server_ != nullptr) server_->Stop();
    node_->Stop();
  }

 private:
  absl::Status Load() {
    RETURN_IF_ERROR(LoadDefinitions(flags_.definitions, Differing::kRefused, node_->definitions()));
    return LoadDefinitions(flags_.samples, Differing::kKept, node_->definitions());
  }

  absl::Status StartHttp() {
    ui::ApiParts parts;
    parts.clock = node_->clock();
    parts.ids = node_->ids();
    parts.commands = node_->commands();
    parts.events = node_->events();
    parts.definitions = node_->definitions();
    parts.deletion = node_->deletion();
    parts.store = node_->store();
    parts.metrics = &ProcessMetrics();
    parts.page = &ui::EmbeddedPage();
    parts.dead_commands = node_->dead_commands();
    parts.dead_notifications = node_->dead_notifications();
    parts.cluster = node_->cluster();
    parts.server = About();
    parts.operations_only = !flags_.roles.contains(Role::kUi);
    ASSIGN_OR_RETURN(door_, MakeDoor(flags_.access, flags_.http_listen, node_->clock(), &parts));
    ticker_.Every(absl::Seconds(1), [this] { door_.Tick(); });
    parts.writable = [this] { return node_->Writable(); };
    parts.ready = [this] {
      return ready_ ? node_->Ready() : absl::UnavailableError("the process starts or stops");
    };
    api_ = ui::MakeApi(parts);
    server_ = ui::MakeHttpServer({.listen = flags_.http_listen,
                                  .threads = flags_.http_threads,
                                  .tls = door_.certificate.get()},
                                 node_->clock(), &ProcessMetrics(),
                                 [this](ui::HttpRequest request, ui::HttpReply reply) {
                                   api_->Serve(std::move(request), std::move(reply));
                                 });
    RETURN_IF_ERROR(server_->Start());
    LogInfo("listening", {{"url", (door_.certificate != nullptr ? "https://" : "http://") +
                                      server_->address()}});
    return absl::OkStatus();
  }

  ui::ServerInfo About() const {
    const auto kind = [](const std::string& url) { return url == "memory" ? url : "nats"; };
    ui::ServerInfo server;
    server.id = node_->id();
    server.roles = RoleNames(flags_);
    server.started = node_->clock()->Now();
    const std::string store =
        StoreUrl(flags_.store, flags_.data_dir, flags_.roles.contains(Role::kSink),
                 flags_.roles.contains(Role::kUi));
    server.store = store.empty()                    ? "none"
                   : store == "sqlite::memory:"     ? "memory"
                   : store.rfind("sqlite:", 0) == 0 ? "sqlite"
                                                    : "postgres";
    server.queue = flags_.data_dir.empty() ? kind(flags_.queue) : "disk";
    server.coordination = kind(flags_.coordination);
    server.authentication = flags_.access.auth.empty() ? "none" : flags_.access.auth;
    return server;
  }

  const Flags flags_;
  std::atomic<bool> ready_ = false;
  std::unique_ptr<ui::Api> api_;  // outlives the last answer of those below
  Door door_;
  const std::unique_ptr<Node> node_;
  const std::function<void(absl::Status)> exit_;
  std::unique_ptr<ui::HttpServer> server_;
  Ticker ticker_;
};

// The first reason to stop.
class Stop {
 public:
  // False if somebody has asked before.
  bool Ask(absl::Status why) {
    absl::MutexLock lock(&mutex_);
    if (asked_) return false;
    why_ = std::move(why);
    return asked_ = true;
  }
  absl::Status Await() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(&asked_));
    return why_;
  }

 private:
  absl::Mutex mutex_;
  bool asked_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status why_ ABSL_GUARDED_BY(mutex_);
};

int ReportStart(const absl::Status& status) {
  const bool away = absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
  return ReportError(status, away ? kExitFailed : kExitBadDefinition);
}

int Serve(const Flags& flags) {
  absl::StatusOr<std::unique_ptr<Node>> node = Node::Create(flags);
  if (!node.ok()) return ReportStart(node.status());
  Stop stop;
  const SignalWatch watch([&stop](int number) {
    // Asked twice: do not wait for those in flight.
    if (!stop.Ask(absl::OkStatus())) std::_Exit(128 + number);
  });
  Process process(flags, *std::move(node), [&stop](absl::Status why) { stop.Ask(std::move(why)); });
  const absl::Status started = process.Start();
  if (!started.ok()) {
    process.Stop();
    return ReportStart(started);
  }
  const absl::Status why = stop.Await();
  LogInfo("stopping");
  process.Stop();
  LogInfo("stopped");
  return why.ok() ? kExitOk : ReportError(why, kExitFailed);
}

}  // namespace

int RunServeCommand(const std::vector<std::string>& arguments) {
  Flags flags;
  CLI::App app(Help(), "jaque");
  app.set_help_flag();
  AddFlags(&app, &flags);
  const absl::Status parsed = ParseArguments(&app, arguments, SystemSurroundings());
  if (!parsed.ok()) return ReportUsage(parsed);
  const absl::Status checked = CheckServeFlags(flags);
  if (!checked.ok()) return ReportUsage(checked);
  SetUpLogging(flags.log_level, flags.log_format);
  return Serve(flags);
}

int RunHelpCommand() {
  Flags flags;
  CLI::App app(Help(), "jaque");
  app.set_help_flag();
  AddFlags(&app, &flags);
  std::printf("%s", HelpText(app).c_str());
  return kExitOk;
}

}  // namespace jaque::cmd
