// SPDX-License-Identifier: Apache-2.0
#include "cmd/validate.h"

#include <cstdio>

#include "base/limits.h"
#include "cmd/arguments.h"
#include "cmd/exit_code.h"
#include "cmd/files.h"
#include "dsl/load.h"

namespace jaque::cmd {
namespace {

constexpr char kHelp[] =
    "jaque validate: checks definitions and prints every finding\n\n"
    "Usage:\n"
    "  jaque validate FILE...      (- for standard input; a folder for all that is in it)\n\n"
    "Findings go to standard output as file:line:column: message (JSON pointer). What the DSL\n"
    "allows but this version cannot execute is a warning.\n"
    "Exit code: 0 if every file is valid, 2 otherwise.";

// Whether the file is valid.
bool ValidateFile(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path, limits::kDefinitionBytes);
  if (!text.ok()) {
    std::fprintf(stderr, "jaque: %s\n", std::string(text.status().message()).c_str());
    return false;
  }
  const dsl::LoadResult allowed = dsl::Load(*text, {.refuse_unbuilt = false});
  for (const dsl::Finding& finding : allowed.findings) {
    std::printf("%s\n", dsl::FormatFinding(path, finding).c_str());
  }
  if (!allowed.findings.empty()) return false;
  for (dsl::Finding finding : dsl::Load(*text).findings) {
    finding.message = "warning: " + finding.message;
    std::printf("%s\n", dsl::FormatFinding(path, finding).c_str());
  }
  return true;
}

}  // namespace

int RunValidateCommand(const std::vector<std::string>& arguments) {
  CLI::App app(kHelp, "jaque validate");
  app.set_help_flag();
  std::vector<std::string> paths;
  app.add_option("FILE", paths)->required();
  const absl::Status parsed = ParseArguments(&app, arguments, SystemSurroundings());
  if (!parsed.ok()) return ReportUsage(parsed);
  bool valid = true;
  for (const std::string& path : paths) {
    const absl::StatusOr<std::vector<std::string>> files =
        path == "-" ? std::vector<std::string>{path} : DefinitionFiles(path);
    if (!files.ok()) {
      std::fprintf(stderr, "jaque: %s\n", std::string(files.status().message()).c_str());
      valid = false;
      continue;
    }
    for (const std::string& file : *files) valid = ValidateFile(file) && valid;
  }
  return valid ? kExitOk : kExitBadDefinition;
}

}  // namespace jaque::cmd
