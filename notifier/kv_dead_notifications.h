// SPDX-License-Identifier: Apache-2.0
// Dead notifications in the bucket `notifications`, under keys that sort by the time of the event.
// Knows their ids by a watch, so that a page costs what it shows and the oldest is at hand when
// there are too many. Any thread but a callback's; waits for the bucket.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "base/limits.h"
#include "coordination/kv_store.h"
#include "notifier/delivery.h"
#include "queue/dead_notifications.h"

namespace jaque::notifier {

class KvDeadNotifications final : public DeadNotifications {
 public:
  // Clock and bucket outlive it.
  KvDeadNotifications(const Clock* clock, KvStore* bucket, size_t most = limits::kDeadLetters);
  ~KvDeadNotifications() override;

  // The same delivery is kept once. The oldest goes where there are too many.
  absl::Status Keep(Delivery delivery);

  absl::StatusOr<std::vector<DeadNotification>> ListDead(const std::string& after,
                                                         size_t limit) override;
  absl::StatusOr<DeadNotification> GetDead(const std::string& id) override;
  absl::Status RedriveDead(const std::string& id) override;
  absl::Status DropDead(const std::string& id) override;

 private:
  absl::StatusOr<Delivery> Find(const std::string& id);
  absl::Status Remove(const std::string& id);
  void ForgetOldest();

  const Clock* const clock_;
  KvStore* const bucket_;
  const size_t most_;
  absl::Mutex mutex_;
  std::set<std::string> ids_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<KvStore::Subscription> watch_;
};

}  // namespace jaque::notifier
