// SPDX-License-Identifier: Apache-2.0
// CloudEvents on JetStream: stream <PREFIX>_EVENTS, subject <prefix>.events. Any thread; callbacks
// come on the library's threads.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/limits.h"
#include "nats/connection.h"
#include "nats/names.h"
#include "queue/event_stream.h"

namespace jaque {

struct NatsEventStreamOptions {
  int replicas = 1;
  absl::Duration max_age = absl::Hours(24 * 7);
};

class NatsEventStream final : public EventStream {
 public:
  using Options = NatsEventStreamOptions;

  // Makes or checks the stream. The connection outlives this.
  static absl::StatusOr<std::unique_ptr<NatsEventStream>> Open(nats::Connection* connection,
                                                               const nats::Names& names,
                                                               const Options& options = {});

  void Publish(const std::string& dedup_id, std::string json,
               absl::AnyInvocable<void(absl::StatusOr<uint64_t>)> done) override;
  uint64_t LastSequence() override { return last_->load(); }
  std::unique_ptr<Subscription> Subscribe(uint64_t after,
                                          std::function<void(const StreamedEvent&)> visit) override;

 private:
  // The newest sequence that this process has seen; callbacks may outlive the stream.
  using Last = std::shared_ptr<std::atomic<uint64_t>>;
  static void Raise(const Last& last, uint64_t sequence);

  NatsEventStream(nats::Connection* connection, const nats::Names& names, uint64_t last);

  nats::Connection* const connection_;
  const std::string stream_, subject_;
  const Last last_;
};

}  // namespace jaque
