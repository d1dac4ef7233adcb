// SPDX-License-Identifier: Apache-2.0
// How far those that read the log beside the engines (sinks, notifiers) have come, in the bucket
// `progress`: the log is not trimmed past it. One that has said nothing for a week counts no more,
// so that what was taken out of service does not fill the log's disk. Any thread; waits for the
// bucket.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "coordination/kv_store.h"
#include "log/event_log.h"

namespace jaque {

inline constexpr char kSinkReader[] = "sink";
inline constexpr char kNotifierReader[] = "notifier";

struct ReaderPosition {
  std::string reader;
  ShardId shard = 0;
  Sequence sequence = 0;  // passed
  absl::Time said_at;
};

class LogProgress {
 public:
  // `awaited`: readers that count before they have said anything. The bucket outlives this.
  LogProgress(const Clock* clock, KvStore* bucket, std::vector<std::string> awaited = {});

  // To be said again now and then, also if nothing has changed.
  absl::Status Put(const std::string& reader, ShardId shard, Sequence sequence);
  // The sequence that every reader has passed; the highest there is if there is no reader.
  absl::StatusOr<Sequence> Passed(ShardId shard);
  // What all have said that are not forgotten.
  absl::StatusOr<std::vector<ReaderPosition>> Positions();

 private:
  bool Forgotten(const ReaderPosition& position) const;

  const Clock* const clock_;
  KvStore* const bucket_;
  const std::vector<std::string> awaited_;
};

}  // namespace jaque
