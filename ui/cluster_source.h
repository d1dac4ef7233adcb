// SPDX-License-Identifier: Apache-2.0
// What a process sees of the cluster that it is in: members, who owns what, who reads the log,
// which pools there are. Made by cmd/; asked on the Api's own threads, where it may wait.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

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

// A view that this process has seen come.
struct SeenView {
  uint64_t epoch = 0;
  int64_t at_micros = 0;
  std::vector<std::string> members;
};

struct ClusterState {
  std::optional<uint64_t> epoch;  // of the view; a process by itself has none
  int expected_engines = 0;
  std::vector<ClusterMember> members;
  std::vector<ShardPlace> shards;  // by number
  std::vector<SeenView> views;     // the newest first
};

// One that reads the log beside the engines ("sink", "notifier"), all processes of it together.
struct LogReader {
  struct Shard {
    uint64_t sequence = 0;  // passed
    int64_t said_micros = 0;
  };
  std::string name;
  std::map<uint32_t, Shard> shards;
};

struct PoolState {
  std::string name;
  uint64_t waiting = 0, running = 0;   // tasks
  std::optional<int> workers, places;  // processes, and tasks that they can do at a time, if known
};

class ClusterSource {
 public:
  virtual ~ClusterSource() = default;
  virtual ClusterState Cluster() = 0;
  virtual absl::StatusOr<std::vector<LogReader>> Readers() = 0;
  // Of each shard, how old the oldest batch is after the sequence that somebody has passed.
  virtual absl::StatusOr<std::map<uint32_t, absl::Duration>> Lags(
      const std::map<uint32_t, uint64_t>& passed) = 0;
  virtual absl::StatusOr<std::vector<PoolState>> Pools() = 0;  // by name
};

}  // namespace jaque::ui
