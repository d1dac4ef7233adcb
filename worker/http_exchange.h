// SPDX-License-Identifier: Apache-2.0
// One HTTP request of a task to its final answer: within the task's time, cancelled with it, over
// redirects where wanted. Rules of redirects: up to limits::kHttpRedirects; 303, and 301 and 302 of
// a POST, go on as GET without body; credentials and cookies are not sent to another origin
// (scheme, host, port). Errors: communication 500 (network), timeout 408, validation 400 (no usable
// URL). A status is no error here. `done` runs on the client's thread, or before StartExchange
// returns.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "absl/functional/any_invocable.h"
#include "worker/authentication.h"
#include "worker/http_client.h"
#include "worker/outcome.h"
#include "worker/task_run.h"

namespace jaque {

struct HttpAnswer {
  HttpResponse response;
  HttpRequest request;  // the first one, with its credentials applied, without body
};

using HttpAnswerFn = absl::AnyInvocable<void(std::variant<HttpAnswer, v1::Problem>)>;

// `client` outlives the exchange.
void StartExchange(HttpClient* client, std::shared_ptr<TaskRun> run, HttpRequest request,
                   const Credentials& credentials, bool follow_redirects, HttpAnswerFn done);

// "GET https://host/path" for messages: no user information, secrets masked.
std::string DescribeRequest(const HttpRequest& request, const TaskRun& run);

}  // namespace jaque
