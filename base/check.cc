// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "base/status_macros.h"

namespace jaque::internal {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace jaque::internal
