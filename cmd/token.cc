// SPDX-License-Identifier: Apache-2.0
#include "cmd/token.h"

#include <cstdio>

#include "CLI/CLI.hpp"
#include "cmd/arguments.h"
#include "cmd/exit_code.h"
#include "ui/token_file.h"

namespace jaque::cmd {
namespace {

constexpr char kHelp[] =
    "jaque token: make a token for -auth tokens\n\n"
    "Usage:\n"
    "  jaque token NAME ROLE[@NAMESPACE,...]...\n\n"
    "Roles: viewer (reads), operator (starts, cancels, sends events), author (definitions),\n"
    "admin (everything); each may what those before it may, in its namespaces or in all.\n\n"
    "The token goes to standard error, once: nothing keeps it. The line for the file that\n"
    "-auth-tokens names goes to standard output:\n\n"
    "  jaque token ada operator@shop >> tokens\n";

}  // namespace

int RunTokenCommand(const std::vector<std::string>& arguments) {
  std::string name;
  std::vector<std::string> grants;
  CLI::App app(kHelp, "jaque token");
  app.set_help_flag();
  app.add_option("name", name);
  app.add_option("role", grants);
  const absl::Status parsed = ParseArguments(&app, arguments, SystemSurroundings());
  if (!parsed.ok()) return ReportUsage(parsed);
  if (name.empty() || grants.empty()) {
    return ReportUsage(
        absl::InvalidArgumentError("write: jaque token NAME ROLE[@NAMESPACE,...]..."));
  }
  const absl::StatusOr<ui::NewToken> made = ui::MakeToken(name, grants);
  if (!made.ok()) return ReportUsage(made.status());
  std::printf("%s\n", made->line.c_str());
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", made->token.c_str());
  return kExitOk;
}

}  // namespace jaque::cmd
