// SPDX-License-Identifier: Apache-2.0
// A jq 1.8 program, compiled once and shared by threads; variables are bound at evaluation.
// The language: docs/expressions.md. No files, environment, input, halt or modules.
//
// Errors are absl::Status: InvalidArgument for what the author's program or data did wrong (the
// message is jq's), ResourceExhausted for a bound reached (nothing in the program can catch it).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/limits.h"
#include "expression/value.h"

namespace jaque::expression {

// Where a compile error is, in the expression's own text, 1-based.
struct SourcePlace {
  int line = 1;
  int column = 1;
};

// Gives the values of variables while a program runs. Called on the evaluating thread, at most once
// for each variable and evaluation; `name` has no '$'.
class VariableSource {
 public:
  virtual ~VariableSource() = default;
  virtual absl::StatusOr<Value> Lookup(std::string_view name) const = 0;
};

struct Bounds {
  uint64_t steps = limits::kExpressionSteps;
  absl::Duration wall_time = absl::Milliseconds(limits::kExpressionMillis);
  size_t memory_bytes = limits::kExpressionMemory;
  int depth = limits::kExpressionDepth;
  size_t outputs = limits::kExpressionOutputs;
  uint64_t regex_retries = limits::kRegexRetries;
};

struct Evaluation {
  const VariableSource* variables = nullptr;  // may be null if the program has no free variables
  absl::Time now;                             // what `now`, `localtime` … see
  std::function<absl::Duration()> monotonic;  // for wall_time; empty: not bounded in time
  Bounds bounds;
};

class Program {
 public:
  virtual ~Program() = default;

  virtual const std::string& source() const = 0;
  // Free variables without '$', each once.
  virtual const std::vector<std::string>& variables() const = 0;
  // The top-level fields of `.` that the program can touch; `all` if it can touch everything.
  struct Footprint {
    bool all = false;
    std::vector<std::string> fields;
  };
  virtual const Footprint& input_footprint() const = 0;
  // The same for a variable of variables().
  virtual const Footprint& variable_footprint(std::string_view name) const = 0;

  // Runs the program; `output` gets each result and returns false to stop early.
  virtual absl::Status Run(const Value& input, const Evaluation& evaluation,
                           absl::FunctionRef<bool(Value)> output) const = 0;
};

struct CompileError {
  SourcePlace place;
  std::string message;
};

struct CompileResult {
  std::shared_ptr<const Program> program;  // null if there are errors
  std::vector<CompileError> errors;        // at least one if program is null
};

struct CompileOptions {
  // Variables that may be free, without '$'; others are compile errors. Null: any variable may be.
  const std::vector<std::string>* known_variables = nullptr;
};

CompileResult Compile(std::string_view source, const CompileOptions& options = {});

// What a runtime expression of the DSL yields: no output is null, one is itself, several are an
// array (docs/dsl-notes.md).
absl::StatusOr<Value> Evaluate(const Program& program, const Value& input,
                               const Evaluation& evaluation);

}  // namespace jaque::expression
