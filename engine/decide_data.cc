// SPDX-License-Identifier: Apache-2.0
// The data flow of the DSL (dsl.md, "Data Flow"): transformations, schemas, conditions, durations.
#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "dsl/duration.h"
#include "engine/deciding.h"

namespace jaque::engine {
namespace {

// Of a value in the log: JSON is read to kJsonDepth only, and state, tasks and events wrap values.
constexpr size_t kStoredDepth = limits::kJsonDepth - 16;

}  // namespace

absl::StatusOr<Value> Deciding::Evaluate(const dsl::Template& expression, const Value& input,
                                         const Arguments& arguments) {
  if (expression.is_constant()) return expression.constant();
  expression::Evaluation evaluation;
  evaluation.variables = &arguments;
  evaluation.now = absl::FromUnixMicros(environment_.now);
  evaluation.monotonic = environment_.monotonic;
  return expression.Evaluate(input, evaluation);
}

absl::StatusOr<bool> Deciding::Condition(const dsl::Template& expression, const Value& input,
                                         const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Value value, Evaluate(expression, input, arguments));
  return value.truthy();
}

absl::StatusOr<absl::Duration> Deciding::EvaluateDuration(const dsl::Duration& duration,
                                                          const Value& input,
                                                          const Arguments& arguments) {
  if (!duration.expression.has_value()) return duration.literal;
  ASSIGN_OR_RETURN(const Value value, Evaluate(*duration.expression, input, arguments));
  return dsl::DurationFromValue(value);
}

absl::StatusOr<Micros> Deciding::TimeoutAt(const std::optional<dsl::Duration>& timeout,
                                           const Value& input, const Arguments& arguments) {
  if (!timeout.has_value()) return Micros{0};
  ASSIGN_OR_RETURN(const absl::Duration after, EvaluateDuration(*timeout, input, arguments));
  return environment_.now + absl::ToInt64Microseconds(after);
}

absl::Status Deciding::Transform(const dsl::DataFlow& flow, const Arguments& arguments,
                                 Value* value) {
  if (!flow.transform.has_value()) return absl::OkStatus();
  ASSIGN_OR_RETURN(*value, Evaluate(*flow.transform, *value, arguments));
  return absl::OkStatus();
}

absl::Status Deciding::Validate(const dsl::DataFlow& flow, std::string_view what,
                                const Value& value) {
  if (flow.schema == nullptr) return absl::OkStatus();
  absl::Status valid = flow.schema->Validate(value);
  if (valid.ok()) return valid;
  return absl::FailedPreconditionError(Cat(what, ": ", valid.message()));
}

absl::Status Deciding::TransformWorkflowInput(const dsl::Workflow& workflow,
                                              const Arguments& arguments, Value* input) {
  RETURN_IF_ERROR(Validate(workflow.input, "the workflow's input", *input));
  return Transform(workflow.input, arguments, input);
}

absl::StatusOr<Value> Deciding::TransformInput(Frame* parent, const dsl::Task& task,
                                               const Value& raw) {
  RETURN_IF_ERROR(Validate(task.input, "the task's input", raw));
  Value input = raw;
  Arguments arguments(instance(), parent, &task);
  arguments.RawInput(&raw).StartedAt(environment_.now);
  RETURN_IF_ERROR(Transform(task.input, arguments, &input));
  return input;
}

Arguments Deciding::ArgumentsOf(const TaskData& data) {
  Arguments arguments(instance(), Find(data.scope), &data.task);
  arguments.Input(&data.input).RawInput(&data.raw).StartedAt(data.started);
  return arguments;
}

absl::Status Deciding::TransformOutput(const TaskData& data, const Value& raw_output, Fact* fact) {
  const dsl::Task& task = data.task;
  Arguments arguments = ArgumentsOf(data);
  arguments.RawOutput(&raw_output);
  Value output = raw_output;
  RETURN_IF_ERROR(Transform(task.output, arguments, &output));
  RETURN_IF_ERROR(Validate(task.output, "the task's output", output));
  if (task.export_to.transform.has_value()) {
    arguments.Output(&output);
    Value context = output;
    RETURN_IF_ERROR(Transform(task.export_to, arguments, &context));
    RETURN_IF_ERROR(Validate(task.export_to, "the exported context", context));
    fact->SetContext(std::move(context));
  }
  fact->SetData(std::move(output));
  return CheckSize(*fact, "the task's output, with the exported context,");
}

absl::Status Deciding::CheckDepth(const Value& value, std::string_view what) {
  if (!value.DeeperThan(kStoredDepth)) return absl::OkStatus();
  return absl::OutOfRangeError(Cat(what, " nests deeper than ", kStoredDepth, " levels"));
}

absl::Status Deciding::CheckSize(const Fact& fact, std::string_view what) {
  const size_t bytes = fact.ValueBytes();
  if (bytes > limits::kValueBytes) {
    return absl::OutOfRangeError(
        Cat(what, " has ", bytes, " bytes, more than the limit of ", limits::kValueBytes));
  }
  if (bytes < kStoredDepth) return absl::OkStatus();  // a level takes a byte
  for (const std::optional<Value>* value : {&fact.data, &fact.input, &fact.context}) {
    if (value->has_value()) RETURN_IF_ERROR(CheckDepth(**value, what));
  }
  return absl::OkStatus();
}

}  // namespace jaque::engine
