// SPDX-License-Identifier: Apache-2.0
// The role sink: the followers of the store and of each exporter, one thread each; the store's also
// deletes what is old and tells the log how far everybody is. Nothing of it ever holds an engine
// up. Built, started and stopped by one thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "coordination/liveness.h"
#include "coordination/log_progress.h"
#include "log/definition_store.h"
#include "log/event_log.h"
#include "sink/follower.h"
#include "sink/output.h"
#include "store/database.h"
#include "store/retention.h"

namespace jaque {

struct SinkOptions {
  uint32_t shards = 128;
  store::RetentionRules retention;
  // The log began with this process: what the store says of an earlier one is over.
  bool fresh_log = false;
  // The log forgets at once what all have passed: it is in memory.
  bool trim_log = false;
};
// All outlive it.
struct SinkParts {
  const Clock* clock = nullptr;
  EventLog* log = nullptr;
  DefinitionStore* definitions = nullptr;
  std::shared_ptr<store::Database> store;
  LogProgress* progress = nullptr;
  std::function<std::vector<ShardId>()> owned;  // shards, now
};

// The shards that go to `id` among the members that live; all, if nobody is known.
std::vector<ShardId> ShardsOfSink(const std::vector<MemberStatus>& members, const std::string& id,
                                  uint32_t shards);

class Sink {
 public:
  Sink(const SinkOptions& options, const SinkParts& parts,
       std::vector<std::unique_ptr<Output>> exporters = {});
  ~Sink();  // Stop

  void Start();
  void Stop();
  // One turn of everything, for tests; true if there was something to do. Not once it has started.
  bool Step();

 private:
  void RunStore();
  void RunExporter(Follower* follower);
  bool StepStore();
  void BeginAnew();
  void DeleteOld();
  void TellProgress();

  const SinkOptions options_;
  const SinkParts parts_;
  std::unique_ptr<Output> store_output_;
  std::vector<std::unique_ptr<Output>> exporters_;
  std::unique_ptr<Follower> store_;
  std::vector<std::unique_ptr<Follower>> followers_;  // of the exporters
  std::atomic<bool> stopped_ = false;
  // The store's thread.
  bool begun_ = false;
  absl::Duration delete_at_ = -absl::InfiniteDuration(), tell_at_ = -absl::InfiniteDuration();
  absl::Duration repeat_at_ = -absl::InfiniteDuration();
  std::map<ShardId, Sequence> told_;
  std::vector<std::thread> threads_;
};

}  // namespace jaque
