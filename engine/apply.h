// SPDX-License-Identifier: Apache-2.0
// The only way that live state changes. Total: no clock, no randomness, no I/O, no expression, no
// status; what an event does depends on the state and the event alone, so that replay gives the
// same state (design, invariant 5). The thread that owns the shard.
#pragma once

#include <string>
#include <vector>

#include "engine/fact.h"
#include "engine/state.h"

namespace jaque::engine {

// A leaf that was given up because something above it ended: its outside work should be stopped.
struct AbortedWork {
  FrameId frame = kNoFrame;
  const dsl::Task* task = nullptr;
  uint32_t attempt = 0;
};

// `aborted` may be null (replay).
void Apply(ShardState* state, const std::string& object_id, Micros at, const Fact& fact,
           std::vector<AbortedWork>* aborted);

}  // namespace jaque::engine
