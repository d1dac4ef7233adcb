// SPDX-License-Identifier: Apache-2.0
// The log: one totally ordered sequence of batches for each shard, with compare-and-set appends.
// Siblings: memory_event_log (one process), nats_event_log (JetStream). Contract test:
// tests/contract. Any thread may call; callbacks come on any thread and must only post.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace jaque {

using ShardId = uint32_t;
// Position of a batch in its shard's log. Sequences of a shard increase but need not be dense; 0 is
// before the first.
using Sequence = uint64_t;

// An append has three outcomes, and "unknown" is never guessed (design, section 5).
// kConflict: not stored, and never will be; the status is FailedPrecondition where another sequence
// was found than expected, something else where the log refuses such a batch at all (too large).
enum class AppendOutcome { kCommitted, kConflict, kUnknown };

struct AppendResult {
  AppendOutcome outcome = AppendOutcome::kUnknown;
  Sequence sequence = 0;  // of the batch, if committed
  absl::Status status;    // why, otherwise
};

struct LogRecord {
  Sequence sequence = 0;
  std::string_view bytes;  // a serialized jaque.v1.LogBatch; valid during the call
};

class EventLog {
 public:
  virtual ~EventLog() = default;

  // Appends one batch if the last sequence of `shard` is `expected`. The same `batch_id` appended
  // again within the deduplication window is answered kCommitted with the first one's sequence,
  // even though `expected` is stale; the window of a shard is at least its last 1,000 batches
  // within two minutes. `done` is called exactly once, perhaps before Append returns; never under a
  // lock.
  virtual void Append(ShardId shard, Sequence expected, std::string batch_id, std::string bytes,
                      absl::AnyInvocable<void(AppendResult)> done) = 0;

  // Is `expected` still the last sequence of `shard`? An owner that answers without appending asks
  // so whether it is the owner still. kCommitted: it was when the log looked; kConflict: there is a
  // later one. `done` as of Append.
  virtual void Confirm(ShardId shard, Sequence expected,
                       absl::AnyInvocable<void(AppendResult)> done) = 0;

  // Calls `visit` with each record of `shard` after `after`, in order, at least up to the last one
  // stored when the read began. What was trimmed is skipped silently. Blocks; `visit` may append
  // but not read. Stops with the first bad status of `visit`.
  virtual absl::Status Read(ShardId shard, Sequence after,
                            absl::FunctionRef<absl::Status(const LogRecord&)> visit) = 0;

  // Forgets the records of `shard` up to and including `through`, except the newest one of the
  // shard: `expected` of the next append is always that one's sequence.
  virtual absl::Status Trim(ShardId shard, Sequence through) = 0;

  // Follows one shard: stored records after `after` first, then `caught_up` (which may be empty)
  // once, then new ones, in order, each once. Used by engines that take over or stand by, by sinks,
  // notifiers and live views. Both may run before Tail returns, and run no more once the handle has
  // gone (which waits for a call on another thread to end; the handle may go inside them). The
  // handle goes before the log.
  class Subscription {
   public:
    virtual ~Subscription() = default;
  };
  using TailFn = std::function<void(ShardId, const LogRecord&)>;
  using CaughtUpFn = std::function<void()>;
  virtual std::unique_ptr<Subscription> Tail(ShardId shard, Sequence after, TailFn visit,
                                             CaughtUpFn caught_up) = 0;
  std::unique_ptr<Subscription> Tail(ShardId shard, Sequence after, TailFn visit) {
    return Tail(shard, after, std::move(visit), nullptr);
  }
};

}  // namespace jaque
