// SPDX-License-Identifier: Apache-2.0
// What the standard streams are connected to. Main thread.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cmd/progress.h"

namespace jaque::cmd {

// Standard output is a terminal that shows colours (NO_COLOR is not set).
bool OutputIsTerminal();
bool OutputHasColors();

// What it is like.
TerminalOptions OutputTerminal();

// "auto", "tree", "plain" or "none" for standard error.
absl::StatusOr<std::unique_ptr<Progress>> MakeProgress(const std::string& kind,
                                                       const std::string& instance);

// JSON for people on a terminal, compact for programs; ends with a line end.
void PrintJson(const std::string& json);

}  // namespace jaque::cmd
