// SPDX-License-Identifier: Apache-2.0
// The second half of call http and call openapi: a request that is ready is sent, its answer read.
// The first half of call http is RunHttp (worker/runner.h).
#pragma once

#include <memory>
#include <string>

#include "worker/http_arguments.h"
#include "worker/runner.h"

namespace jaque {

struct HttpCall {
  HttpRequest request;
  Credentials credentials;
  std::string method;  // as the author wrote it
  HttpOutput output = HttpOutput::kContent;
  bool redirect = false;
};

void SendCall(const RunnerTools& tools, std::shared_ptr<TaskRun> run, HttpCall call,
              OutcomeFn done);

}  // namespace jaque
