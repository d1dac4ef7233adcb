// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for the sanitizers: arbitrary bytes as a program and as JSON, parsed, printed
// and evaluated under small bounds. The first line is the program, the rest the input; a first byte
// with its lowest bit set has the grammar make both.
#include <cstdint>
#include <string>

#include "base/status_macros.h"
#include "expression/json.h"
#include "expression/program.h"
#include "tests/fuzz/program_generator.h"

namespace {

class AnyVariable : public jaque::expression::VariableSource {
 public:
  absl::StatusOr<jaque::Value> Lookup(std::string_view name) const override {
    return jaque::Value::Array({jaque::Value::String(name), jaque::Value::Int(1)});
  }
};

// What was read must print to what reads back the same.
void CheckRoundTrip(const jaque::Value& value) {
  const std::string json = jaque::ToJson(value);
  const auto again = jaque::ParseJson(json);
  JAQUE_CHECK(again.ok());
  JAQUE_CHECK(jaque::ToJson(*again) == json);
}

void Evaluate(const std::string& program, const std::string& input) {
  const auto json = jaque::ParseJson(input, {.allow_nan = true});
  if (json.ok()) CheckRoundTrip(*json);
  const jaque::expression::CompileResult compiled = jaque::expression::Compile(program);
  JAQUE_CHECK((compiled.program == nullptr) != compiled.errors.empty());
  if (compiled.program == nullptr) return;
  for (const std::string& name : compiled.program->variables()) {
    (void)compiled.program->variable_footprint(name);
  }
  const AnyVariable variables;
  jaque::expression::Evaluation evaluation;
  evaluation.variables = &variables;
  evaluation.bounds.steps = 100'000;
  evaluation.bounds.memory_bytes = 4 << 20;
  evaluation.bounds.outputs = 1'000;
  evaluation.bounds.regex_retries = 10'000;
  (void)compiled.program->Run(json.ok() ? *json : jaque::Value(), evaluation,
                              [](const jaque::Value& output) {
                                CheckRoundTrip(output);
                                return true;
                              });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  if ((data[0] & 1) != 0) {
    jaque::fuzz::ProgramGenerator generator(data + 1, size - 1);
    const std::string input = generator.Json();
    Evaluate(generator.Program(), input);
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  const bool has_input = line != std::string::npos;
  Evaluate(text.substr(0, line), has_input ? text.substr(line + 1) : "null");
  return 0;
}
