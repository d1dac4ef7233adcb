// SPDX-License-Identifier: Apache-2.0
// Notifications that were given up, in the bucket `notifications`: what the API lists under
// dead-letters, kind notification. Any thread; waits for the bucket.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordination/kv_store.h"
#include "notifier/delivery.h"

namespace jaque::notifier {

absl::Status KeepDeadNotification(KvStore* bucket, const Delivery& delivery);

class DeadNotifications {
 public:
  explicit DeadNotifications(KvStore* bucket) : bucket_(bucket) {}

  struct Entry {
    std::string id;
    Delivery delivery;
  };
  // In the order of their ids, after `after` (empty: from the first).
  absl::StatusOr<std::vector<Entry>> List(const std::string& after, size_t limit);
  absl::StatusOr<Entry> Get(const std::string& id);  // NotFound
  // It is parked again, with its day before it; the notifier of its shard takes it up.
  absl::Status Redrive(const std::string& id);
  absl::Status Drop(const std::string& id);

 private:
  KvStore* const bucket_;
};

}  // namespace jaque::notifier
