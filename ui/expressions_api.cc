// SPDX-License-Identifier: Apache-2.0
#include "ui/expressions_api.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "expression/json.h"
#include "expression/program.h"
#include "fmt/format.h"
#include "ui/answers.h"
#include "ui/json_writer.h"
#include "ui/parameters.h"
#include "ui/problem.h"
#include "ui/store_handler.h"

namespace jaque::ui {
namespace {

class GivenVariables final : public expression::VariableSource {
 public:
  absl::StatusOr<Value> Lookup(std::string_view name) const override {
    const auto found = values_.find(name);
    if (found != values_.end()) return found->second;
    return absl::InvalidArgumentError(fmt::format("${} is not given", name));
  }
  void Set(std::string_view name, const Value& value) { values_[std::string(name)] = value; }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : values_) names.push_back(name);
    return names;
  }

 private:
  std::map<std::string, Value, std::less<>> values_;
};

struct EvaluateRequest {
  std::string expression;
  size_t skipped = 0;  // characters before it, on its first line
  Value input;
  GivenVariables variables;
};

// `${ … }` is taken off, as definitions have it.
void TakeOffBraces(EvaluateRequest* request) {
  const std::string& text = request->expression;
  const size_t begin = text.find_first_not_of(" \t\r\n");
  const size_t end = text.find_last_not_of(" \t\r\n");
  if (begin == std::string::npos || text.compare(begin, 2, "${") != 0 || text[end] != '}') return;
  request->skipped = begin + 2;
  request->expression = text.substr(begin + 2, end - begin - 2);
}

absl::StatusOr<EvaluateRequest> ReadEvaluate(const Call& call) {
  ASSIGN_OR_RETURN(const Value body,
                   ReadObject(call, {"expression", "input", "context", "variables"}));
  EvaluateRequest request;
  if (body.Find("expression") == nullptr) {
    return absl::InvalidArgumentError("expression: is missing");
  }
  ASSIGN_OR_RETURN(request.expression, TextMember(body, "expression", ""));
  if (request.expression.size() > limits::kExpressionBytes) {
    return absl::InvalidArgumentError(
        fmt::format("expression: at most {} bytes", limits::kExpressionBytes));
  }
  TakeOffBraces(&request);
  if (const Value* input = body.Find("input")) request.input = *input;
  if (const Value* variables = body.Find("variables")) {
    if (!variables->is_object()) return absl::InvalidArgumentError("variables: is no object");
    variables->ForEachMember([&request](std::string_view name, const Value& value) {
      request.variables.Set(name.substr(!name.empty() && name.front() == '$' ? 1 : 0), value);
      return true;
    });
  }
  if (const Value* context = body.Find("context")) request.variables.Set("context", *context);
  return request;
}

std::vector<dsl::Finding> FindingsOf(const expression::CompileResult& compiled, size_t skipped) {
  std::vector<dsl::Finding> findings;
  for (const expression::CompileError& error : compiled.errors) {
    const int shift = error.place.line == 1 ? static_cast<int>(skipped) : 0;
    findings.push_back({error.place.line, error.place.column + shift, "", error.message});
  }
  return findings;
}

absl::StatusOr<HttpResponse> Evaluate(const ApiParts& parts, const Call& call) {
  ASSIGN_OR_RETURN(const EvaluateRequest request, ReadEvaluate(call));
  const std::vector<std::string> known = request.variables.Names();
  const expression::CompileResult compiled =
      expression::Compile(request.expression, {.known_variables = &known});
  if (compiled.program == nullptr) {
    return FindingsResponse("the expression is not valid; see errors",
                            FindingsOf(compiled, request.skipped));
  }
  expression::Evaluation evaluation;
  evaluation.variables = &request.variables;
  evaluation.now = parts.clock->Now();
  evaluation.monotonic = [clock = parts.clock] { return clock->Monotonic(); };
  Value outputs = Value::Array();
  size_t bytes = 0;
  const absl::Status status = compiled.program->Run(request.input, evaluation, [&](Value output) {
    bytes += output.MemoryEstimate(limits::kEvaluationBytes);
    if (bytes < limits::kEvaluationBytes) outputs.Append(std::move(output));
    return bytes < limits::kEvaluationBytes;
  });
  if (!status.ok()) return ProblemResponse(400, std::string(status.message()));
  if (bytes >= limits::kEvaluationBytes) {
    return ProblemResponse(400, "what it yields is too large to be shown");
  }
  JsonWriter out;
  out.Member("outputs", outputs);
  return JsonResponse(200, out.Take());
}

}  // namespace

void AddExpressionRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes) {
  routes->Add("POST", "/api/v1/expressions/evaluate", Somewhere(Role::kViewer), {},
              OnPool(parts, pool, Evaluate));
}

}  // namespace jaque::ui
