// SPDX-License-Identifier: Apache-2.0
#include "cmd/node.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "base/random.h"
#include "base/status_macros.h"

namespace jaque::cmd {
namespace {

// How often what waits in memory looks at the clock; nothing of it fires early.
constexpr absl::Duration kPulse = absl::Milliseconds(20);
constexpr absl::Duration kWorkerPulse = absl::Milliseconds(100);

WorkerOptions ToWorkerOptions(const Flags& flags, const std::string& id) {
  WorkerOptions options;
  options.worker_id = id;
  options.pools = {WorkerPool{.name = "default", .concurrency = flags.workers}};
  options.http.resolve = flags.http_resolve;
  options.http.ca_file = flags.http_ca;
  options.http.proxy = flags.http_proxy;
  options.http.refuse_private = flags.http_refuse_private;
  options.secrets.folder = flags.secrets_dir;
  options.secrets.environment = SecretEnvironment();
  options.stop_grace = flags.stop_grace;
  return options;
}

}  // namespace

Node::Node(const Flags& flags)
    : ids_(clock_, EntropySeed()),
      // State dies with the process, so nobody reads the log back.
      log_(clock_, {.retained = 1}),
      tasks_(clock_),
      cancels_(MakeMemoryTaskCancels()),
      commands_(clock_),
      events_(clock_),
      id_(flags.id.empty() ? "jaque-" + absl::AsciiStrToLower(ids_.Ulid().substr(18)) : flags.id) {}

Node::~Node() { Stop(); }

absl::StatusOr<std::unique_ptr<Node>> Node::Create(const Flags& flags) {
  auto node = std::unique_ptr<Node>(new Node(flags));
  if (flags.roles.contains(Role::kEngine)) {
    EngineOptions options;
    options.engine_id = node->id_;
    options.shards = flags.shards;
    options.executors = flags.executors;
    options.seed = EntropySeed();
    EngineParts parts;
    parts.clock = node->clock_;
    parts.log = &node->log_;
    parts.tasks = &node->tasks_;
    parts.cancels = node->cancels_.get();
    parts.commands = &node->commands_;
    parts.events = &node->events_;
    parts.definitions = &node->definitions_;
    node->engine_ = MakeEngine(options, parts);
  }
  if (flags.roles.contains(Role::kWorker)) {
    WorkerParts parts;
    parts.clock = node->clock_;
    parts.tasks = &node->tasks_;
    parts.commands = &node->commands_;
    parts.cancels = node->cancels_.get();
    parts.definitions = &node->definitions_;
    ASSIGN_OR_RETURN(node->worker_, Worker::Create(ToWorkerOptions(flags, node->id_), parts));
  }
  return node;
}

absl::Status Node::Start() {
  ticker_.Every(kPulse, [this] {
    commands_.ExpireOverdue();
    tasks_.ExpireOverdue();
  });
  if (engine_ != nullptr) RETURN_IF_ERROR(engine_->Start());
  if (worker_ != nullptr) {
    worker_->Start();
    ticker_.Every(kWorkerPulse, [this] { worker_->Tick(); });
  }
  started_ = true;
  return absl::OkStatus();
}

void Node::Stop() {
  if (!std::exchange(started_, false)) return;
  // The worker first, while its results are still taken.
  if (worker_ != nullptr) worker_->Stop();
  ticker_.Stop();
  if (engine_ != nullptr) engine_->Stop();
}

}  // namespace jaque::cmd
