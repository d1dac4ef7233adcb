// SPDX-License-Identifier: Apache-2.0
#include "queue/nats_task_depths.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "nats/jetstream.h"

namespace jaque {

NatsTaskDepths::NatsTaskDepths(nats::Connection* connection, const nats::Names& names)
    : connection_(connection),
      stream_(names.Stream("TASKS")),
      prefix_(names.Subject("work.task.")) {}

absl::StatusOr<std::vector<PoolDepth>> NatsTaskDepths::Depths() {
  // A message is forgotten when it is acknowledged: what the stream holds waits or is delivered.
  ASSIGN_OR_RETURN(const std::vector<nats::ConsumerState> consumers,
                   nats::ConsumersOf(*connection_, stream_));
  ASSIGN_OR_RETURN(const auto held, nats::CountsOf(*connection_, stream_, prefix_ + "*"));
  std::map<std::string, PoolDepth> pools;
  for (const auto& [subject, count] : held) pools[subject].waiting = count;
  for (const nats::ConsumerState& consumer : consumers) {
    PoolDepth& depth = pools[consumer.filter];
    depth.running = std::min(consumer.delivered, depth.waiting);
    depth.waiting -= depth.running;
  }
  std::vector<PoolDepth> depths;
  for (auto& [subject, depth] : pools) {
    if (!absl::StartsWith(subject, prefix_)) continue;
    ASSIGN_OR_RETURN(depth.pool, nats::DecodeToken(subject.substr(prefix_.size())));
    depths.push_back(std::move(depth));
  }
  std::sort(depths.begin(), depths.end(),
            [](const PoolDepth& a, const PoolDepth& b) { return a.pool < b.pool; });
  return depths;
}

}  // namespace jaque
