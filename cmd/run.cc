// SPDX-License-Identifier: Apache-2.0
#include "cmd/run.h"

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/limits.h"
#include "base/status_macros.h"
#include "cmd/arguments.h"
#include "cmd/definitions.h"
#include "cmd/exit_code.h"
#include "cmd/facts.h"
#include "cmd/files.h"
#include "cmd/flags.h"
#include "cmd/inbox.h"
#include "cmd/node.h"
#include "cmd/signals.h"
#include "cmd/terminal.h"
#include "expression/json.h"
#include "jaque/v1/command.pb.h"
#include "ui/cloud_event.h"
#include "ui/problem.h"

namespace jaque::cmd {
namespace {

constexpr char kHelp[] =
    "jaque run: executes one workflow in this process, to its end\n\n"
    "Usage:\n"
    "  jaque run FILE [-input JSON|@FILE|-] [flags]        (FILE may be - for standard input)\n\n"
    "The output goes to standard output as JSON, progress to standard error. Workflows that it\n"
    "starts and does not await are waited for.\n"
    "Exit code: 0 completed, 1 faulted (the error is on standard error, as problem details),\n"
    "2 not a valid definition, 3 jaque could not do its work, 130 interrupted.\n";
constexpr char kExamples[] =
    "Examples:\n"
    "  jaque run order.yaml -input '{\"item\": \"lamp\"}'\n"
    "  jaque run order.yaml -input @order.json\n"
    "  jaque run parent.yaml -definitions children/";

constexpr absl::Duration kRedraw = absl::Milliseconds(100);
constexpr absl::Duration kCancelPatience = absl::Seconds(5);
// A workflow that was to be started, and is not yet when the one that was asked for has ended.
constexpr absl::Duration kStartPatience = absl::Seconds(5);

struct RunFlags {
  Flags common;
  std::string file, input = "{}", progress = "auto";
  std::vector<std::string> events;
};

// JSON, @file or "-", as JSON text.
absl::StatusOr<std::string> ReadJsonArgument(const std::string& flag, const std::string& text) {
  std::string json = text;
  if (text == "-") {
    ASSIGN_OR_RETURN(json, ReadFile("-", limits::kInputBytes));
  } else if (!text.empty() && text[0] == '@') {
    ASSIGN_OR_RETURN(json, ReadFile(text.substr(1), limits::kInputBytes));
  }
  const absl::StatusOr<Value> value = ParseJson(json);
  if (!value.ok()) {
    return absl::InvalidArgumentError(flag +
                                      " is no JSON: " + std::string(value.status().message()));
  }
  return json;
}

// One execution, from the start's command to the last fact of it and of the workflows that it
// started: those that it does not await go on after its end.
class Execution {
 public:
  Execution(Node* node, std::string instance, std::unique_ptr<Progress> progress,
            std::vector<ui::ReceivedEvent> events)
      : node_(node),
        instance_(std::move(instance)),
        reader_(node->definitions()),
        progress_(std::move(progress)),
        events_(std::move(events)) {}

  int Run(const std::string& definition, std::string input);

 private:
  void Submit(const std::string& instance, v1::Command command, CommandBus::ReplyFn reply);
  void Cancel(const std::string& instance);
  bool Goes();
  int Conclude();
  void Note(Fact fact);
  void Handle(const LogBatchBytes& batch);
  void Handle(StartReply reply);
  void Handle(Signal signal);

