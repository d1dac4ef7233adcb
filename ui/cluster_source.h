// SPDX-License-Identifier: Apache-2.0
// What a process sees of the cluster that it is in: members, who owns what, which pools there are.
// Made by cmd/; asked on the Api's own threads, where it may wait.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace jaque::ui {

struct ClusterMember {
  std::string id, role, address, version;
  std::string state = "alive";  // alive, suspect, dead
  int64_t started_micros = 0, heard_micros = 0;
  std::optional<bool> in_view;
};

struct ShardPlace {
  uint32_t shard = 0;
  std::string owner, standby;  // empty: nobody
};

struct ClusterState {
  std::optional<uint64_t> epoch;  // of the view; a process by itself has none
  int expected_engines = 0;
  std::vector<ClusterMember> members;
  std::vector<ShardPlace> shards;  // by number
};

struct PoolState {
  std::string name;
  int workers = 0, places = 0;  // processes, and tasks that they can do at a time
};

class ClusterSource {
 public:
  virtual ~ClusterSource() = default;
  virtual ClusterState Cluster() = 0;
  virtual std::vector<PoolState> Pools() = 0;
};

}  // namespace jaque::ui
