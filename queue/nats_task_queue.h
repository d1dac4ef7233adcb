// SPDX-License-Identifier: Apache-2.0
// The task queue on JetStream: stream <PREFIX>_TASKS (a work queue), subject
// <prefix>.work.task.<pool>, one shared pull consumer for each pool. Any thread; callbacks come on
// the library's threads. Deliveries may outlive the queue, not the connection.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/limits.h"
#include "nats/connection.h"
#include "nats/names.h"
#include "nats/pull_consumer.h"
#include "queue/task_queue.h"

namespace jaque {

struct NatsTaskQueueOptions {
  int replicas = 1;
  absl::Duration ack_wait =
      absl::Seconds(limits::kAcknowledgeSeconds);  // the same in all processes
};

class NatsTaskQueue final : public TaskQueue {
 public:
  using Options = NatsTaskQueueOptions;

  // Makes or checks the stream, and the consumers of the pools that this process is going to pull
  // from (others are made at the first pull, unchecked). The connection outlives the queue.
  static absl::StatusOr<std::unique_ptr<NatsTaskQueue>> Open(nats::Connection* connection,
                                                             const nats::Names& names,
                                                             const std::vector<std::string>& pools,
                                                             const Options& options = {});

  void Publish(const std::string& pool, const std::string& id, std::string bytes,
               absl::AnyInvocable<void(absl::Status)> done) override;
  void Pull(const std::string& pool, int max, absl::Duration wait,
            absl::AnyInvocable<void(std::vector<std::unique_ptr<TaskDelivery>>)> deliver) override;

 private:
  class Pool;

  NatsTaskQueue(nats::Connection* connection, const nats::Names& names, const Options& options)
      : connection_(connection), names_(names), options_(options) {}
  nats::ConsumerSpec ConsumerOf(const std::string& pool) const;

  nats::Connection* const connection_;
  const nats::Names names_;
  const Options options_;
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, std::shared_ptr<Pool>> pools_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace jaque
