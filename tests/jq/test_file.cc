// SPDX-License-Identifier: Apache-2.0
#include "tests/jq/test_file.h"

#include <istream>

namespace jaque::jq {
namespace {

// Blank, or nothing but a comment.
bool IsSkipped(const std::string& line) {
  const size_t start = line.find_first_not_of(" \t\r");
  return start == std::string::npos || line[start] == '#';
}

class Reader {
 public:
  explicit Reader(std::istream& in) : in_(in) {}

  std::vector<TestCase> Run() {
    std::vector<TestCase> cases;
    TestCase next;
    while (ReadLine()) {
      if (IsSkipped(line_)) continue;
      if (line_ == "%%FAIL" || line_ == "%%FAIL IGNORE MSG") {
        next.must_fail = true;
        next.any_message = line_ != "%%FAIL";
        continue;
      }
      next.line = number_;
      next.program = line_;
      if (!next.must_fail && ReadLine()) next.input = line_;
      while (ReadLine() && !IsSkipped(line_)) next.expected.push_back(line_);
      cases.push_back(std::move(next));
      next = TestCase();
    }
    return cases;
  }

 private:
  bool ReadLine() {
    ++number_;
    return static_cast<bool>(std::getline(in_, line_));
  }

  std::istream& in_;
  std::string line_;
  int number_ = 0;
};

}  // namespace

std::vector<TestCase> ReadTestFile(std::istream& in) { return Reader(in).Run(); }

}  // namespace jaque::jq
