// SPDX-License-Identifier: Apache-2.0
// What the API of this process shows of the cluster: everybody who announces themselves, and who
// owns what under the view of now, who reads the log and how far they are, what waits in the pools.
// In one process by itself that is this process. Any thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "cmd/backends.h"
#include "cmd/flags.h"
#include "coordination/log_progress.h"
#include "coordination/member_observer.h"
#include "jaque/v1/member.pb.h"
#include "ui/cluster_source.h"

namespace jaque::cmd {

class NodeCluster final : public ui::ClusterSource {
 public:
  // `view` gives the present view; not called where there is no cluster. All outlive this.
  NodeCluster(const Clock* clock, const Flags& flags, Backends* backends, LogProgress* progress,
              std::function<v1::View()> view);

  // A view has come. Any thread.
  void Note(const v1::View& view);

  ui::ClusterState Cluster() override;
  absl::StatusOr<std::vector<ui::LogReader>> Readers() override;
  absl::StatusOr<std::map<uint32_t, absl::Duration>> Lags(
      const std::map<uint32_t, uint64_t>& passed) override;
  absl::StatusOr<std::vector<ui::PoolState>> Pools() override;

 private:
  ui::ClusterState Alone() const;
  std::vector<ui::SeenView> Views() const;

  const Clock* const clock_;
  const Flags flags_;
  const int64_t started_micros_;
  Backends* const backends_;
  LogProgress* const progress_;
  const std::function<v1::View()> view_;
  std::vector<std::pair<std::string, std::unique_ptr<MemberObserver>>> observers_;  // by role
  mutable absl::Mutex mutex_;
  std::deque<ui::SeenView> views_ ABSL_GUARDED_BY(mutex_);  // the newest first
};

// "engine", "worker", "ui" … of -target.
std::vector<std::string> RoleNames(const Flags& flags);

}  // namespace jaque::cmd
