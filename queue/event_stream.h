// SPDX-License-Identifier: Apache-2.0
// CloudEvents in and out, kept in order for a while so that a listen which begins after an event
// was stored still gets it (docs/dsl-notes.md). Siblings: memory_event_stream, nats_event_stream.
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
  uint64_t sequence = 0;  // increases, need not be dense
  std::string_view json;  // a CloudEvent in the JSON format; valid during the call
};

class EventStream {
 public:
  virtual ~EventStream() = default;

  // Stores an event; the same `dedup_id` (source and id of the event) within the window is stored
  // once and answered with the first one's sequence. `done` is called exactly once, perhaps before
  // Publish returns.
  virtual void Publish(const std::string& dedup_id, std::string json,
                       absl::AnyInvocable<void(absl::StatusOr<uint64_t>)> done) = 0;

  // The last sequence stored that this process knows of (memory: exact): a listen of an instance
  // that starts now wants events after it.
  virtual uint64_t LastSequence() = 0;

  // Calls `visit` with each event after `after`, stored ones first, in order, each once, until the
  // handle goes. Events older than the retention are skipped silently. `visit` may run before
  // Subscribe returns, and runs no more once the handle has gone (which waits for a call on another
  // thread to end; the handle may go inside `visit`). The handle goes before the stream.
  class Subscription {
   public:
    virtual ~Subscription() = default;
  };
  virtual std::unique_ptr<Subscription> Subscribe(
      uint64_t after, std::function<void(const StreamedEvent&)> visit) = 0;
};

}  // namespace jaque
