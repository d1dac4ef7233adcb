// SPDX-License-Identifier: Apache-2.0
#include "coordination/log_lag.h"

#include <algorithm>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/status_macros.h"
#include "jaque/v1/event.pb.h"

namespace jaque {
namespace {

// A log that is silent for longer cannot be asked now.
constexpr absl::Duration kPatience = absl::Seconds(10);

// What the log says of each shard; outlives an answer that comes too late.
struct Answers {
  absl::Mutex mutex;
  std::map<ShardId, AppendResult> results ABSL_GUARDED_BY(mutex);
};

// All shards are asked at once: most have nothing more.
absl::StatusOr<std::map<ShardId, AppendResult>> ConfirmAll(
    EventLog* log, const std::map<ShardId, Sequence>& passed) {
  const auto answers = std::make_shared<Answers>();
  for (const auto& [shard, sequence] : passed) {
    log->Confirm(shard, sequence, [answers, shard = shard](AppendResult result) {
      absl::MutexLock lock(&answers->mutex);
      answers->results[shard] = std::move(result);
    });
  }
  absl::MutexLock lock(&answers->mutex);
  const auto complete = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(answers->mutex) {
    return answers->results.size() == passed.size();
  };
  if (!answers->mutex.AwaitWithTimeout(absl::Condition(&complete), kPatience)) {
    return absl::UnavailableError("the log does not answer");
  }
  return answers->results;
}

// When the first batch after `sequence` was decided; InfiniteFuture if there is none.
absl::StatusOr<absl::Time> NextDecidedAt(EventLog* log, ShardId shard, Sequence sequence) {
  absl::Time at = absl::InfiniteFuture();
  const absl::Status read = log->Read(shard, sequence, [&at](const LogRecord& record) {
    v1::LogBatch batch;
    if (batch.ParseFromString(std::string(record.bytes)) && batch.decisions_size() > 0) {
      at = absl::FromUnixMicros(batch.decisions(0).at_micros());
      return absl::CancelledError("one is enough");
    }
    return absl::OkStatus();
  });
  if (!read.ok() && !absl::IsCancelled(read)) return read;
  return at;
}

}  // namespace

absl::StatusOr<std::map<ShardId, absl::Duration>> LogLags(
    const Clock& clock, EventLog* log, const std::map<ShardId, Sequence>& passed) {
  ASSIGN_OR_RETURN(const auto answers, ConfirmAll(log, passed));
  std::map<ShardId, absl::Duration> lags;
  for (const auto& [shard, answer] : answers) {
    absl::Duration& lag = lags[shard];
    if (answer.outcome == AppendOutcome::kCommitted) continue;
    if (answer.outcome == AppendOutcome::kUnknown) return answer.status;
    ASSIGN_OR_RETURN(const absl::Time next, NextDecidedAt(log, shard, passed.at(shard)));
    lag = std::max(clock.Now() - next, absl::ZeroDuration());
  }
  return lags;
}

}  // namespace jaque
