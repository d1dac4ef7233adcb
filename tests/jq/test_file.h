// SPDX-License-Identifier: Apache-2.0
// Reads jq's own *.test files: a program's line, its input's line, lines of expected outputs, a
// blank line;
// "%%FAIL" before a program that must not compile, then the expected message. Lines with # are
// comments.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace jaque::jq {

struct TestCase {
  int line = 0;  // of the program, 1-based
  std::string program;
  bool must_fail = false;
  bool any_message = false;
  std::string input;
  std::vector<std::string> expected;  // outputs as JSON, or the lines of the message
};

std::vector<TestCase> ReadTestFile(std::istream& in);

}  // namespace jaque::jq
