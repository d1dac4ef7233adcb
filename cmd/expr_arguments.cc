// SPDX-License-Identifier: Apache-2.0
#include "cmd/expr_arguments.h"

#include <charconv>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

constexpr char kHelp[] =
    "jaque expr: evaluates a runtime expression (jq 1.8) on JSON from standard input\n\n"
    "Usage:\n"
    "  jaque expr [flags] EXPRESSION\n\n"
    "Flags (jq's):\n"
    "  -c, -compact-output         each output on one line\n"
    "  -r, -raw-output             strings without quotes\n"
    "  -j, -join-output            as -r, without line ends\n"
    "  -n, -null-input             no input: null\n"
    "  -s, -slurp                  all inputs as one array\n"
    "  -e, -exit-status            1 if the last output is false or null, 4 if there is none\n"
    "  -S, -sort-keys              members of objects sorted\n"
    "  -a, -ascii-output           escape what is not ASCII\n"
    "  -C, -color-output           colours, also where no terminal is\n"
    "  -M, -monochrome-output      no colours\n"
    "  -tab, -indent N             indentation (default 2, at most 7)\n"
    "  -arg NAME TEXT              the variable $NAME is a string\n"
    "  -argjson NAME JSON          the variable $NAME is a value\n\n"
    "Examples:\n"
    "  echo '{\"a\": [1, 2]}' | jaque expr '.a | add'\n"
    "  jaque expr -n -arg name Ada '\"Hello \\($name)\"'\n"
    "Exit code: 0, 2 bad usage or input, 3 does not compile, 5 an evaluation failed.\n";

class Parser {
 public:
  Parser(const std::vector<std::string>& arguments, ExprOptions* options)
      : arguments_(arguments), options_(options) {}

  absl::Status Parse() {
    bool flags_ended = false;
    for (; position_ < arguments_.size(); ++position_) {
      const std::string& argument = arguments_[position_];
      if (argument == "--" && !flags_ended) {
        flags_ended = true;
      } else if (argument.size() > 1 && argument[0] == '-' && !flags_ended) {
        RETURN_IF_ERROR(ParseFlag(argument));
      } else if (expression_) {
        return absl::InvalidArgumentError(
            fmt::format("there are two expressions, \"{}\" and \"{}\"", *expression_, argument));
      } else {
        expression_ = argument;
      }
    }
    if (!expression_) return absl::InvalidArgumentError("the expression is missing");
    options_->expression = *expression_;
    return absl::OkStatus();
  }

 private:
  // The member that a flag without a value sets.
  bool* Switch(const std::string& name) {
    const std::pair<const char*, bool*> switches[] = {
        {"c", &options_->compact},     {"compact-output", &options_->compact},
        {"r", &options_->raw},         {"raw-output", &options_->raw},
        {"j", &options_->join},        {"join-output", &options_->join},
        {"n", &options_->null_input},  {"null-input", &options_->null_input},
        {"s", &options_->slurp},       {"slurp", &options_->slurp},
        {"e", &options_->exit_status}, {"exit-status", &options_->exit_status},
        {"S", &options_->sort_keys},   {"sort-keys", &options_->sort_keys},
        {"a", &options_->ascii},       {"ascii-output", &options_->ascii},
        {"C", &options_->colors},      {"color-output", &options_->colors},
        {"tab", &options_->tab},
    };
    for (const auto& [known, target] : switches) {
      if (name == known) return target;
    }
    return nullptr;
  }

  absl::Status ParseFlag(const std::string& argument) {
    const std::string name = argument.substr(argument[1] == '-' ? 2 : 1);
    if (name == "h" || name == "help") return absl::CancelledError(kHelp);
    if (bool* target = Switch(name)) {
      *target = true;
    } else if (name == "M" || name == "monochrome-output") {
      options_->colors = false;
    } else if (name == "indent") {
      return ParseIndent();
    } else if (name == "arg" || name == "argjson") {
      return ParseVariable(name, name == "arg" ? &options_->args : &options_->json_args);
    } else {
      return ParseTogether(argument);
    }
    return absl::OkStatus();
  }

  // "-nr": each letter a flag.
  absl::Status ParseTogether(const std::string& argument) {
    for (const char letter : argument.substr(1)) {
      bool* target = Switch(std::string(1, letter));
      if (target == nullptr && letter != 'M') {
        return absl::InvalidArgumentError(
            fmt::format("unknown flag {}; jaque expr -help lists them", argument));
      }
      if (target != nullptr) *target = true;
      if (letter == 'M') options_->colors = false;
    }
    return absl::OkStatus();
  }

  absl::Status ParseIndent() {
    const std::string text = ++position_ < arguments_.size() ? arguments_[position_] : "";
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, options_->indent);
    if (error != std::errc() || stop != end || options_->indent < 0 || options_->indent > 7) {
      return absl::InvalidArgumentError("-indent needs a number from 0 to 7");
    }
    return absl::OkStatus();
  }

  absl::Status ParseVariable(const std::string& flag,
                             std::vector<std::pair<std::string, std::string>>* variables) {
    if (position_ + 2 >= arguments_.size()) {
      return absl::InvalidArgumentError(fmt::format("-{} needs a name and a value", flag));
    }
    variables->emplace_back(arguments_[position_ + 1], arguments_[position_ + 2]);
    position_ += 2;
    return absl::OkStatus();
  }

  const std::vector<std::string>& arguments_;
  ExprOptions* const options_;
  size_t position_ = 0;
  std::optional<std::string> expression_;
};

}  // namespace

absl::StatusOr<ExprOptions> ParseExprArguments(const std::vector<std::string>& arguments,
                                               bool terminal_has_colors) {
  ExprOptions options;
  options.colors = terminal_has_colors;
  RETURN_IF_ERROR(Parser(arguments, &options).Parse());
  return options;
}

}  // namespace jaque::cmd