  Node* const node_;
  const std::string instance_;
  Inbox inbox_;
  FactReader reader_;
  const std::unique_ptr<Progress> progress_;
  std::vector<ui::ReceivedEvent> events_;
  std::set<std::string> to_start_;  // instances that the log says will be started
  std::set<std::string> live_;
  std::optional<Fact> ended_;
  std::optional<absl::Status> refused_;
  absl::Duration start_until_;  // monotonic, once ended_
  size_t remain_ = 0;           // told, once ended_
  int signals_ = 0;
  absl::Duration give_up_ = absl::InfiniteDuration();  // monotonic
};

void Execution::Submit(const std::string& instance, v1::Command command,
                       CommandBus::ReplyFn reply) {
  command.set_id(node_->ids()->Ulid());
  command.set_object_id(instance);
  node_->commands()->Submit(command.SerializeAsString(), command.id(), absl::InfiniteDuration(),
                            std::move(reply));
}

int Execution::Run(const std::string& definition, std::string input) {
  // Taken before anything is written, so no fact is missed.
  const auto tail = node_->log()->Tail(0, 0, [this](ShardId, const LogRecord& record) {
    inbox_.Post(LogBatchBytes{std::string(record.bytes)});
  });
  const SignalWatch watch([this](int number) { inbox_.Post(Signal{number}); });
  const absl::Status started = node_->Start([](absl::Status) {});
  if (!started.ok()) return ReportError(started, kExitFailed);
  v1::Command command;
  command.mutable_start_instance()->set_definition(definition);
  command.mutable_start_instance()->set_input(std::move(input));
  Submit(instance_, std::move(command),
         [this](absl::StatusOr<std::string> reply) { inbox_.Post(StartReply{std::move(reply)}); });
  while (Goes()) {
    for (Message& message : inbox_.Take(kRedraw)) {
      std::visit([this](auto&& it) { Handle(std::forward<decltype(it)>(it)); }, std::move(message));
    }
    progress_->Tick(node_->clock()->Now());
  }
  progress_->Finish(node_->clock()->Now());
  node_->Stop();
  return Conclude();
}

bool Execution::Goes() {
  const absl::Duration now = node_->clock()->Monotonic();
  if (refused_ || signals_ > 1 || now >= give_up_) return false;
  if (!ended_ || !live_.empty()) return true;
  return !to_start_.empty() && now < start_until_;
}

int Execution::Conclude() {
  const bool completed = ended_ && ended_->kind == Fact::Kind::kInstanceCompleted;
  if (completed) PrintJson(ended_->output);
  if (ended_ && ended_->kind == Fact::Kind::kInstanceFaulted) {
    std::fprintf(stderr, "%s\n", ToJson(ui::ProblemValue(ended_->error)).c_str());
  }
  if (signals_ > 0) return kExitInterrupted;
  if (refused_) return ReportError(*refused_, kExitFaulted);
  return completed ? kExitOk : kExitFaulted;
}

void Execution::Handle(const LogBatchBytes& batch) {
  for (Fact& fact : reader_.Read(batch.bytes)) {
    progress_->Show(fact);
    Note(std::move(fact));
  }
  const size_t remain = live_.size() + to_start_.size();
  if (ended_ && remain != std::exchange(remain_, remain)) progress_->Remain(remain);
}

void Execution::Note(Fact fact) {
  switch (fact.kind) {
    case Fact::Kind::kStarted:
      if (!fact.child.empty() && !live_.contains(fact.child)) to_start_.insert(fact.child);
      return;
    case Fact::Kind::kInstanceStarted:
      to_start_.erase(fact.instance);
      live_.insert(fact.instance);
      if (signals_ > 0) Cancel(fact.instance);
      return;
    case Fact::Kind::kInstanceCompleted:
    case Fact::Kind::kInstanceFaulted:
    case Fact::Kind::kInstanceCancelled:
      live_.erase(fact.instance);
      if (fact.instance != instance_) return;
      ended_ = std::move(fact);
      start_until_ = node_->clock()->Monotonic() + kStartPatience;
      return;
    default:
      return;
  }
}

void Execution::Handle(StartReply reply) {
  v1::CommandReply answer;
  if (!reply.bytes.ok()) {
    refused_ = reply.bytes.status();
  } else if (!answer.ParseFromString(*reply.bytes) || answer.code() != v1::CommandReply::CODE_OK) {
    refused_ = absl::InvalidArgumentError("the start was refused: " + answer.message());
  }
  if (refused_) return;
  for (ui::ReceivedEvent& event : events_) {
    node_->events()->Publish(event.dedup_id, std::move(event.json),
                             [](const absl::StatusOr<uint64_t>&) {});
  }
}

void Execution::Handle(Signal) {
  if (++signals_ > 1) return;
  give_up_ = node_->clock()->Monotonic() + kCancelPatience;
  for (const std::string& instance : live_) Cancel(instance);
}

void Execution::Cancel(const std::string& instance) {
  v1::Command command;
  command.mutable_cancel_instance()->set_reason("interrupted");
  Submit(instance, std::move(command), [](const absl::StatusOr<std::string>&) {});
}

absl::StatusOr<std::vector<ui::ReceivedEvent>> ReadEvents(const std::vector<std::string>& texts) {
  std::vector<ui::ReceivedEvent> events;
  for (const std::string& text : texts) {
    ui::HttpRequest request;
    ASSIGN_OR_RETURN(request.body, ReadJsonArgument("-event", text));
    ASSIGN_OR_RETURN(std::vector<ui::ReceivedEvent> some, ui::ReceiveEvents(request));
    for (ui::ReceivedEvent& event : some) events.push_back(std::move(event));
  }
  return events;
}

void AddRunFlags(CLI::App* app, RunFlags* flags) {
  app->add_option("FILE", flags->file)->required();
  app->add_option("--input", flags->input, "the input: JSON, @FILE, or - for standard input")
      ->type_name("JSON")
      ->default_str("{}")
      ->group("Execution");
  app->add_option("--event", flags->events,
                  "CloudEvent to deliver once the workflow runs: JSON or @FILE; may be repeated")
      ->type_name("JSON")
      ->allow_extra_args(false)
      ->group("Execution");
  app->add_option("--progress", flags->progress,
                  "auto (a tree on a terminal, else lines), tree, plain or none")
      ->type_name("KIND")
      ->capture_default_str()
      ->group("Execution");
  AddDefinitionFlags(app, &flags->common);
  AddOutsideFlags(app, &flags->common);
  AddProcessFlags(app, &flags->common);
  app->footer(kExamples);
}

absl::Status Prepare(const RunFlags& flags, const std::shared_ptr<const dsl::Workflow>& workflow,
                     Node* node) {
  RETURN_IF_ERROR(
      LoadDefinitions(flags.common.definitions, Differing::kRefused, node->definitions()));
  return node->definitions()->Put(workflow);
}

}  // namespace

int RunRunCommand(const std::vector<std::string>& arguments) {
  RunFlags flags;
  flags.common.log_level = LogLevel::kWarn;
  // The workflow has ended or shall end: what it left behind has no more than this.
  flags.common.stop_grace = absl::Milliseconds(200);
  flags.common.roles = {Role::kEngine, Role::kWorker};
  // One order of facts, and the cheapest: nothing else runs here.
  flags.common.shards = 1;
  CLI::App app(kHelp, "jaque run");
  app.set_help_flag();
  AddRunFlags(&app, &flags);
  const absl::Status parsed = ParseArguments(&app, arguments, SystemSurroundings());
  if (!parsed.ok()) return ReportUsage(parsed);
  SetUpLogging(flags.common.log_level, flags.common.log_format);
  const auto workflow = LoadDefinition(flags.file);
  if (!workflow.ok()) return ReportError(workflow.status(), kExitBadDefinition);
  absl::StatusOr<std::string> input = ReadJsonArgument("-input", flags.input);
  if (!input.ok()) return ReportError(input.status(), kExitBadDefinition);
  absl::StatusOr<std::vector<ui::ReceivedEvent>> events = ReadEvents(flags.events);
  if (!events.ok()) return ReportError(events.status(), kExitBadDefinition);
  absl::StatusOr<std::unique_ptr<Node>> node = Node::Create(flags.common);
  if (!node.ok()) return ReportError(node.status(), kExitBadDefinition);
  const absl::Status prepared = Prepare(flags, *workflow, node->get());
  if (!prepared.ok()) return ReportError(prepared, kExitBadDefinition);
  const std::string instance = (*node)->ids()->Ulid();
  absl::StatusOr<std::unique_ptr<Progress>> progress = MakeProgress(flags.progress, instance);
  if (!progress.ok()) return ReportError(progress.status(), kExitBadDefinition);
  Execution execution(node->get(), instance, *std::move(progress), *std::move(events));
  return execution.Run((*workflow)->id(), *std::move(input));
}

}  // namespace jaque::cmd
