// SPDX-License-Identifier: Apache-2.0
#include "cmd/definitions.h"

#include <cstdio>

#include "base/limits.h"
#include "base/status_macros.h"
#include "cmd/files.h"
#include "dsl/load.h"
#include "fmt/format.h"

namespace jaque::cmd {

absl::StatusOr<std::shared_ptr<const dsl::Workflow>> LoadDefinition(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, limits::kDefinitionBytes));
  dsl::LoadResult loaded = dsl::Load(text);
  for (const dsl::Finding& finding : loaded.findings) {
    std::fprintf(stderr, "%s\n", dsl::FormatFinding(path, finding).c_str());
  }
  if (loaded.workflow != nullptr) return std::move(loaded.workflow);
  return absl::InvalidArgumentError(fmt::format("{} is not a valid definition", path));
}

absl::Status LoadDefinitions(const std::vector<std::string>& paths, DefinitionStore* definitions) {
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(const std::vector<std::string> files, DefinitionFiles(path));
    for (const std::string& file : files) {
      ASSIGN_OR_RETURN(std::shared_ptr<const dsl::Workflow> workflow, LoadDefinition(file));
      const absl::Status stored = definitions->Put(std::move(workflow));
      if (!stored.ok()) {
        return absl::Status(stored.code(), file + ": " + std::string(stored.message()));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace jaque::cmd
