// SPDX-License-Identifier: Apache-2.0
// Random workflow definitions for simulations: every kind of task, nested, with failures, retries,
// waits and events, and always with an end. The same seed gives the same text.
#pragma once

#include <string>

#include "base/random.h"

namespace jaque::simulation {

// Events that the workflows wait for have one of these types.
inline constexpr const char* kEventTypes[] = {"sim.a", "sim.b", "sim.c"};

// A definition sim/<name>:1.0.0 as JSON text. `child`: the name of one that `run: workflow` may
// run.
std::string RandomWorkflow(const std::string& name, const std::string& child, Random* random);

}  // namespace jaque::simulation
