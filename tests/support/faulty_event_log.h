// SPDX-License-Identifier: Apache-2.0
// A log that misbehaves as a network does, driven by a seed; for tests. Wraps any EventLog. Nothing
// happens by itself: appends that are held back go on when the test calls ReleaseNext. One thread
// at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "log/event_log.h"

namespace jaque {

// Chances in percent of an append (the rest is left alone) or a read.
struct AppendFaults {
  int conflict = 0;        // refused, not stored, though nobody else wrote
  int unknown_stored = 0;  // stored at once, answered "unknown"
  int unknown_lost = 0;    // never stored, answered "unknown"
  int unknown_later =
      0;  // answered "unknown" at once, tried when released: a timeout never means "no"
  int delayed_request = 0;  // tried when released
  int delayed_answer = 0;   // tried at once, answered when released
  int read_failed = 0;      // of a read: Unavailable, perhaps after some records
};

class FaultyEventLog final : public EventLog {
 public:
  FaultyEventLog(EventLog* inner, uint64_t seed, const AppendFaults& faults)
      : inner_(inner), random_(seed), faults_(faults) {}

  void Append(ShardId shard, Sequence expected, std::string batch_id, std::string bytes,
              absl::AnyInvocable<void(AppendResult)> done) override;
  void Confirm(ShardId shard, Sequence expected,
               absl::AnyInvocable<void(AppendResult)> done) override;
  absl::Status Read(ShardId shard, Sequence after,
                    absl::FunctionRef<absl::Status(const LogRecord&)> visit) override;
  absl::Status Trim(ShardId shard, Sequence through) override;
  using EventLog::Tail;
  std::unique_ptr<Subscription> Tail(ShardId shard, Sequence after, TailFn visit,
                                     CaughtUpFn caught_up) override;

  // Lets one of the appends held back go on, drawn at random; false if there is none.
  bool ReleaseNext();
  size_t held() const { return held_.size(); }

  // The tails that there are bring nothing any more, as when a server has lost their consumers.
  void MuteTails() { muted_ = tails_; }

  // From now on nothing goes wrong; what is held back still is.
  void Heal() { faults_ = AppendFaults(); }

 private:
  using Held = absl::AnyInvocable<void()>;

  void DelayAnswer(ShardId shard, Sequence expected, std::string batch_id, std::string bytes,
                   absl::AnyInvocable<void(AppendResult)> done);

  EventLog* const inner_;
  Random random_;
  AppendFaults faults_;
  std::vector<Held> held_;
  int tails_ = 0, muted_ = 0;  // numbered; those up to `muted_` are silent
};

}  // namespace jaque
