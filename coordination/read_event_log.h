// SPDX-License-Identifier: Apache-2.0
// A log that is not trimmed past what its other readers have passed (coordination/log_progress).
// Threads as EventLog; Trim waits for the bucket of the progress too.
#pragma once

#include <memory>
#include <string>

#include "coordination/log_progress.h"
#include "log/event_log.h"

namespace jaque {

class ReadEventLog final : public EventLog {
 public:
  // The progress outlives it.
  ReadEventLog(std::unique_ptr<EventLog> log, LogProgress* progress)
      : log_(std::move(log)), progress_(progress) {}

  void Append(ShardId shard, Sequence expected, std::string batch_id, std::string bytes,
              absl::AnyInvocable<void(AppendResult)> done) override {
    log_->Append(shard, expected, std::move(batch_id), std::move(bytes), std::move(done));
  }
  void Confirm(ShardId shard, Sequence expected,
               absl::AnyInvocable<void(AppendResult)> done) override {
    log_->Confirm(shard, expected, std::move(done));
  }
  absl::Status Read(ShardId shard, Sequence after,
                    absl::FunctionRef<absl::Status(const LogRecord&)> visit) override {
    return log_->Read(shard, after, visit);
  }
  // Up to `through`, if all have passed that.
  absl::Status Trim(ShardId shard, Sequence through) override;
  using EventLog::Tail;
  std::unique_ptr<Subscription> Tail(ShardId shard, Sequence after, TailFn visit,
                                     CaughtUpFn caught_up) override {
    return log_->Tail(shard, after, std::move(visit), std::move(caught_up));
  }

 private:
  const std::unique_ptr<EventLog> log_;
  LogProgress* const progress_;
};

}  // namespace jaque
