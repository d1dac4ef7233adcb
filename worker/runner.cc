// SPDX-License-Identifier: Apache-2.0
#include "worker/runner.h"

#include <utility>

namespace jaque {

void RunTask(const RunnerTools& tools, std::shared_ptr<TaskRun> run, OutcomeFn done) {
  switch (run->work().kind) {
    case dsl::WorkerTask::Kind::kHttp:
      return RunHttp(tools, std::move(run), std::move(done));
    case dsl::WorkerTask::Kind::kOpenApi:
      return RunOpenApi(tools, std::move(run), std::move(done));
    case dsl::WorkerTask::Kind::kShell:
      return RunShell(tools, std::move(run), std::move(done));
    case dsl::WorkerTask::Kind::kScript:
      return RunScript(tools, std::move(run), std::move(done));
  }
}

}  // namespace jaque
