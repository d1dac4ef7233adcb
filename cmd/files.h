// SPDX-License-Identifier: Apache-2.0
// Files as the command line names them. Errors are one line that names the file. Main thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace jaque::cmd {

inline constexpr size_t kConfigBytes = 1 << 20;

// The whole file, "-" for standard input. ResourceExhausted if it is longer than `limit`.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t limit);

// The .yaml, .yml and .json files of a folder, sorted; a file is itself.
absl::StatusOr<std::vector<std::string>> DefinitionFiles(const std::string& path);

}  // namespace jaque::cmd
