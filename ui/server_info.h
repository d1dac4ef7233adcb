// SPDX-License-Identifier: Apache-2.0
// What the API tells about the process that serves it. A value; made by cmd/.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace jaque::ui {

struct ServerInfo {
  std::string id;
  std::vector<std::string> roles;
  absl::Time started;
  std::string store = "none";  // sqlite, memory, postgres
  std::string queue = "memory";
  std::string coordination = "memory";
  std::string authentication = "none";
};

}  // namespace jaque::ui
