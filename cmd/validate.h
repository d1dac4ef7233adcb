// SPDX-License-Identifier: Apache-2.0
// `jaque validate FILE...`.
#pragma once

#include <string>
#include <vector>

namespace jaque::cmd {

// 0 if all files are valid, else 2.
int RunValidateCommand(const std::vector<std::string>& arguments);

}  // namespace jaque::cmd
