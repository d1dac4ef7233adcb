// SPDX-License-Identifier: Apache-2.0
#include "cmd/queue_gauges.h"

#include <map>

namespace jaque::cmd {
namespace {

constexpr absl::Duration kPause = absl::Seconds(5);

}  // namespace

QueueGauges::~QueueGauges() { Stop(); }

void QueueGauges::Start() {
  thread_ = std::thread([this] { Run(); });
}

void QueueGauges::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

void QueueGauges::Run() {
  for (;;) {
    Look();
    absl::MutexLock lock(&mutex_);
    if (mutex_.AwaitWithTimeout(absl::Condition(&stopped_), kPause)) return;
  }
}

void QueueGauges::Look() {
  if (const auto depths = depths_->Depths(); depths.ok()) {
    std::map<std::string, uint64_t> waiting;
    for (const std::string& pool : pools_) waiting[pool] = 0;  // one that is gone has none
    for (const PoolDepth& depth : *depths) waiting[depth.pool] = depth.waiting;
    for (const auto& [pool, count] : waiting) {
      metrics_->tasks_waiting.Add({{"pool", pool}}).Set(static_cast<double>(count));
      pools_.insert(pool);
    }
  }
  if (const auto dead = dead_->CountDead(); dead.ok()) {
    metrics_->dead_letters.Set(static_cast<double>(*dead));
  }
}

}  // namespace jaque::cmd
