// SPDX-License-Identifier: Apache-2.0
// A worker: pulls tasks from the queue, as many as it has free slots, evaluates their arguments,
// does the work (worker/*_runner), sends the result to the engine that asked and acknowledges a
// message when the engines have all results of it. Built, started and stopped once, by one thread;
// Tick from a Ticker.
//
//   TaskQueue ─Pull→ waiting ─slot→ open? (if delivered before) ─→ evaluate ─→ runner ─→ result
//                                   CommandBus: Send, else Submit, until it is taken ─→ Ack
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/limits.h"
#include "log/definition_store.h"
#include "queue/command_bus.h"
#include "queue/task_cancels.h"
#include "queue/task_queue.h"
#include "worker/http_client.h"
#include "worker/process_runner.h"
#include "worker/secrets.h"

namespace jaque {

struct WorkerPool {
  std::string name = "default";
  int concurrency = 64;  // tasks under way at once
};

struct WorkerOptions {
  std::string worker_id;
  std::vector<WorkerPool> pools = {WorkerPool()};
  int threads = 2;  // that evaluate arguments and read answers
  HttpClientOptions http;
  ProcessRunnerOptions processes;
  SecretStoreOptions secrets;
  absl::Duration acknowledge_wait = absl::Seconds(limits::kAcknowledgeSeconds);  // the queue's
  absl::Duration stop_grace = absl::Seconds(10);  // for tasks under way; then they are aborted
};

// What a worker is built from; all outlive it. The clock must be a real one.
struct WorkerParts {
  const Clock* clock = nullptr;
  TaskQueue* tasks = nullptr;
  CommandBus* commands = nullptr;
  TaskCancels* cancels = nullptr;  // may be null
  DefinitionStore* definitions = nullptr;
};

class Worker {
 public:
  // InvalidArgument for options that cannot work.
  static absl::StatusOr<std::unique_ptr<Worker>> Create(const WorkerOptions& options,
                                                        const WorkerParts& parts);
  virtual ~Worker() = default;  // as Stop

  virtual void Start() = 0;
  // Keeps long tasks' messages and sends results again that were not taken. To be called at least
  // every acknowledge_wait / 4, better every 100 ms.
  virtual void Tick() = 0;
  // Takes no more tasks, lets those under way end (stop_grace), hands the others back to the queue.
  virtual void Stop() = 0;
};

}  // namespace jaque
