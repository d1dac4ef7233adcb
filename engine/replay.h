// SPDX-License-Identifier: Apache-2.0
// Reading a shard's state back from its log. Batches of an epoch lower than the highest one read
// are discarded (design, invariant 2). Blocks while the log is read.
#pragma once

#include "absl/status/status.h"
#include "engine/state.h"
#include "jaque/v1/event.pb.h"
#include "log/event_log.h"

namespace jaque::engine {

// Applies what `shard` has after `*last` to `*state`, and moves `*last`.
absl::Status Replay(EventLog* log, ShardId shard, DefinitionStore* definitions, ShardState* state,
                    Sequence* last);

// One batch, as read from the log.
absl::Status ApplyBatch(const v1::LogBatch& batch, DefinitionStore* definitions, ShardState* state);

}  // namespace jaque::engine
