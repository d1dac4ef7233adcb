// SPDX-License-Identifier: Apache-2.0
// `jaque expr EXPRESSION`: evaluates a runtime expression on JSON values from standard input, as
// the engine would, with its bounds (only the number of outputs is free). Main thread. Exit codes
// are jq's: 0, 5 an evaluation failed (the next input is still tried), 3 the expression does not
// compile, 2 bad usage or input that is no JSON; with `exit_status` also 1 (the last output was
// false or null) and 4 (there was none). Errors: "jaque: error: LINE:COLUMN: message" on `err`,
// places in the expression for what does not compile, in the input for what is no JSON.
#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace jaque::cmd {

inline constexpr int kExprNoOutput = 4;
inline constexpr int kExprEvaluationFailed = 5;
inline constexpr int kExprDoesNotCompile = 3;
inline constexpr int kExprBadUsage = 2;
inline constexpr int kExprLastWasFalse = 1;

struct ExprOptions {
  std::string expression = {};
  bool compact = false;      // -c
  bool raw = false;          // -r: strings without quotes
  bool join = false;         // -j: -r, and no line end
  bool null_input = false;   // -n: null instead of standard input
  bool slurp = false;        // -s: all inputs as one array
  bool exit_status = false;  // -e
  bool sort_keys = false;    // -S
  bool ascii = false;        // -a
  bool tab = false;          // --tab
  int indent = 2;            // --indent N, 0 to 7
  bool colors = false;       // decided by the caller: a terminal, and no NO_COLOR
  std::vector<std::pair<std::string, std::string>> args = {};       // --arg NAME TEXT
  std::vector<std::pair<std::string, std::string>> json_args = {};  // --argjson NAME JSON
};

int RunExprCommand(const ExprOptions& options, std::istream& in, std::ostream& out,
                   std::ostream& err);

}  // namespace jaque::cmd
