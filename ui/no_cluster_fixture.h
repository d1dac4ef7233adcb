// SPDX-License-Identifier: Apache-2.0
// For tests: a cluster in which there is nobody.
#pragma once

#include <map>
#include <vector>

#include "ui/cluster_source.h"

namespace jaque::ui {

class NoCluster final : public ClusterSource {
 public:
  ClusterState Cluster() override { return {}; }
  absl::StatusOr<std::vector<LogReader>> Readers() override { return std::vector<LogReader>(); }
  absl::StatusOr<std::map<uint32_t, absl::Duration>> Lags(
      const std::map<uint32_t, uint64_t>&) override {
    return std::map<uint32_t, absl::Duration>();
  }
  absl::StatusOr<std::vector<PoolState>> Pools() override { return std::vector<PoolState>(); }
};

}  // namespace jaque::ui
