// SPDX-License-Identifier: Apache-2.0
// Child processes, many at once, fed and read by one thread. Each has a process group of its own,
// an environment that the caller gives whole, and no descriptor of ours but its three pipes.
// Runners call Start and Cancel from any thread; a callback runs exactly once, on the runner's
// thread, and must not block, after the process is dead and reaped. When it ends, whatever is left
// in its group is killed. Errors: NotFound (no such program), InvalidArgument (arguments that no
// process can have), DeadlineExceeded (timeout), ResourceExhausted (too much output), Cancelled,
// Internal (the system).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/limits.h"

namespace jaque {

struct ProcessSpec {
  std::vector<std::string> argv;  // argv[0] is looked up in the PATH of this process
  std::vector<std::pair<std::string, std::string>> environment;
  std::optional<std::string> stdin_bytes;  // absent: /dev/null
  bool keep_output = true;                 // false: stdout and stderr go to /dev/null
  absl::Duration timeout = absl::Seconds(limits::kProcessSeconds);
  size_t output_limit = limits::kProcessOutputBytes;  // of each of stdout and stderr
};

struct ProcessResult {
  int exit_code = 0;  // as a shell has it: 128 + signal if a signal ended it
  int signal = 0;
  std::string out, err;
};

struct ProcessRunnerOptions {
  // Between SIGTERM and SIGKILL, when a process has to go.
  absl::Duration term_grace = absl::Seconds(limits::kProcessGraceSeconds);
};

class ProcessRunner {
 public:
  using Callback = absl::AnyInvocable<void(absl::StatusOr<ProcessResult>)>;

  // `clock` must be a real one and outlive the runner.
  static std::unique_ptr<ProcessRunner> Create(const ProcessRunnerOptions& options,
                                               const Clock* clock);
  // Kills what still runs; its callbacks get Cancelled.
  virtual ~ProcessRunner() = default;

  virtual uint64_t Start(ProcessSpec spec, Callback done) = 0;
  virtual void Cancel(uint64_t id) = 0;
};

}  // namespace jaque
