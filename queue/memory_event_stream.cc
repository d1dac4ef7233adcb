// SPDX-License-Identifier: Apache-2.0
#include "queue/memory_event_stream.h"

#include <algorithm>
#include <utility>

namespace jaque {

class MemoryEventStream::MemorySubscription final : public EventStream::Subscription {
 public:
  MemorySubscription(MemoryEventStream* stream, std::shared_ptr<Delivery> delivery)
      : stream_(stream), delivery_(std::move(delivery)) {}
  ~MemorySubscription() override {
    stream_->Forget(delivery_);
    delivery_->Close();
  }

 private:
  MemoryEventStream* const stream_;
  const std::shared_ptr<Delivery> delivery_;
};

void MemoryEventStream::Publish(const std::string& dedup_id, std::string json,
                                absl::AnyInvocable<void(absl::StatusOr<uint64_t>)> done) {
  Deliveries subscribers;
  const uint64_t sequence = Store(dedup_id, std::move(json), &subscribers);
  done(sequence);
  for (const std::shared_ptr<Delivery>& subscriber : subscribers) subscriber->Drain();
}

uint64_t MemoryEventStream::Store(const std::string& dedup_id, std::string json,
                                  Deliveries* subscribers) {
  absl::MutexLock lock(&mutex_);
  const absl::Duration now = clock_->Monotonic();
  if (const auto first = recent_.Find(dedup_id, now)) return *first;
  Stored event{++last_, std::make_shared<const std::string>(std::move(json))};
  recent_.Insert(dedup_id, event.sequence, now);
  for (const std::shared_ptr<Delivery>& subscriber : subscribers_) subscriber->Push(event);
  events_.push_back(std::move(event));
  while (events_.size() > options_.retained) events_.pop_front();
  *subscribers = subscribers_;
  return last_;
}

uint64_t MemoryEventStream::LastSequence() {
  absl::MutexLock lock(&mutex_);
  return last_;
}

std::unique_ptr<EventStream::Subscription> MemoryEventStream::Subscribe(
    uint64_t after, std::function<void(const StreamedEvent&)> visit) {
  auto delivery = std::make_shared<Delivery>([visit = std::move(visit)](const Stored& event) {
    visit({event.sequence, *event.json});
  });
  {
    absl::MutexLock lock(&mutex_);
    auto first = std::upper_bound(
        events_.begin(), events_.end(), after,
        [](uint64_t sequence, const Stored& event) { return sequence < event.sequence; });
    for (auto it = first; it != events_.end(); ++it) delivery->Push(*it);
    subscribers_.push_back(delivery);
  }
  delivery->Drain();
  return std::make_unique<MemorySubscription>(this, std::move(delivery));
}

void MemoryEventStream::Forget(const std::shared_ptr<Delivery>& subscriber) {
  absl::MutexLock lock(&mutex_);
  subscribers_.erase(std::remove(subscribers_.begin(), subscribers_.end(), subscriber),
                     subscribers_.end());
}

}  // namespace jaque
