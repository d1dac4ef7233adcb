// SPDX-License-Identifier: Apache-2.0
// The runtime-expression arguments of the DSL (dsl.md, "Runtime expression arguments") as one
// expression of one task sees them: $context, $input, $output, $task, $workflow, $runtime, and the
// variables of the loops and catches around it. Built for an evaluation, made only as far as the
// expression asks.
// `$secrets` and `$authorization` exist in workers only: the log must never hold them.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "engine/state.h"
#include "expression/program.h"

namespace jaque::engine {

class Arguments final : public expression::VariableSource {
 public:
  // `scope`: the innermost frame around the expression, may be null (the workflow's own
  // input.from).
  Arguments(const Instance* instance, const Frame* scope, const dsl::Task* task)
      : instance_(*instance), scope_(scope), task_(task) {}

  Arguments& Input(const Value* value) {
    input_ = value;
    return *this;
  }
  Arguments& Output(const Value* value) {
    output_ = value;
    return *this;
  }
  Arguments& RawInput(const Value* value) {
    raw_input_ = value;
    return *this;
  }
  Arguments& RawOutput(const Value* value) {
    raw_output_ = value;
    return *this;
  }
  Arguments& Context(const Value* value) {
    context_ = value;
    return *this;
  }
  Arguments& StartedAt(Micros at) {
    task_started_ = at;
    return *this;
  }
  // A variable that no frame holds yet.
  Arguments& Bind(std::string_view name, Value value) {
    bound_.emplace_back(name, std::move(value));
    return *this;
  }

  absl::StatusOr<Value> Lookup(std::string_view name) const override;

 private:
  Value TaskDescriptor() const;
  Value WorkflowDescriptor() const;
  const Value* FindInFrames(std::string_view name, Value* made) const;

  const Instance& instance_;
  const Frame* const scope_;
  const dsl::Task* const task_;
  const Value* input_ = nullptr;
  const Value* output_ = nullptr;
  const Value* raw_input_ = nullptr;
  const Value* raw_output_ = nullptr;
  const Value* context_ = nullptr;
  Micros task_started_ = 0;
  std::vector<std::pair<std::string_view, Value>> bound_;
};

// {name, version, metadata}: what `$runtime` is.
Value RuntimeDescriptor();

// {iso8601, epoch: {seconds, milliseconds}}. Whole seconds in iso8601, so that jq's fromdate reads
// it.
Value DateTimeDescriptor(Micros at);

}  // namespace jaque::engine
