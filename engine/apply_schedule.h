// SPDX-License-Identifier: Apache-2.0
// Facts about schedules on their way into the state. Used by Apply only.
#pragma once

#include <string>

#include "engine/fact.h"
#include "engine/state.h"

namespace jaque::engine {

void ApplyToSchedule(ShardState* state, const std::string& id, const Fact& fact);

}  // namespace jaque::engine
