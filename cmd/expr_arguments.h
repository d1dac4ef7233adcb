// SPDX-License-Identifier: Apache-2.0
// The flags of `jaque expr`, which are jq's: short ones may stand together (-nr), long ones have
// one dash or two. Main thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cmd/expr.h"

namespace jaque::cmd {

// InvalidArgument says what is wrong; Cancelled carries the text of -help.
absl::StatusOr<ExprOptions> ParseExprArguments(const std::vector<std::string>& arguments,
                                               bool terminal_has_colors);

}  // namespace jaque::cmd
