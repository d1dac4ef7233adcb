// SPDX-License-Identifier: Apache-2.0
#include "cmd/node_cluster.h"

#include <utility>

#include "base/limits.h"
#include "base/status_macros.h"
#include "base/version.h"
#include "coordination/log_lag.h"
#include "coordination/ownership.h"

namespace jaque::cmd {
namespace {

std::string StateName(MemberState state) {
  switch (state) {
    case MemberState::kAlive:
      return "alive";
    case MemberState::kSuspect:
      return "suspect";
    case MemberState::kDead:
      return "dead";
  }
  return "dead";
}

}  // namespace

std::vector<std::string> RoleNames(const Flags& flags) {
  std::vector<std::string> names;
  const std::pair<Role, const char*> known[] = {{Role::kEngine, "engine"},
                                                {Role::kWorker, "worker"},
                                                {Role::kSink, "sink"},
                                                {Role::kUi, "ui"}};
  for (const auto& [role, name] : known) {
    if (flags.roles.contains(role)) names.emplace_back(name);
  }
  if (!flags.notify_rules.empty()) names.emplace_back("notifier");
  return names;
}

NodeCluster::NodeCluster(const Clock* clock, const Flags& flags, Backends* backends,
                         LogProgress* progress, std::function<v1::View()> view)
    : clock_(clock),
      flags_(flags),
      started_micros_(absl::ToUnixMicros(clock->Now())),
      backends_(backends),
      progress_(progress),
      view_(std::move(view)) {
  for (const auto& [role, members] : backends->members) {
    observers_.emplace_back(
        role, std::make_unique<MemberObserver>(clock, members.get(), flags.heartbeat_ttl));
  }
}

void NodeCluster::Note(const v1::View& view) {
  absl::MutexLock lock(&mutex_);
  if (!views_.empty() && views_.front().epoch >= view.epoch()) return;
  ui::SeenView seen;
  seen.epoch = view.epoch();
  seen.at_micros = absl::ToUnixMicros(clock_->Now());
  for (const v1::ViewMember& member : view.members()) seen.members.push_back(member.id());
  views_.push_front(std::move(seen));
  if (views_.size() > limits::kOpeningsShown) views_.pop_back();
}

std::vector<ui::SeenView> NodeCluster::Views() const {
  absl::MutexLock lock(&mutex_);
  return {views_.begin(), views_.end()};
}

ui::ClusterState NodeCluster::Alone() const {
  ui::ClusterState state;
  for (const std::string& role : RoleNames(flags_)) {
    ui::ClusterMember self;
    self.id = flags_.id;
    self.role = role;
    self.address = flags_.http_listen;
    self.version = kVersion;
    self.started_micros = started_micros_;
    self.heard_micros = absl::ToUnixMicros(clock_->Now());
    state.members.push_back(std::move(self));
  }
  const bool engine = flags_.roles.contains(Role::kEngine);
  for (uint32_t shard = 0; shard < flags_.shards; ++shard) {
    state.shards.push_back({shard, engine ? flags_.id : "", ""});
  }
  return state;
}

ui::ClusterState NodeCluster::Cluster() {
  if (backends_->cluster == nullptr) return Alone();
  ui::ClusterState state;
  const v1::View view = view_();
  const Ownership ownership(view, flags_.shards);
  state.epoch = view.epoch();
  state.expected_engines = flags_.expected_engines;
  state.views = Views();
  for (const auto& [role, observer] : observers_) {
    for (const MemberStatus& status : observer->Judge()) {
      ui::ClusterMember member;
      member.id = status.member.id();
      member.role = role;
      member.address = status.member.address();
      member.version = status.member.version();
      member.state = StateName(status.state);
      member.started_micros = status.member.started_micros();
      member.heard_micros =
          absl::ToUnixMicros(clock_->Now() - (clock_->Monotonic() - status.heard_at));
      if (role == "engine") member.in_view = ownership.Has(member.id);
      state.members.push_back(std::move(member));
    }
  }
  for (uint32_t shard = 0; shard < flags_.shards; ++shard) {
    state.shards.push_back({shard, ownership.OwnerOf(shard), ownership.StandbyOf(shard)});
  }
  return state;
}

absl::StatusOr<std::vector<ui::LogReader>> NodeCluster::Readers() {
  std::vector<ui::LogReader> readers;
  if (progress_ == nullptr) return readers;
  ASSIGN_OR_RETURN(const std::vector<ReaderPosition> positions, progress_->Positions());
  std::map<std::string, ui::LogReader> by_name;
  for (const ReaderPosition& position : positions) {
    by_name[position.reader].shards[position.shard] = {position.sequence,
                                                       absl::ToUnixMicros(position.said_at)};
  }
  for (auto& [name, reader] : by_name) {
    reader.name = name;
    readers.push_back(std::move(reader));
  }
  return readers;
}

absl::StatusOr<std::map<uint32_t, absl::Duration>> NodeCluster::Lags(
    const std::map<uint32_t, uint64_t>& passed) {
  RETURN_IF_ERROR(backends_->Reachable());
  return LogLags(*clock_, backends_->log.get(), passed);
}

// Who works for a pool is known of this process alone: members do not say it.
absl::StatusOr<std::vector<ui::PoolState>> NodeCluster::Pools() {
  ASSIGN_OR_RETURN(const std::vector<PoolDepth> depths, backends_->depths->Depths());
  std::map<std::string, ui::PoolState> pools;
  for (const PoolDepth& depth : depths) {
    ui::PoolState& pool = pools[depth.pool];
    pool.waiting = depth.waiting;
    pool.running = depth.running;
  }
  const bool alone = backends_->queue_connection == nullptr;
  if (alone && flags_.roles.contains(Role::kWorker)) {
    for (const auto& [name, places] : flags_.worker_pools) {
      pools[name].workers = 1;
      pools[name].places = places;
    }
  }
  std::vector<ui::PoolState> states;
  for (auto& [name, pool] : pools) {
    pool.name = name;
    if (alone && !pool.workers) pool.workers = 0;
    states.push_back(std::move(pool));
  }
  return states;
}

}  // namespace jaque::cmd
