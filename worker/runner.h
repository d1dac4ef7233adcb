// SPDX-License-Identifier: Apache-2.0
// The work of one attempt, by kind. Each runner evaluates the arguments on the calling thread
// (bounded, see base/limits.h), starts the work and returns; `done` is called once, on any thread,
// also when the run is cancelled or out of time. It must only post or be quick.
#pragma once

#include <memory>

#include "worker/http_client.h"
#include "worker/openapi_document.h"
#include "worker/outcome.h"
#include "worker/process_runner.h"
#include "worker/task_run.h"
#include "worker/threads.h"

namespace jaque {

// What runners work with; all outlive the work.
struct RunnerTools {
  HttpClient* http = nullptr;
  ProcessRunner* processes = nullptr;
  OpenApiDocuments* documents = nullptr;
  Threads* threads = nullptr;
};

void RunHttp(const RunnerTools& tools, std::shared_ptr<TaskRun> run, OutcomeFn done);
void RunOpenApi(const RunnerTools& tools, std::shared_ptr<TaskRun> run, OutcomeFn done);
void RunShell(const RunnerTools& tools, std::shared_ptr<TaskRun> run, OutcomeFn done);
void RunScript(const RunnerTools& tools, std::shared_ptr<TaskRun> run, OutcomeFn done);

// The one that the task's kind names.
void RunTask(const RunnerTools& tools, std::shared_ptr<TaskRun> run, OutcomeFn done);

}  // namespace jaque
