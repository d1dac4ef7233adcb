// SPDX-License-Identifier: Apache-2.0
// One notification for one target: all that an attempt sends is made once, so that every attempt
// sends the same bytes under the same id. Parked ones and dead letters are kept as JSON. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "log/event_log.h"
#include "notifier/rules.h"

namespace jaque::notifier {

struct Delivery {
  // Where it comes from; in this order deliveries of an instance to a target are sent.
  ShardId shard = 0;
  Sequence sequence = 0;
  uint32_t order = 0;    // of the event in its batch
  std::string event_id;  // of the CloudEvent
  std::string id;        // of the notification: the event's, and the rule's
  std::string rule, target, instance, type;
  std::string body, content_type;
  std::vector<std::pair<std::string, std::string>> headers;

  int64_t event_micros = 0;  // when it happened

  int attempts = 0;
  int64_t made_micros = 0, first_micros = 0, next_micros = 0;  // first: attempt; 0: none yet
  int64_t given_up_micros = 0;                                 // of a dead letter
  std::string error;                                           // of the last attempt
  bool parked = false;                                         // is in the bucket

  // The key under which it is parked; keys of a shard sort as it sends.
  std::string Key() const;
};

std::string ToText(const Delivery& delivery);
absl::StatusOr<Delivery> DeliveryOf(std::string_view text);

// What an evaluation of a rule's expressions may use.
struct Rendering {
  absl::Time now;
  std::function<absl::Duration()> monotonic;
};

// The event as a CloudEvent, in JSON format.
Value CloudEventOf(const LifecycleEvent& event, ShardId shard, Sequence sequence);

// Is the rule's condition true of the event? InvalidArgument if it cannot be evaluated.
absl::StatusOr<bool> Holds(const Rule& rule, const Value& cloud_event, const Rendering& rendering);

// What the rule tells that target of the event. Errors: an expression that cannot be evaluated, a
// body that is too large.
absl::StatusOr<Delivery> Render(const Rule& rule, const Target& target, const LifecycleEvent& event,
                                const Value& cloud_event, ShardId shard, Sequence sequence,
                                const Rendering& rendering);

}  // namespace jaque::notifier
