// SPDX-License-Identifier: Apache-2.0
// How old the oldest batch is that a reader of the log has not passed: what the API shows of sinks
// and notifiers, which may be other processes. Any thread but a log's callbacks; waits for the log.
#pragma once

#include <map>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "log/event_log.h"

namespace jaque {

// For each shard of `passed` the time since the first batch after it was decided; zero if there is
// none.
absl::StatusOr<std::map<ShardId, absl::Duration>> LogLags(
    const Clock& clock, EventLog* log, const std::map<ShardId, Sequence>& passed);

}  // namespace jaque
