// SPDX-License-Identifier: Apache-2.0
// A bucket in memory, for one process and for simulations of several. Any thread; never waits.
// Watchers are called on the writer's thread, under no lock. Entries expire by the clock, as seen
// by whoever looks.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/ordered_delivery.h"
#include "coordination/kv_store.h"

namespace jaque {

class MemoryKvStore final : public KvStore {
 public:
  // `ttl`: of each entry since it was written; infinite by default.
  explicit MemoryKvStore(const Clock* clock, absl::Duration ttl = absl::InfiniteDuration())
      : clock_(clock), ttl_(ttl) {}

  absl::StatusOr<KvEntry> Get(const std::string& key) override;
  absl::StatusOr<uint64_t> Put(const std::string& key, const std::string& value) override;
  absl::StatusOr<uint64_t> Update(const std::string& key, const std::string& value,
                                  uint64_t revision) override;
  absl::Status Delete(const std::string& key) override;
  absl::StatusOr<std::vector<KvEntry>> List() override;
  std::unique_ptr<Subscription> Watch(std::function<void(const KvEntry&)> visit) override;

 private:
  using Delivery = OrderedDelivery<KvEntry>;
  using Deliveries = std::vector<std::shared_ptr<Delivery>>;
  struct Stored {
    KvEntry entry;
    absl::Duration expires;
  };
  class MemorySubscription;

  // The key's entry, unless it has expired.
  const Stored* Find(const std::string& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t Write(const std::string& key, const std::string& value, bool deleted)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Forget(const std::shared_ptr<Delivery>& watcher);
  void Tell();

  const Clock* const clock_;
  const absl::Duration ttl_;
  absl::Mutex mutex_;
  uint64_t revision_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Stored> entries_ ABSL_GUARDED_BY(mutex_);
  Deliveries watchers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace jaque
