// SPDX-License-Identifier: Apache-2.0
#include "queue/memory_task_cancels.h"

#include <map>
#include <utility>

#include "absl/synchronization/mutex.h"

namespace jaque {
namespace {

// Shared with the subscriptions, which may outlive the publisher.
struct Subscribers {
  absl::Mutex mutex;  // held for reading during calls, so that a subscription's end waits for them
  uint64_t next_id ABSL_GUARDED_BY(mutex) = 0;
  std::map<uint64_t, std::function<void(const TaskCancel&)>> visits ABSL_GUARDED_BY(mutex);
};

class MemorySubscription final : public TaskCancels::Subscription {
 public:
  MemorySubscription(std::shared_ptr<Subscribers> subscribers, uint64_t id)
      : subscribers_(std::move(subscribers)), id_(id) {}
  ~MemorySubscription() override {
    absl::MutexLock lock(&subscribers_->mutex);
    subscribers_->visits.erase(id_);
  }

 private:
  const std::shared_ptr<Subscribers> subscribers_;
  const uint64_t id_;
};

class MemoryTaskCancels final : public TaskCancels {
 public:
  void Publish(const TaskCancel& cancel) override {
    absl::ReaderMutexLock lock(&subscribers_->mutex);
    for (const auto& [id, visit] : subscribers_->visits) visit(cancel);
  }

  std::unique_ptr<Subscription> Subscribe(std::function<void(const TaskCancel&)> visit) override {
    absl::MutexLock lock(&subscribers_->mutex);
    const uint64_t id = subscribers_->next_id++;
    subscribers_->visits.emplace(id, std::move(visit));
    return std::make_unique<MemorySubscription>(subscribers_, id);
  }

 private:
  const std::shared_ptr<Subscribers> subscribers_ = std::make_shared<Subscribers>();
};

}  // namespace

std::unique_ptr<TaskCancels> MakeMemoryTaskCancels() {
  return std::make_unique<MemoryTaskCancels>();
}

}  // namespace jaque
