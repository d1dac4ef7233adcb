// SPDX-License-Identifier: Apache-2.0
// Flags in the Go manner over CLI11: -flag and --flag, -flag=value and -flag value. What the
// command line leaves out comes from the environment (JAQUE_<FLAG>), then from the file that
// -config names, then from the default. Called once, on the main thread, before anything else runs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"

namespace jaque::cmd {

// What surrounds the command line; tests bring their own.
struct Surroundings {
  // The value of an environment variable, nullptr if it is not set.
  std::function<const char*(const std::string&)> environment;
  // The text of a file.
  std::function<absl::StatusOr<std::string>(const std::string&)> read_file;
};
Surroundings SystemSurroundings();

// "http-listen" to "JAQUE_HTTP_LISTEN".
std::string EnvironmentName(std::string_view flag);

// Fills what `app` was told to fill. InvalidArgument says in one line what is wrong and where it
// came from; Cancelled carries the text of -help, to be printed.
absl::Status ParseArguments(CLI::App* app, const std::vector<std::string>& arguments,
                            const Surroundings& surroundings);

// Help in the Go manner: groups, -flag VALUE, defaults. `app` has no help flag of its own.
std::string HelpText(const CLI::App& app);

}  // namespace jaque::cmd
