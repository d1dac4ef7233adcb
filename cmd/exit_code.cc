// SPDX-License-Identifier: Apache-2.0
#include "cmd/exit_code.h"

#include <cstdio>
#include <string>

namespace jaque::cmd {

int ReportUsage(const absl::Status& status) {
  const std::string message(status.message());
  if (absl::IsCancelled(status)) {
    std::printf("%s", message.c_str());
    return kExitOk;
  }
  std::fprintf(stderr, "jaque: %s\n", message.c_str());
  return kExitBadDefinition;
}

int ReportError(const absl::Status& status, int code) {
  std::fprintf(stderr, "jaque: %s\n", std::string(status.message()).c_str());
  return code;
}

}  // namespace jaque::cmd
