// SPDX-License-Identifier: Apache-2.0
// run shell: `/bin/sh -c <command> sh <arguments…>`, so that `$1` is the first argument. Data
// reaches the command as arguments and environment, never as shell text.
#include <utility>

#include "worker/http_arguments.h"
#include "worker/process_arguments.h"
#include "worker/runner.h"

namespace jaque {

void RunShell(const RunnerTools& tools, std::shared_ptr<TaskRun> run, OutcomeFn done) {
  absl::StatusOr<Value> with = EvaluateMembers(run->work().arguments, *run);
  if (!with.ok()) return done(run->ToProblem(with.status()));
  const std::string_view command = with->is_object() ? with->StringOr("command", "") : "";
  if (command.empty()) return done(ArgumentProblem("run shell without a command"));
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", std::string(command), "sh"};
  const absl::Status filled = FillProcess(*with, *run, &spec);
  if (!filled.ok()) return done(run->ToProblem(filled));
  StartProcess(
      tools, std::move(run), std::move(spec), [] {}, std::move(done));
}

}  // namespace jaque
