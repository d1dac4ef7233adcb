// SPDX-License-Identifier: Apache-2.0
// call openapi: fetch the document (or remember it), make the operation's request, send it as call
// http does.
#include <utility>

#include "base/status_macros.h"
#include "base/text.h"
#include "expression/json.h"
#include "worker/http_runner.h"
#include "worker/http_text.h"
#include "worker/openapi_document.h"
#include "worker/openapi_request.h"
#include "worker/runner.h"

namespace jaque {
namespace {

struct Operation {
  std::string id;
  Value parameters;
  Endpoint document;
  HttpCall call;  // without its request
};

absl::Status ReadArguments(const dsl::Template& arguments, const TaskRun& run,
                           Operation* operation) {
  ASSIGN_OR_RETURN(const Value id, EvaluateMember(arguments, "operationId", run));
  if (id.is_string()) operation->id = std::string(id.AsString());
  ASSIGN_OR_RETURN(operation->parameters, EvaluateMember(arguments, "parameters", run));
  ASSIGN_OR_RETURN(const Value output, EvaluateMember(arguments, "output", run));
  ASSIGN_OR_RETURN(operation->call.output, OutputOf(output));
  ASSIGN_OR_RETURN(const Value redirect, EvaluateMember(arguments, "redirect", run));
  operation->call.redirect = redirect.truthy();
  return absl::OkStatus();
}

std::variant<Operation, v1::Problem> Resolve(TaskRun* run) {
  const dsl::Template& arguments = run->work().arguments;
  const auto document = MemberOf(arguments, "document");
  const auto place = document.has_value() ? MemberOf(*document, "endpoint") : std::nullopt;
  if (!place.has_value()) return ArgumentProblem("call openapi without a document");
  Operation operation;
  auto endpoint = ResolveEndpoint(*place, run);
  if (auto* problem = std::get_if<v1::Problem>(&endpoint)) return std::move(*problem);
  operation.document = std::get<Endpoint>(std::move(endpoint));
  // The document's authentication is not the call's.
  run->SetAuthorization(Value());
  const auto policy = MemberOf(arguments, "authentication");
  auto credentials = ResolveAuthentication(policy.has_value() ? &*policy : nullptr, run);
  if (auto* problem = std::get_if<v1::Problem>(&credentials)) return std::move(*problem);
  operation.call.credentials = std::get<Credentials>(std::move(credentials));
  const absl::Status status = ReadArguments(arguments, *run, &operation);
  if (!status.ok()) return run->ToProblem(status);
  if (operation.id.empty()) {
    return MakeProblem(dsl::kErrorConfiguration, "call openapi without an operationId");
  }
  return operation;
}

v1::Problem DocumentProblem(const absl::Status& status, const Operation& operation,
                            const TaskRun& run) {
  return MakeProblem(
      dsl::kErrorConfiguration,
      run.redactor().Redact(Cat("OpenAPI document ", WithoutUserInfo(operation.document.uri), ": ",
                                Message(status))));
}

void CallOperation(const RunnerTools& tools, std::shared_ptr<TaskRun> run, Operation operation,
                   const OpenApiDocument& document, OutcomeFn done) {
  absl::StatusOr<OpenApiOperation> described = document.Find(operation.id);
  if (!described.ok()) return done(DocumentProblem(described.status(), operation, *run));
  absl::StatusOr<HttpRequest> request = MakeOperationRequest(*described, operation.parameters);
  if (!request.ok()) {
    return done(MakeProblem(
        dsl::kErrorConfiguration,
        run->redactor().Redact(Cat("operation ", operation.id, ": ", Message(request.status())))));
  }
  operation.call.method = Lower(request->method);
  operation.call.request = *std::move(request);
  SendCall(tools, std::move(run), std::move(operation.call), std::move(done));
}

// On one of the worker's threads: documents may be large.
void UseFetched(const RunnerTools& tools, std::shared_ptr<TaskRun> run, Operation operation,
                const std::string& key, const HttpAnswer& answer, OutcomeFn done) {
  if (answer.response.status < 200 || answer.response.status > 299) {
    Outcome problem = ReadAnswer(answer, HttpOutputRule(), *run);
    return done(std::move(problem));
  }
  auto document = OpenApiDocument::Parse(answer.response.body, operation.document.uri);
  if (!document.ok()) return done(DocumentProblem(document.status(), operation, *run));
  if (!key.empty()) tools.documents->Insert(key, *document);
  CallOperation(tools, std::move(run), std::move(operation), **document, std::move(done));
}

}  // namespace

void RunOpenApi(const RunnerTools& tools, std::shared_ptr<TaskRun> run, OutcomeFn done) {
  auto resolved = Resolve(run.get());
  if (auto* problem = std::get_if<v1::Problem>(&resolved)) return done(std::move(*problem));
  Operation operation = std::get<Operation>(std::move(resolved));
  const Credentials credentials = operation.document.credentials;
  // Who may see a document that is given after a digest cannot be told from what we hold.
  const bool remember = credentials.scheme != Credentials::Scheme::kDigest;
  const std::string key =
      remember ? Cat(operation.document.uri, "\n", ToJson(credentials.Descriptor())) : "";
  const auto known = remember ? tools.documents->Find(key) : nullptr;
  if (known != nullptr) {
    return CallOperation(tools, std::move(run), std::move(operation), *known, std::move(done));
  }
  HttpRequest fetch;
  fetch.url = operation.document.uri;
  fetch.headers.emplace_back("Accept", "application/json, application/yaml;q=0.9, */*;q=0.8");
  StartExchange(tools.http, run, std::move(fetch), credentials, true,
                [tools, run, key, operation = std::move(operation),
                 done = std::move(done)](std::variant<HttpAnswer, v1::Problem> result) mutable {
                  if (auto* problem = std::get_if<v1::Problem>(&result))
                    return done(std::move(*problem));
                  tools.threads->Post([tools, run, key, operation = std::move(operation),
                                       answer = std::get<HttpAnswer>(std::move(result)),
                                       done = std::move(done)]() mutable {
                    UseFetched(tools, std::move(run), std::move(operation), key, answer,
                               std::move(done));
                  });
                });
}

}  // namespace jaque
