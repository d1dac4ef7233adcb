// SPDX-License-Identifier: Apache-2.0
// An instance as the API shows it: of what its engine says, of what the store has, or of both.
// Input and output are JSON text already and go through unparsed. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "jaque/v1/command.pb.h"
#include "store/store.h"

namespace jaque::ui {

// "completed", "faulted", … (the DSL's status phases, in lower case).
std::string_view StatusName(v1::InstanceStatus status);
std::optional<v1::InstanceStatus> StatusOfName(std::string_view name);

// "namespace/name" of an object "schedule/<namespace>/<name>".
std::string_view ScheduleName(std::string_view object);

bool HasEnded(v1::InstanceStatus status);

// {"id", "status"} and, if ended, "output", "error" or (cancelled) "reason".
std::string InstanceOutcome(const v1::InstanceDescription& instance);
std::string InstanceOutcome(const store::InstanceRecord& instance);

std::string InstanceRow(const store::InstanceRow& row);

// Everything. The engine knows what the instance does now, the store where it comes from.
std::string InstanceDetails(const v1::InstanceDescription& instance,
                            const store::InstanceRecord* stored);
std::string InstanceDetails(const store::InstanceRecord& stored);

}  // namespace jaque::ui
