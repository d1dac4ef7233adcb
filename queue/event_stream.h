// SPDX-License-Identifier: Apache-2.0
// CloudEvents in and out, kept in order for a while so that a listen which begins after an event was
// stored still gets it (docs/dsl-notes.md). Siblings: memory_event_stream, nats_event_stream.
// Any thread; callbacks on any thread, must only post.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"

namespace jaque {

struct StreamedEvent {
  uint64_t sequence = 0;     // increases, need not be dense
  std::string_view json;     // a CloudEvent in the JSON format; valid during the call
};

class EventStream {
 public:
  virtual ~EventStream() = default;

  // Stores an event; the same `dedup_id` (source and id of the event) within the window is stored once.
  virtual void Publish(const std::string& dedup_id, std::string json,
                       absl::AnyInvocable<void(absl::StatusOr<uint64_t>)> done) = 0;

  // The last sequence stored: a listen of an instance that starts now wants events after it.
  virtual uint64_t LastSequence() = 0;

  // Calls `visit` with each event after `after`, stored ones first, until the handle goes.
  class Subscription {
   public:
    virtual ~Subscription() = default;
  };
  virtual std::unique_ptr<Subscription> Subscribe(
      uint64_t after, std::function<void(const StreamedEvent&)> visit) = 0;
};

}  // namespace jaque
