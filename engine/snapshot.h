// SPDX-License-Identifier: Apache-2.0
// State to bytes and back: equal states give equal bytes, whether they come from live processing,
// from replay, or from a snapshot and the tail after it (design, invariant 5). The shard's thread.
#pragma once

#include "absl/status/statusor.h"
#include "engine/state.h"
#include "jaque/v1/snapshot.pb.h"

namespace jaque::engine {

v1::InstanceSnapshot TakeSnapshot(const Instance& instance);
v1::ShardSnapshot TakeSnapshot(const ShardState& state);

// NotFound if a definition is missing, DataLoss if the snapshot cannot be read.
absl::StatusOr<ShardState> RestoreSnapshot(const v1::ShardSnapshot& snapshot,
                                           DefinitionStore* definitions);

}  // namespace jaque::engine
