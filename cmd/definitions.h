// SPDX-License-Identifier: Apache-2.0
// Definitions from files. Findings go to standard error, one line each: file:line:column: message
// (pointer). Main thread, before anything runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ids.h"
#include "dsl/model.h"
#include "log/definition_store.h"
#include "queue/command_bus.h"

namespace jaque::cmd {

// One file, "-" for standard input. InvalidArgument if it is not a definition (all findings have
// been printed), NotFound if it cannot be read.
absl::StatusOr<std::shared_ptr<const dsl::Workflow>> LoadDefinition(const std::string& path);

// What of a definition whose version is stored already, with another text: AlreadyExists, or a
// warning and the stored one stays (samples: who takes a newer jaque over an old data folder shall
// not be stuck).
enum class Differing { kRefused, kKept };

// Everything in files and folders.
absl::Status LoadDefinitions(const std::vector<std::string>& paths, Differing differing,
                             DefinitionStore* definitions);

// Has the schedules of all stored definitions follow their newest versions. Does not wait for it.
void SetSchedules(DefinitionStore* definitions, CommandBus* commands, IdGenerator* ids);

}  // namespace jaque::cmd
