// SPDX-License-Identifier: Apache-2.0
#include "engine/problems.h"

#include "base/limits.h"
#include "base/text.h"
#include "dsl/errors.h"
#include "dsl/template.h"

namespace jaque::engine {
namespace {

v1::Problem Make(std::string_view type, std::string_view title, int status,
                 std::string_view detail) {
  v1::Problem problem;
  problem.set_type(std::string(type));
  problem.set_title(std::string(title));
  problem.set_status(status);
  problem.set_detail(std::string(detail));
  return problem;
}

bool Matches(const std::optional<std::string>& expected, const std::string& actual) {
  return !expected.has_value() || *expected == actual;
}

// With the place in the file that an expression's error ends with, or without.
bool MatchesDetail(const std::optional<std::string>& expected, std::string_view actual) {
  if (!expected.has_value() || *expected == actual) return true;
  actual.remove_suffix(dsl::PlaceAtEnd(actual).size());
  return *expected == actual;
}

}  // namespace

v1::Problem ExpressionProblem(std::string_view detail) {
  return Make(dsl::kErrorExpression, "Expression Error", 400, detail);
}
v1::Problem ValidationProblem(std::string_view detail) {
  return Make(dsl::kErrorValidation, "Validation Error", 400, detail);
}
v1::Problem ConfigurationProblem(std::string_view detail) {
  return Make(dsl::kErrorConfiguration, "Configuration Error", 400, detail);
}
v1::Problem RuntimeProblem(std::string_view detail) {
  return Make(dsl::kErrorRuntime, "Runtime Error", 500, detail);
}
v1::Problem TimeoutProblem(std::string_view detail) {
  return Make(dsl::kErrorTimeout, "Timeout", 408, detail);
}

v1::Problem ProblemFrom(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kResourceExhausted:
      return ExpressionProblem(Message(status));
    case absl::StatusCode::kFailedPrecondition:
      return ValidationProblem(Message(status));
    case absl::StatusCode::kNotFound:
      return ConfigurationProblem(Message(status));
    default:
      return RuntimeProblem(Message(status));
  }
}

Value ProblemValue(const v1::Problem& problem) {
  Value value = Value::Object();
  value.Set("type", Value::String(problem.type()));
  value.Set("status", Value::Int(problem.status()));
  if (!problem.title().empty()) value.Set("title", Value::String(problem.title()));
  if (!problem.detail().empty()) value.Set("detail", Value::String(problem.detail()));
  if (!problem.instance().empty()) value.Set("instance", Value::String(problem.instance()));
  return value;
}

void CutText(std::string* text) {
  size_t size = limits::kProblemDetailBytes;
  if (text->size() <= size) return;
  while (size > 0 && (static_cast<unsigned char>((*text)[size]) & 0xc0) == 0x80) --size;
  text->resize(size);
}

bool Matches(const dsl::ErrorFilter& filter, const v1::Problem& problem) {
  return (!filter.type.has_value() || *filter.type == dsl::NormaliseErrorType(problem.type())) &&
         (!filter.status.has_value() || *filter.status == problem.status()) &&
         Matches(filter.instance, problem.instance()) && Matches(filter.title, problem.title()) &&
         MatchesDetail(filter.detail, problem.detail());
}

}  // namespace jaque::engine
