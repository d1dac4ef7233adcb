// SPDX-License-Identifier: Apache-2.0
// What the API of this process shows of the cluster: everybody who announces themselves, and who
// owns what under the view of now. In one process by itself that is this process. Any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "cmd/backends.h"
#include "cmd/flags.h"
#include "coordination/member_observer.h"
#include "jaque/v1/member.pb.h"
#include "ui/cluster_source.h"

namespace jaque::cmd {

class NodeCluster final : public ui::ClusterSource {
 public:
  // `view` gives the present view; not called where there is no cluster. All outlive this.
  NodeCluster(const Clock* clock, const Flags& flags, const Backends& backends,
              std::function<v1::View()> view);

  ui::ClusterState Cluster() override;
  std::vector<ui::PoolState> Pools() override;

 private:
  ui::ClusterState Alone() const;

  const Clock* const clock_;
  const Flags flags_;
  const int64_t started_micros_;
  const std::function<v1::View()> view_;
  const bool clustered_;
  std::vector<std::pair<std::string, std::unique_ptr<MemberObserver>>> observers_;  // by role
};

// "engine", "worker", "ui" … of -target.
std::vector<std::string> RoleNames(const Flags& flags);

}  // namespace jaque::cmd
