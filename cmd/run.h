// SPDX-License-Identifier: Apache-2.0
// `jaque run FILE`: executes one workflow in this process, to its end.
#pragma once

#include <string>
#include <vector>

namespace jaque::cmd {

int RunRunCommand(const std::vector<std::string>& arguments);

}  // namespace jaque::cmd
