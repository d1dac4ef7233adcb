// SPDX-License-Identifier: Apache-2.0
#include "cmd/node_cluster.h"

#include "base/version.h"
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
  return names;
}

NodeCluster::NodeCluster(const Clock* clock, const Flags& flags, const Backends& backends,
                         std::function<v1::View()> view)
    : clock_(clock),
      flags_(flags),
      started_micros_(absl::ToUnixMicros(clock->Now())),
      view_(std::move(view)),
      clustered_(backends.cluster != nullptr) {
  for (const auto& [role, members] : backends.members) {
    observers_.emplace_back(
        role, std::make_unique<MemberObserver>(clock, members.get(), flags.heartbeat_ttl));
  }
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
  if (!clustered_) return Alone();
  ui::ClusterState state;
  const v1::View view = view_();
  const Ownership ownership(view, flags_.shards);
  state.epoch = view.epoch();
  state.expected_engines = flags_.expected_engines;
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

std::vector<ui::PoolState> NodeCluster::Pools() {
  std::vector<ui::PoolState> pools;
  if (!flags_.roles.contains(Role::kWorker)) return pools;
  for (const auto& [name, places] : flags_.worker_pools) pools.push_back({name, 1, places});
  return pools;
}

}  // namespace jaque::cmd
