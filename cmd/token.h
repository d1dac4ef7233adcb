// SPDX-License-Identifier: Apache-2.0
// `jaque token NAME ROLE…`: makes a token for -auth tokens. Main thread.
#pragma once

#include <string>
#include <vector>

namespace jaque::cmd {

// The exit code of the process.
int RunTokenCommand(const std::vector<std::string>& arguments);

}  // namespace jaque::cmd
