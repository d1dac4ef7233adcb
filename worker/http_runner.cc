// SPDX-License-Identifier: Apache-2.0
#include "worker/http_runner.h"

#include <utility>

#include "base/status_macros.h"
#include "worker/http_text.h"

namespace jaque {
namespace {

// A larger answer is read on the worker's threads: the client's thread has other transfers to
// serve.
constexpr size_t kReadAtOnceBytes = 32 << 10;

absl::StatusOr<HttpCall> ReadArguments(const dsl::Template& arguments, const Endpoint& endpoint,
                                       const TaskRun& run) {
  HttpCall call;
  call.credentials = endpoint.credentials;
  ASSIGN_OR_RETURN(const Value method, EvaluateMember(arguments, "method", run));
  ASSIGN_OR_RETURN(call.request.method, MethodOf(method));
  call.method = std::string(method.AsString());
  ASSIGN_OR_RETURN(const Value query, EvaluateMember(arguments, "query", run));
  ASSIGN_OR_RETURN(const auto pairs, QueryOf(query));
  call.request.url = AddQuery(endpoint.uri, pairs);
  ASSIGN_OR_RETURN(const Value headers, EvaluateMember(arguments, "headers", run));
  RETURN_IF_ERROR(AddHeaders(headers, &call.request.headers));
  AddDefaultAccept(&call.request.headers);
  ASSIGN_OR_RETURN(const Value body, EvaluateMember(arguments, "body", run));
  RETURN_IF_ERROR(SetBody(body, &call.request));
  ASSIGN_OR_RETURN(const Value output, EvaluateMember(arguments, "output", run));
  ASSIGN_OR_RETURN(call.output, OutputOf(output));
  ASSIGN_OR_RETURN(const Value redirect, EvaluateMember(arguments, "redirect", run));
  call.redirect = redirect.truthy();
  return call;
}

}  // namespace

void SendCall(const RunnerTools& tools, std::shared_ptr<TaskRun> run, HttpCall call,
              OutcomeFn done) {
  const HttpOutput output = call.output;
  const bool redirect = call.redirect;
  auto receive = [run, output, redirect, method = std::move(call.method), threads = tools.threads,
                  done = std::move(done)](std::variant<HttpAnswer, v1::Problem> result) mutable {
    if (auto* problem = std::get_if<v1::Problem>(&result)) return done(std::move(*problem));
    HttpAnswer answer = std::get<HttpAnswer>(std::move(result));
    const size_t bytes = answer.response.body.size();
    auto read = [run, output, redirect, method = std::move(method), answer = std::move(answer),
                 done = std::move(done)]() mutable {
      done(ReadAnswer(answer, {output, redirect, method}, *run));
    };
    if (bytes <= kReadAtOnceBytes) return read();
    threads->Post(std::move(read));
  };
  StartExchange(tools.http, run, std::move(call.request), call.credentials, redirect,
                std::move(receive));
}

void RunHttp(const RunnerTools& tools, std::shared_ptr<TaskRun> run, OutcomeFn done) {
  const dsl::Template& arguments = run->work().arguments;
  const std::optional<dsl::Template> place = MemberOf(arguments, "endpoint");
  if (!place.has_value()) return done(ArgumentProblem("call http without an endpoint"));
  auto endpoint = ResolveEndpoint(*place, run.get());
  if (auto* problem = std::get_if<v1::Problem>(&endpoint)) return done(std::move(*problem));
  absl::StatusOr<HttpCall> call = ReadArguments(arguments, std::get<Endpoint>(endpoint), *run);
  if (!call.ok()) return done(run->ToProblem(call.status()));
  SendCall(tools, std::move(run), *std::move(call), std::move(done));
}

}  // namespace jaque
