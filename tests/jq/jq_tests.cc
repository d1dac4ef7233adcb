// SPDX-License-Identifier: Apache-2.0
// Runs jq's own test files (folder in JAQUE_JQ_TESTS) and fails on a case that fails without being
// listed in differences.txt, and on a listed case that passes. Exit code 77: skipped, there is no
// folder.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "expression/json.h"
#include "expression/program.h"
#include "tests/jq/test_file.h"

namespace jaque::jq {
namespace {

constexpr int kSkipped = 77;
constexpr size_t kMostDifferences = 25;

using Differences = std::map<std::string, std::string>;  // "file:line" to reason

std::optional<Value> ParseLine(const std::string& line) {
  auto value = ParseJson(line, {.allow_nan = true});
  if (!value.ok()) return std::nullopt;
  return *std::move(value);
}

std::string Quote(const Value& value) { return ToJson(value); }

// jq's message, its position and the marked line behind it.
std::string FirstLine(const expression::CompileError& error) {
  std::ostringstream out;
  out << "jq: error: " << error.message << " at <top-level>, line " << error.place.line
      << ", column " << error.place.column << ":";
  return out.str();
}

// What went wrong, nullopt if nothing did.
std::optional<std::string> RunMustFail(const TestCase& test,
                                       const expression::CompileResult& compiled) {
  if (compiled.program != nullptr) return "compiles";
  if (test.any_message || test.expected.empty()) return std::nullopt;
  const std::string message = FirstLine(compiled.errors.front());
  if (message == test.expected.front()) return std::nullopt;
  return "expected " + test.expected.front() + "\n        got      " + message;
}

std::optional<std::string> RunCase(const TestCase& test) {
  const std::vector<std::string> no_variables;
  expression::CompileOptions options;
  options.known_variables = &no_variables;
  const expression::CompileResult compiled = expression::Compile(test.program, options);
  if (test.must_fail) return RunMustFail(test, compiled);
  if (compiled.program == nullptr) return "does not compile: " + compiled.errors.front().message;
  const std::optional<Value> input = ParseLine(test.input);
  if (!input) return "cannot read the input " + test.input;

  expression::Evaluation evaluation;
  evaluation.now = absl::FromUnixSeconds(1'700'000'000);
  std::vector<Value> outputs;
  const absl::Status status = compiled.program->Run(*input, evaluation, [&](Value value) {
    outputs.push_back(std::move(value));
    return outputs.size() <= test.expected.size();
  });
  for (size_t i = 0; i < test.expected.size(); ++i) {
    const std::optional<Value> expected = ParseLine(test.expected[i]);
    if (!expected) return "cannot read the expected " + test.expected[i];
    if (i >= outputs.size()) {
      return "ends after " + std::to_string(i) + " outputs: " + std::string(status.message());
    }
    if (*expected != outputs[i]) {
      return "expected " + Quote(*expected) + "\n        got      " + Quote(outputs[i]);
    }
  }
  if (outputs.size() > test.expected.size()) return "more outputs: " + Quote(outputs.back());
  // An error after the expected outputs is how jq's own runner ends a case too, but no bound may be
  // hit.
  if (absl::IsResourceExhausted(status)) return std::string(status.message());
  return std::nullopt;
}

// Lines "file:line  reason"; # for comments.
Differences ReadDifferences(const std::string& path) {
  Differences differences;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    const size_t space = line.find(' ');
    const size_t reason = line.find_first_not_of(' ', space);
    differences[line.substr(0, space)] = reason == std::string::npos ? "" : line.substr(reason);
  }
  return differences;
}

class Suite {
 public:
  explicit Suite(Differences differences) : differences_(std::move(differences)) {}

  void RunFile(const std::filesystem::path& path) {
    std::ifstream in(path);
    int passed = 0, listed = 0, failed = 0;
    for (const TestCase& test : ReadTestFile(in)) {
      const std::string id = path.filename().string() + ":" + std::to_string(test.line);
      const std::optional<std::string> problem = RunCase(test);
      const bool is_listed = differences_.count(id) > 0;
      if (is_listed) used_.insert(id);
      if (problem && is_listed) {
        ++listed;
        continue;
      }
      if (!problem && !is_listed) {
        ++passed;
        continue;
      }
      ++failed;
      std::cout << "FAIL " << id << "  " << test.program << "\n        "
                << problem.value_or("passes, but is listed as a difference") << "\n";
    }
    std::cout << path.filename().string() << ": " << passed << " passed, " << listed
              << " deliberately different, " << failed << " failed\n";
    failed_ += failed;
    ran_ += passed + listed + failed;
  }

  // Also judges the list itself.
  bool Finish() {
    for (const auto& [id, reason] : differences_) {
      if (used_.count(id) == 0) Complain(id + " is listed but is no case");
      if (reason.empty()) Complain(id + " is listed without a reason");
    }
    if (differences_.size() > kMostDifferences) Complain("too many differences are listed");
    if (ran_ == 0) Complain("the folder has no cases");
    return failed_ == 0;
  }

 private:
  void Complain(const std::string& what) {
    std::cout << "FAIL " << what << "\n";
    ++failed_;
  }

  Differences differences_;
  std::set<std::string> used_;
  int failed_ = 0;
  int ran_ = 0;
};

bool RunFolder(const std::filesystem::path& folder, Differences differences) {
  Suite suite(std::move(differences));
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".test") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) suite.RunFile(file);
  return suite.Finish();
}

int Main(int argc, char** argv) {
  if (argc == 2) return RunFolder(argv[1], {}) ? 0 : 1;
  const char* folder = std::getenv("JAQUE_JQ_TESTS");
  if (folder == nullptr || !std::filesystem::is_directory(folder)) {
    std::cout
        << "skipped: JAQUE_JQ_TESTS names no folder with jq's *.test files (tests/jq/README.md)\n";
    return kSkipped;
  }
  return RunFolder(folder, ReadDifferences(JAQUE_JQ_DIFFERENCES)) ? 0 : 1;
}

}  // namespace
}  // namespace jaque::jq

int main(int argc, char** argv) { return jaque::jq::Main(argc, argv); }
