// SPDX-License-Identifier: Apache-2.0
// `jaque -target LIST`: serves until SIGTERM or SIGINT.
#pragma once

#include <string>
#include <vector>

namespace jaque::cmd {

int RunServeCommand(const std::vector<std::string>& arguments);

// `jaque help` and `jaque -help`.
int RunHelpCommand();

}  // namespace jaque::cmd
