// SPDX-License-Identifier: Apache-2.0
// The object graph of a process: what it stands on, its part in the cluster, the engine, the
// worker. Built, started and stopped once by the main thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/ticker.h"
#include "cmd/backends.h"
#include "cmd/flags.h"
#include "cmd/node_cluster.h"
#include "cmd/notify.h"
#include "cmd/queue_gauges.h"
#include "cmd/store_part.h"
#include "coordination/cluster.h"
#include "engine/engine.h"
#include "worker/loop.h"

namespace jaque::cmd {

class Node {
 public:
  // InvalidArgument for flags that cannot work; Unavailable if NATS cannot be reached.
  static absl::StatusOr<std::unique_ptr<Node>> Create(const Flags& flags);
  ~Node();  // Stop

  // Starts what -target names. Tails that shall see everything are taken before. `exit` is called
  // when this process must end for a reason of the cluster's (another one has its id).
  absl::Status Start(std::function<void(absl::Status)> exit);
  // Lets tasks under way end for as long as the flags say, then leaves. May be called again.
  void Stop();

  // OK, or why this process cannot do its work now.
  absl::Status Ready() const;
  // OK, or why nothing can be changed through this process now.
  absl::Status Writable() const;

  const Clock* clock() const { return clock_; }
  IdGenerator* ids() { return &ids_; }
  const std::string& id() const { return flags_.id; }
  EventLog* log() { return backends_->log.get(); }
  CommandBus* commands() {
    return engine_ != nullptr ? engine_->commands() : backends_->commands.get();
  }
  DeadLetters* dead_commands() { return backends_->dead_commands; }
  DeadNotifications* dead_notifications() { return dead_notifications_.get(); }
  ui::ClusterSource* cluster() { return shown_.get(); }
  EventStream* events() { return backends_->events.get(); }
  DefinitionDeletion* deletion() { return backends_->deletion; }
  DefinitionStore* definitions() { return backends_->definitions.get(); }
  // Null without one.
  store::Store* store() { return store_ == nullptr ? nullptr : store_->store(); }

 private:
  explicit Node(const Flags& flags);
  void MakeTheProgress();
  void MakeTheEngine();
  absl::Status MakeTheWorker();
  absl::Status JoinTheCluster(const std::function<void(absl::Status)>& exit);
  void StopParts();
  v1::Member Announcement(const std::string& role) const;
  v1::View View() const;

  const Clock* const clock_ = &SystemClock();
  IdGenerator ids_;
  Flags flags_;
  // The engine outlives what it stands on, whose last callbacks still find it.
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<LogProgress> progress_;
  std::unique_ptr<Backends> backends_;
  std::unique_ptr<StorePart> store_;
  std::unique_ptr<Worker> worker_;
  // Null where nobody tells of it and nobody shows it.
  std::unique_ptr<notifier::KvDeadNotifications> dead_notifications_;
  std::unique_ptr<NotifierRole> notifier_;
  std::unique_ptr<Cluster> engines_, workers_;
  std::unique_ptr<ViewKeeper> view_;  // of a process without engine
  std::unique_ptr<NodeCluster> shown_;
  std::unique_ptr<QueueGauges> gauges_;  // null without engine
  std::unique_ptr<Ticker> ticker_;
  bool started_ = false;
};

}  // namespace jaque::cmd
