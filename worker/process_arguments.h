// SPDX-License-Identifier: Apache-2.0
// What run shell and run script share: stdin, arguments and environment from the evaluated task,
// and the output from what the process left (DSL reference, "Run", "Process Result").
// docs/workers.md says what a process sees. Pure but for the environment of this process; the run's
// thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/outcome.h"
#include "worker/process_runner.h"
#include "worker/runner.h"
#include "worker/task_run.h"

namespace jaque {

// Fills stdin, environment and timeout of `spec` and appends the arguments to its argv.
// BadArgument.
absl::Status FillProcess(const Value& with, const TaskRun& run, ProcessSpec* spec);

// Starts it; `done` gets the output in the form that `return` asks for, or the task's input at once
// with `await: false`. `ended` is called when the process is gone.
void StartProcess(const RunnerTools& tools, std::shared_ptr<TaskRun> run, ProcessSpec spec,
                  absl::AnyInvocable<void()> ended, OutcomeFn done);

}  // namespace jaque
