// SPDX-License-Identifier: Apache-2.0
// Notifications that were given up: kept to be looked at, sent again or forgotten. Sibling:
// notifier/kv_dead_notifications. Any thread but a callback's; calls may wait for a server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace jaque {

struct DeadNotification {
  std::string id;  // sorts by the time of the event
  std::string instance, type, rule, target;
  std::string reason;
  int attempts = 0;
  int64_t at_micros = 0;  // Unix time; when it was given up
  std::string body, content_type;
};

class DeadNotifications {
 public:
  virtual ~DeadNotifications() = default;

  // Those after `after` (empty: from the first), by id, at most `limit`.
  virtual absl::StatusOr<std::vector<DeadNotification>> ListDead(const std::string& after,
                                                                 size_t limit) = 0;
  virtual absl::StatusOr<DeadNotification> GetDead(const std::string& id) = 0;  // NotFound
  // It is owed again, with all its time before it; the notifier of its shard takes it up.
  virtual absl::Status RedriveDead(const std::string& id) = 0;  // NotFound
  virtual absl::Status DropDead(const std::string& id) = 0;     // NotFound
};

}  // namespace jaque
