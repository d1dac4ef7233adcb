// SPDX-License-Identifier: Apache-2.0
#include "cmd/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "expression/json.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool IsTerminal(int descriptor) {
  const char* term = std::getenv("TERM");
  return isatty(descriptor) == 1 && (term == nullptr || std::strcmp(term, "dumb") != 0);
}

TerminalOptions Terminal(int descriptor) {
  TerminalOptions options;
  options.colors = !IsSet("NO_COLOR");
  winsize size = {};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 1) {
    options.columns = size.ws_col;
    options.rows = size.ws_row;
  }
  return options;
}

class NoProgress final : public Progress {
 public:
  void Show(const Fact&) override {}
  void Tick(absl::Time) override {}
  void Remain(size_t) override {}
  void Finish(absl::Time) override {}
};

}  // namespace

bool OutputIsTerminal() { return IsTerminal(STDOUT_FILENO); }
TerminalOptions OutputTerminal() { return Terminal(STDOUT_FILENO); }
bool OutputHasColors() { return OutputIsTerminal() && !IsSet("NO_COLOR"); }

absl::StatusOr<std::unique_ptr<Progress>> MakeProgress(const std::string& kind,
                                                       const std::string& instance) {
  if (kind == "none") return std::make_unique<NoProgress>();
  if (kind == "tree" || (kind == "auto" && IsTerminal(STDERR_FILENO))) {
    return MakeTreeProgress(stderr, instance, Terminal(STDERR_FILENO));
  }
  if (kind == "plain" || kind == "auto") {
    return MakePlainProgress(stderr, instance, absl::LocalTimeZone());
  }
  return absl::InvalidArgumentError(
      fmt::format("-progress: \"{}\" is none of auto, tree, plain, none", kind));
}

void PrintJson(const std::string& json) {
  std::string text = json;
  if (OutputIsTerminal()) {
    const absl::StatusOr<Value> value = ParseJson(json);
    if (value.ok()) text = ToJson(*value, {.indent = 2, .colors = OutputHasColors()});
  }
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace jaque::cmd
