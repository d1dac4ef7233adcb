// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: programs made by the grammar give the same outputs and the same error in jaque
// and in jq 1.8.2. Aborts at the first difference that is not known; with JAQUE_FUZZ_FINDINGS it is
// appended to that file instead and the search goes on. Says so and ends if node or the package is
// missing.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "expression/json.h"
#include "expression/program.h"
#include "tests/fuzz/known_differences.h"
#include "tests/fuzz/oracle_process.h"
#include "tests/fuzz/program_generator.h"

namespace jaque::fuzz {
namespace {

constexpr size_t kPrograms = 24;  // of one input: a call of the oracle costs more than a program
constexpr size_t kOutputs = 2'000;
constexpr size_t kBytes = 2'000;  // enough for most inputs and their programs

OracleProcess& Oracle() {
  static auto* const oracle = [] {
    auto* made = new OracleProcess(JAQUE_FUZZ_ORACLE);
    if (!made->Works()) {
      std::fprintf(stderr,
                   "skipped: no oracle; run `npm ci` in tests/fuzz and have node in the path\n");
      std::exit(0);
    }
    return made;
  }();
  return *oracle;
}

OurResult RunOurs(const std::string& program, const Value& input) {
  OurResult result;
  const expression::CompileResult compiled = expression::Compile(program);
  if (compiled.program == nullptr) {
    result.compiles = false;
    result.error = compiled.errors.front().message;
    return result;
  }
  expression::Evaluation evaluation;
  evaluation.now = absl::FromUnixSeconds(1'700'000'000);
  evaluation.bounds.steps = 200'000;
  evaluation.bounds.memory_bytes = 16 << 20;
  evaluation.bounds.outputs = kOutputs;
  const absl::Status status = compiled.program->Run(input, evaluation, [&](Value value) {
    result.outputs.push_back(std::move(value));
    return true;
  });
  result.bounded = absl::IsResourceExhausted(status);
  if (!status.ok()) result.error = std::string(status.message());
  return result;
}

std::string Show(const std::vector<Value>& outputs, const std::string& error) {
  std::string text;
  for (const Value& output : outputs) text += " " + ToJson(output);
  return text + (error.empty() ? "" : " error: " + error);
}

// As Value, so that what prints alike is alike (nan prints as null).
std::vector<Value> AsPrinted(const std::vector<Value>& outputs) {
  std::vector<Value> printed;
  for (const Value& output : outputs) printed.push_back(ParseJson(ToJson(output)).value());
  return printed;
}

bool SameError(const OurResult& ours, const OracleResult& jq) {
  if (ours.error.has_value() != jq.error.has_value()) return false;
  if (!ours.error || !jq.error->is_string()) return true;
  return *ours.error == jq.error->AsString();
}

void Compare(const std::string& program, const std::string& input, const OracleResult& jq) {
  const OurResult ours = RunOurs(program, ParseJson(input).value());
  const bool same =
      ours.compiles == jq.compiles &&
      (!ours.compiles || (AsPrinted(ours.outputs) == AsPrinted(jq.outputs) && SameError(ours, jq)));
  if (same || IsKnownDifference(program, input, ours, jq)) return;
  std::ostringstream report;
  report << "program: " << program << "\ninput:   " << input
         << "\njaque:  " << (ours.compiles ? "" : " does not compile:")
         << Show(ours.outputs, ours.error.value_or(""))
         << "\njq:     " << (jq.compiles ? "" : " does not compile")
         << Show(jq.outputs, jq.error ? ToJson(*jq.error) : "") << "\n\n";
  if (const char* path = std::getenv("JAQUE_FUZZ_FINDINGS"); path != nullptr) {
    std::ofstream(path, std::ios::app) << report.str();
    return;
  }
  std::fputs(report.str().c_str(), stderr);
  std::abort();
}

void CompareAll(const std::string& input, const std::vector<std::string>& programs) {
  if (programs.empty()) return;
  const auto results = Oracle().Run(input, programs);
  if (!results) return;
  for (size_t i = 0; i < programs.size(); ++i) Compare(programs[i], input, (*results)[i]);
}

// The bytes, then more that follow from them: the first runs have only a few, and bytes that are
// used up make every choice the first one.
std::vector<uint8_t> Lengthen(const uint8_t* data, size_t size) {
  std::vector<uint8_t> bytes(data, data + size);
  uint64_t hash = 0xcbf29ce484222325;
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  while (bytes.size() < kBytes) {
    hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9 + 1;
    bytes.push_back(static_cast<uint8_t>(hash >> 56));
  }
  return bytes;
}

}  // namespace
}  // namespace jaque::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace jaque::fuzz;
  const std::vector<uint8_t> bytes = Lengthen(data, size);
  ProgramGenerator generator(bytes.data(), bytes.size());
  const std::string input = generator.Json();
  // Programs that run go together; one that does not compile would spoil that.
  std::vector<std::string> programs;
  for (size_t made = 0; made < kPrograms && !generator.exhausted(); ++made) {
    std::string program = generator.Program();
    if (jaque::expression::Compile(program).program != nullptr) {
      programs.push_back(std::move(program));
    } else {
      CompareAll(input, {program});
    }
  }
  CompareAll(input, programs);
  return 0;
}
