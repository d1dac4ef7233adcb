// SPDX-License-Identifier: Apache-2.0
#include "ui/problem.h"

#include "expression/json.h"
#include "ui/definition_json.h"

namespace jaque::ui {
namespace {

Value Problem(int status, std::string_view detail) {
  return Value::Object({{"type", Value::String("about:blank")},
                        {"title", Value::String(ReasonPhrase(status))},
                        {"status", Value::Int(status)},
                        {"detail", Value::String(detail)}});
}

HttpResponse Respond(int status, const Value& problem) {
  HttpResponse response;
  response.status = status;
  response.content_type = "application/problem+json";
  response.body = ToJson(problem);
  // Both are passing states; a second is longer than either needs.
  if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

int StatusOfCode(v1::CommandReply::Code code) {
  switch (code) {
    case v1::CommandReply::CODE_NOT_FOUND:
      return 404;
    case v1::CommandReply::CODE_CONFLICT:
      return 409;
    case v1::CommandReply::CODE_INVALID:
      return 400;
    case v1::CommandReply::CODE_OVERLOADED:
      return 429;
    case v1::CommandReply::CODE_NOT_OWNED:
    case v1::CommandReply::CODE_UNAVAILABLE:
      return 503;
    default:
      return 500;
  }
}

}  // namespace

HttpResponse ProblemResponse(int status, std::string_view detail) {
  return Respond(status, Problem(status, detail));
}

HttpResponse FindingsResponse(const std::vector<dsl::Finding>& findings) {
  return FindingsResponse("the definition is not valid; see errors", findings);
}

HttpResponse FindingsResponse(std::string_view detail, const std::vector<dsl::Finding>& findings) {
  Value problem = Problem(400, detail);
  problem.Set("errors", FindingsValue(findings));
  return Respond(400, problem);
}

HttpResponse ProblemOfStatus(const absl::Status& status) {
  const std::string detail(status.message());
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
      return ProblemResponse(404, detail);
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kFailedPrecondition:
      return ProblemResponse(409, detail);
    case absl::StatusCode::kInvalidArgument:
      return ProblemResponse(400, detail);
    case absl::StatusCode::kResourceExhausted:
      return ProblemResponse(429, detail);
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return ProblemResponse(503, detail);
    default:
      return ProblemResponse(500, detail);
  }
}

HttpResponse ProblemOfReply(const v1::CommandReply& reply) {
  return ProblemResponse(StatusOfCode(reply.code()), reply.message());
}

Value ProblemValue(const v1::Problem& problem) {
  Value value = Value::Object({{"type", Value::String(problem.type())},
                               {"status", Value::Int(problem.status())},
                               {"title", Value::String(problem.title())}});
  if (!problem.detail().empty()) value.Set("detail", Value::String(problem.detail()));
  if (!problem.instance().empty()) value.Set("instance", Value::String(problem.instance()));
  return value;
}

}  // namespace jaque::ui
