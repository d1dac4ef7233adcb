// SPDX-License-Identifier: Apache-2.0
// What must hold of a state after every fact; for tests and simulation.
#pragma once

#include "absl/status/status.h"
#include "engine/state.h"

namespace jaque::engine {

// Internal, naming the instance and what is wrong.
absl::Status CheckInvariants(const ShardState& state);

}  // namespace jaque::engine
