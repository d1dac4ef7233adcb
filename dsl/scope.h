// SPDX-License-Identifier: Apache-2.0
// Which variables an expression may use, by where it stands (dsl.md, "Runtime expression
// arguments"), and those that enclosing loops and catches bring. Secrets only where workers
// evaluate: what the engine evaluates is written to the log. Immutable, one Load.
#pragma once

#include <string>
#include <vector>

namespace jaque::dsl {

using Variables = std::vector<std::string>;

// Workflow `input.from`; also the workflow's timeout and schedule, which no task is near.
const Variables& WorkflowInputVariables();
const Variables& WorkflowOutputVariables();

// The scope of a task.
class Scope {
 public:
  Scope() : Scope(Variables()) {}
  explicit Scope(Variables own);
  // This scope with further names, for the tasks inside.
  Scope With(const Variables& names) const;

  const Variables& input() const { return input_; }            // `if`, input.from
  const Variables& definition() const { return definition_; }  // the task itself, output.as
  const Variables& exported() const { return exported_; }      // export.as
  const Variables& arguments() const { return arguments_; }    // call, run shell, run script

 private:
  Variables own_, input_, definition_, exported_, arguments_;
};

}  // namespace jaque::dsl
