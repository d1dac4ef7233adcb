// SPDX-License-Identifier: Apache-2.0
// CloudEvents within one process, the newest limits::kEventsRetained of them. Any thread.
// Subscribers are called on the publisher's thread (stored events: on the subscriber's), under no
// lock.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/ordered_delivery.h"
#include "base/recent_ids.h"
#include "queue/event_stream.h"

namespace jaque {

struct MemoryEventStreamOptions {
  size_t retained = limits::kEventsRetained;
  absl::Duration dedup_window = absl::Seconds(limits::kDeduplicationSeconds);
};

class MemoryEventStream final : public EventStream {
 public:
  using Options = MemoryEventStreamOptions;

  explicit MemoryEventStream(const Clock* clock, const Options& options = {})
      : clock_(clock),
        options_(options),
        recent_(options.dedup_window, limits::kDeduplicationIds) {}

  void Publish(const std::string& dedup_id, std::string json,
               absl::AnyInvocable<void(absl::StatusOr<uint64_t>)> done) override;
  uint64_t LastSequence() override;
  std::unique_ptr<Subscription> Subscribe(uint64_t after,
                                          std::function<void(const StreamedEvent&)> visit) override;

 private:
  struct Stored {
    uint64_t sequence = 0;
    std::shared_ptr<const std::string> json;
  };
  using Delivery = OrderedDelivery<Stored>;
  using Deliveries = std::vector<std::shared_ptr<Delivery>>;
  class MemorySubscription;

  // The event's sequence; fills the subscribers to be drained once the lock is gone.
  uint64_t Store(const std::string& dedup_id, std::string json, Deliveries* subscribers);
  void Forget(const std::shared_ptr<Delivery>& subscriber);

  const Clock* const clock_;
  const Options options_;
  absl::Mutex mutex_;
  uint64_t last_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<Stored> events_ ABSL_GUARDED_BY(mutex_);
  RecentIds recent_ ABSL_GUARDED_BY(mutex_);
  Deliveries subscribers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace jaque
