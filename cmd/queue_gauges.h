// SPDX-License-Identifier: Apache-2.0
// Looks now and then how much waits in the queues, for the metrics: engines do it, since a pool
// whose workers are all gone has nobody else to say so. One thread of its own, which may wait for
// a server.
#pragma once

#include <set>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "queue/dead_letters.h"
#include "queue/task_depths.h"

namespace jaque::cmd {

class QueueGauges {
 public:
  // All outlive it.
  QueueGauges(TaskDepths* depths, DeadLetters* dead, Metrics* metrics)
      : depths_(depths), dead_(dead), metrics_(metrics) {}
  ~QueueGauges();  // Stop

  void Start();
  void Stop();
  // One look; what cannot be asked keeps its value. By tests, or by the thread.
  void Look();

 private:
  void Run();

  TaskDepths* const depths_;
  DeadLetters* const dead_;
  Metrics* const metrics_;
  std::set<std::string> pools_;  // that have a gauge
  absl::Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace jaque::cmd
