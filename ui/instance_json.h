// SPDX-License-Identifier: Apache-2.0
// An instance as the API shows it. Input and output are the engine's own JSON text and go through
// unparsed. Pure; any thread.
#pragma once

#include <string>

#include "jaque/v1/command.pb.h"

namespace jaque::ui {

// "completed", "faulted", … (the DSL's status phases, in lower case).
std::string StatusName(v1::InstanceStatus status);

bool HasEnded(v1::InstanceStatus status);

// {"id", "status"} and, if ended, "output", "error" or (cancelled) "reason".
std::string InstanceSummary(const v1::InstanceDescription& instance);

// Everything.
std::string InstanceDetails(const v1::InstanceDescription& instance);

}  // namespace jaque::ui
