// SPDX-License-Identifier: Apache-2.0
// How far a notifier has come in a shard, in the bucket `notifications`: up to where everything is
// sent or parked, and what the reader remembered at an earlier place, from where it reads again.
// Waits for the bucket; the notifier's thread.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "coordination/kv_store.h"
#include "coordination/log_progress.h"
#include "log/event_log.h"

namespace jaque::notifier {

struct Progress {
  Sequence told = 0;        // up to here nothing is told again
  Sequence remembered = 0;  // the place that `memory` is of; never after `told`
  uint64_t epoch = 0;       // highest that was read up to there
  std::string memory;       // LifecycleReader::Save
  uint32_t parts = 0;       // that the memory is kept in
  uint64_t revision = 0;    // 0: there is none yet
};

class ShardProgress {
 public:
  // `seen`: where the trimming of the log looks; may be null.
  ShardProgress(KvStore* bucket, LogProgress* seen) : bucket_(bucket), seen_(seen) {}

  absl::StatusOr<Progress> Load(ShardId shard);
  // Writes `told` alone, or with `memory_changed` all. Aborted: another notifier has the shard.
  absl::Status Save(ShardId shard, Progress* progress, bool memory_changed);

 private:
  KvStore* const bucket_;
  LogProgress* const seen_;
};

}  // namespace jaque::notifier
