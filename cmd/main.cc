// SPDX-License-Identifier: Apache-2.0
// The program: which command, then its arguments.
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "cmd/client_command.h"
#include "cmd/exit_code.h"
#include "cmd/expr_arguments.h"
#include "cmd/run.h"
#include "cmd/serve.h"
#include "cmd/signals.h"
#include "cmd/terminal.h"
#include "cmd/token.h"
#include "cmd/validate.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

int RunExpr(const std::vector<std::string>& arguments) {
  const absl::StatusOr<ExprOptions> options = ParseExprArguments(arguments, OutputHasColors());
  if (!options.ok()) return ReportUsage(options.status());
  std::ios::sync_with_stdio(false);
  return RunExprCommand(*options, std::cin, std::cout, std::cerr);
}

int Main(const std::vector<std::string>& arguments) {
  SurviveBrokenPipes();
  if (arguments.empty()) {
    RunHelpCommand();
    return kExitBadDefinition;
  }
  const std::string& command = arguments[0];
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (command == "run") return RunRunCommand(rest);
  if (command == "validate") return RunValidateCommand(rest);
  if (command == "expr") return RunExpr(rest);
  if (command == "token") return RunTokenCommand(rest);
  if (command == "help") return RunHelpCommand();
  if (command == "version" || command == "-version" || command == "--version") {
    std::printf("jaque %s\n", JAQUE_VERSION);
    return kExitOk;
  }
  if (command[0] == '-') return RunServeCommand(arguments);
  if (const auto code = RunClientCommand(arguments)) return *code;
  return ReportUsage(absl::InvalidArgumentError(
      fmt::format("\"{}\" is no command; `jaque help` lists them", command)));
}

}  // namespace
}  // namespace jaque::cmd

int main(int argc, char** argv) {
  return jaque::cmd::Main(std::vector<std::string>(argv + 1, argv + argc));
}
