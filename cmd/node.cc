// SPDX-License-Identifier: Apache-2.0
#include "cmd/node.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "base/random.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "base/version.h"
#include "coordination/read_event_log.h"
#include "coordination/view.h"

namespace jaque::cmd {
namespace {

// How often what waits in memory looks at the clock; nothing of it fires early.
constexpr absl::Duration kPulse = absl::Milliseconds(20);
constexpr absl::Duration kWorkerPulse = absl::Milliseconds(100);
constexpr absl::Duration kNotifierPulse = absl::Milliseconds(20);
constexpr absl::Duration kViewPulse = absl::Milliseconds(100);

// Shards remember their owner; it is the same one when the process starts again.
constexpr char kIdInFolder[] = "jaque-local";
// One process reads all shards before it is ready: less log to read, for more snapshots.
constexpr size_t kSnapshotBytesInFolder = 1 << 20;

WorkerOptions ToWorkerOptions(const Flags& flags) {
  WorkerOptions options;
  options.worker_id = flags.id;
  options.pools.clear();
  for (const auto& [pool, concurrency] : flags.worker_pools) {
    options.pools.push_back({.name = pool, .concurrency = concurrency});
  }
  options.http.resolve = flags.http_resolve;
  options.http.ca_file = flags.http_ca;
  options.http.proxy = flags.http_proxy;
  options.http.refuse_private = flags.http_refuse_private;
  options.secrets.folder = flags.secrets_dir;
  options.secrets.environment = SecretEnvironment();
  options.stop_grace = flags.stop_grace;
  return options;
}

// Everything is this engine's, for ever; where what it did outlives it, under a higher epoch each
// time, and as another incarnation if the one before died.
std::shared_ptr<const Ownership> OwnershipOfOne(const std::string& id, uint32_t shards,
                                                const sqlite::DataFolder* folder) {
  v1::View view;
  view.set_epoch(folder != nullptr ? folder->epoch() : 1);
  v1::ViewMember* member = view.add_members();
  member->set_id(id);
  if (folder != nullptr) member->set_incarnation(folder->incarnation());
  member->set_weight(1);
  return std::make_shared<const Ownership>(view, shards);
}

}  // namespace

Node::Node(const Flags& flags) : ids_(clock_, EntropySeed()), flags_(flags) {
  if (flags_.id.empty() && !flags_.data_dir.empty()) flags_.id = kIdInFolder;
  if (flags_.id.empty()) flags_.id = "jaque-" + absl::AsciiStrToLower(ids_.Ulid().substr(18));
  if (flags_.worker_pools.empty()) flags_.worker_pools["default"] = flags.workers;
}

Node::~Node() { Stop(); }

absl::StatusOr<std::unique_ptr<Node>> Node::Create(const Flags& flags) {
  auto node = std::unique_ptr<Node>(new Node(flags));
  ASSIGN_OR_RETURN(node->backends_, MakeBackends(node->flags_, node->clock_));
  node->MakeTheProgress();
  if (node->backends_->notifications != nullptr) {
    node->dead_notifications_ = std::make_unique<notifier::KvDeadNotifications>(
        node->clock_, node->backends_->notifications.get());
  }
  ASSIGN_OR_RETURN(node->store_, StorePart::Create(node->flags_, node->clock_,
                                                   node->backends_.get(), node->progress_.get()));
  if (flags.roles.contains(Role::kEngine)) node->MakeTheEngine();
  if (flags.roles.contains(Role::kWorker)) RETURN_IF_ERROR(node->MakeTheWorker());
  node->shown_ = std::make_unique<NodeCluster>(node->clock_, node->flags_, node->backends_.get(),
                                               node->progress_.get(),
                                               [shown = node.get()] { return shown->View(); });
  if (!flags.notify_rules.empty()) {
    ASSIGN_OR_RETURN(node->notifier_,
                     NotifierRole::Create(node->flags_, ToWorkerOptions(node->flags_).http,
                                          node->clock_, node->backends_.get(),
                                          node->progress_.get(), node->dead_notifications_.get()));
  }
  return node;
}

// Engines trim the log no further than those have come who read it beside them.
void Node::MakeTheProgress() {
  if (backends_->progress == nullptr) return;
  std::vector<std::string> awaited;
  if (flags_.queue == "memory" && flags_.roles.contains(Role::kSink)) awaited = {kSinkReader};
  progress_ = std::make_unique<LogProgress>(clock_, backends_->progress.get(), awaited);
  backends_->log = std::make_unique<ReadEventLog>(std::move(backends_->log), progress_.get());
}

void Node::MakeTheEngine() {
  EngineOptions options;
  options.engine_id = flags_.id;
  options.shards = flags_.shards;
  options.executors = flags_.executors;
  options.seed = EntropySeed();
  options.standby = flags_.standby;
  options.retention = flags_.retention;
  if (backends_->folder != nullptr) options.snapshot_bytes = kSnapshotBytesInFolder;
  EngineParts parts;
  parts.clock = clock_;
  parts.log = backends_->log.get();
  parts.tasks = backends_->tasks.get();
  parts.cancels = backends_->cancels.get();
  parts.commands = backends_->commands.get();
  parts.events = backends_->events.get();
  parts.definitions = backends_->definitions.get();
  parts.state = backends_->state.get();
  engine_ = MakeEngine(options, parts);
  gauges_ =
      std::make_unique<QueueGauges>(backends_->depths, backends_->dead_commands, &ProcessMetrics());
}

absl::Status Node::MakeTheWorker() {
  WorkerParts parts;
  parts.clock = clock_;
  parts.tasks = backends_->tasks.get();
  parts.commands = commands();
  parts.cancels = backends_->cancels.get();
  parts.definitions = backends_->definitions.get();
  ASSIGN_OR_RETURN(worker_, Worker::Create(ToWorkerOptions(flags_), parts));
  return absl::OkStatus();
}

v1::Member Node::Announcement(const std::string& role) const {
  v1::Member self;
  self.set_id(flags_.id);
  self.set_role(role);
  self.set_address(flags_.http_listen);
  self.set_started_micros(absl::ToUnixMicros(clock_->Now()));
  self.set_version(kVersion);
  self.set_weight(1);
  return self;
}

absl::Status Node::JoinTheCluster(const std::function<void(absl::Status)>& exit) {
  const auto superseded = [exit, id = flags_.id] {
    exit(absl::AbortedError(
        Cat("another process was started with -id ", id, ": each process needs an id of its own")));
  };
  const auto options = [this](const std::string& role) {
    ClusterOptions made;
    made.membership.self = Announcement(role);
    made.membership.ttl = flags_.heartbeat_ttl;
    made.membership.seed = EntropySeed();
    return made;
  };
  if (backends_->cluster != nullptr && engine_ == nullptr) {
    // Looks at the view, for the quorum guard, and takes no part in it.
    view_ = std::make_unique<ViewKeeper>(clock_, backends_->cluster.get(), kViewKey,
                                         [this](const v1::View& view) { shown_->Note(view); });
    RETURN_IF_ERROR(view_->Start());
  }
  if (backends_->engines != nullptr) {
    ClusterOptions engine = options("engine");
    engine.shards = flags_.shards;
    const auto changed = [this](const v1::View& view) {
      shown_->Note(view);
      engine_->SetOwnership(std::make_shared<const Ownership>(view, flags_.shards));
    };
    engines_ = std::make_unique<Cluster>(clock_, backends_->engines.get(), backends_->cluster.get(),
                                         engine, Cluster::Callbacks{changed, superseded});
    RETURN_IF_ERROR(engines_->Join());
  }
  if (backends_->workers != nullptr) {
    workers_ =
        std::make_unique<Cluster>(clock_, backends_->workers.get(), nullptr, options("worker"),
                                  Cluster::Callbacks{nullptr, superseded});
    RETURN_IF_ERROR(workers_->Join());
  }
  if (store_ != nullptr) RETURN_IF_ERROR(store_->Join(options("sink").membership, superseded));
  if (notifier_ != nullptr) RETURN_IF_ERROR(notifier_->Join(options("notifier"), superseded));
  return absl::OkStatus();
}

absl::Status Node::Start(std::function<void(absl::Status)> exit) {
  started_ = true;
  ticker_ = std::make_unique<Ticker>(clock_);
  if (!backends_->pulses.empty() || engine_ != nullptr) {
    ticker_->Every(kPulse, [this] {
      for (const auto& pulse : backends_->pulses) pulse();
      if (engine_ != nullptr) engine_->Tick();
    });
  }
  if (engine_ != nullptr) engine_->Start();
  if (engine_ != nullptr && backends_->cluster == nullptr) {
    engine_->SetOwnership(OwnershipOfOne(flags_.id, flags_.shards, backends_->folder.get()));
  }
  RETURN_IF_ERROR(
      PatientlyWhileAway(clock_, "joining the cluster", [&] { return JoinTheCluster(exit); }));
  if (view_ != nullptr) {
    ticker_->Every(kViewPulse, [this] { view_->Tick({}); });
  }
  if (store_ != nullptr) store_->Start();
  if (gauges_ != nullptr) gauges_->Start();
  if (worker_ != nullptr) {
    worker_->Start();
    ticker_->Every(kWorkerPulse, [this] { worker_->Tick(); });
  }
  if (notifier_ != nullptr) {
    ticker_->Every(kNotifierPulse, [this] { notifier_->Tick(); });
  }
  return absl::OkStatus();
}

absl::Status Node::Ready() const {
  RETURN_IF_ERROR(backends_->Reachable());
  if (engines_ != nullptr && engines_->cut_off()) {
    return absl::UnavailableError("the coordination store cannot be reached");
  }
  if (notifier_ != nullptr) RETURN_IF_ERROR(notifier_->Ready());
  return engine_ != nullptr ? engine_->Ready() : absl::OkStatus();
}

absl::Status Node::Writable() const {
  if (engine_ == nullptr && flags_.coordination == "memory") {
    return absl::UnavailableError(
        "there is no engine here, and without -coordination none can be asked: this process can "
        "only read");
  }
  RETURN_IF_ERROR(backends_->Reachable());
  if (flags_.expected_engines > 0 && backends_->cluster != nullptr) {
    const int members = View().members_size();
    const int quorum = flags_.expected_engines / 2 + 1;
    if (members < quorum) {
      return absl::UnavailableError(Cat("only ", members, " of ", flags_.expected_engines,
                                        " engines are there; ", quorum, " are needed to write"));
    }
  }
  return absl::OkStatus();
}

v1::View Node::View() const {
  if (engines_ != nullptr) return engines_->view();
  return view_ != nullptr ? view_->view() : v1::View();
}

void Node::Stop() {
  if (std::exchange(started_, false)) StopParts();
  if (backends_ != nullptr && backends_->folder != nullptr) backends_->folder->Close();
}

void Node::StopParts() {
  // The worker first, while its results are still taken; then the shards pass to others, which need
  // the engine's last appends.
  if (worker_ != nullptr) worker_->Stop();
  if (workers_ != nullptr) workers_->Leave();
  if (engines_ != nullptr) engines_->Leave();
  ticker_->Stop();
  if (gauges_ != nullptr) gauges_->Stop();
  if (notifier_ != nullptr) notifier_->Stop();
  if (engine_ != nullptr) engine_->Stop();
  if (store_ != nullptr) store_->Stop();  // with what the engine wrote last
  engines_.reset();
  workers_.reset();
  view_.reset();
}

}  // namespace jaque::cmd
