// SPDX-License-Identifier: Apache-2.0
// Where jaque answers otherwise than jq 1.8.2 on purpose (docs/expressions.md), so that the
// differential fuzz target looks elsewhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tests/fuzz/oracle_process.h"

namespace jaque::fuzz {

struct OurResult {
  bool compiles = true;
  bool bounded = false;  // stopped by a bound
  std::vector<Value> outputs;
  std::optional<std::string> error;
};

// Whether the two may differ for this program; the reason is in the table of the source file.
bool IsKnownDifference(std::string_view program, std::string_view input, const OurResult& ours,
                       const OracleResult& jq);

}  // namespace jaque::fuzz
