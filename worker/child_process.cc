// SPDX-License-Identifier: Apache-2.0
#include "worker/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/status_macros.h"
#include "base/text.h"

namespace jaque {
namespace {

// Our end and the child's end of a pipe, both above 2 so that setting up the child's 0, 1 and 2
// cannot overwrite one of them.
struct Pipe {
  OwnedFd ours, theirs;
};

absl::Status SystemError(std::string_view what, int error) {
  return absl::InternalError(Cat(what, ": ", std::string_view(strerror(error))));
}

absl::Status MoveUp(OwnedFd* fd) {
  if (fd->get() > 2) return absl::OkStatus();
  const int moved = fcntl(fd->get(), F_DUPFD_CLOEXEC, 3);
  if (moved < 0) return SystemError("fcntl", errno);
  fd->Reset(moved);
  return absl::OkStatus();
}

absl::StatusOr<Pipe> MakePipe(bool child_reads) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SystemError("pipe", errno);
  Pipe pipe{OwnedFd(ends[child_reads ? 1 : 0]), OwnedFd(ends[child_reads ? 0 : 1])};
  RETURN_IF_ERROR(MoveUp(&pipe.ours));
  RETURN_IF_ERROR(MoveUp(&pipe.theirs));
  // The flag belongs to our end alone: programs do not expect EAGAIN on theirs.
  fcntl(pipe.ours.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

absl::StatusOr<OwnedFd> OpenNull() {
  OwnedFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.open()) return SystemError("/dev/null", errno);
  RETURN_IF_ERROR(MoveUp(&null));
  return null;
}

class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    // Own group, no blocked signal, default handlers whatever this process has set.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

absl::Status CheckStrings(const ProcessSpec& spec) {
  const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (spec.argv.empty()) return absl::InvalidArgumentError("no program");
  for (const std::string& argument : spec.argv) {
    if (has_nul(argument)) {
      return absl::InvalidArgumentError("an argument contains the character NUL");
    }
  }
  for (const auto& [name, value] : spec.environment) {
    if (name.empty() || name.find('=') != std::string::npos || has_nul(name)) {
      return absl::InvalidArgumentError(
          Cat("\"", name, "\" cannot be the name of an environment variable"));
    }
    if (has_nul(value)) {
      return absl::InvalidArgumentError(
          Cat("the environment variable ", name, " contains the character NUL"));
    }
  }
  return absl::OkStatus();
}

absl::Status SpawnStatus(int error, const std::string& program) {
  // EACCES: some folder of the PATH may not be read, or the file found may not be run.
  if (error == ENOENT || error == EACCES) {
    return absl::NotFoundError(
        Cat("the program ", program, " is not in the worker's PATH, or may not be run"));
  }
  if (error == E2BIG) {
    return absl::InvalidArgumentError(
        "arguments and environment are larger than the system allows (128 KiB each, 2 MiB "
        "together)");
  }
  return SystemError(Cat("cannot start ", program), error);
}

// The child's descriptors 0, 1 and 2; whoever gets them must outlive posix_spawn.
struct ChildEnds {
  OwnedFd null;
  Pipe in, out, err;
};

absl::StatusOr<ChildEnds> MakeChildEnds(const ProcessSpec& spec) {
  ChildEnds ends;
  ASSIGN_OR_RETURN(ends.null, OpenNull());
  if (spec.stdin_bytes.has_value()) {
    ASSIGN_OR_RETURN(ends.in, MakePipe(true));
  }
  if (spec.keep_output) {
    ASSIGN_OR_RETURN(ends.out, MakePipe(false));
    ASSIGN_OR_RETURN(ends.err, MakePipe(false));
  }
  return ends;
}

}  // namespace

void OwnedFd::Reset(int fd) {
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
}

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Spawn(const ProcessSpec& spec) {
  RETURN_IF_ERROR(CheckStrings(spec));
  ASSIGN_OR_RETURN(ChildEnds ends, MakeChildEnds(spec));
  SpawnSettings settings;
  const auto connect = [&](const Pipe& pipe, int target) {
    const int fd = pipe.theirs.open() ? pipe.theirs.get() : ends.null.get();
    posix_spawn_file_actions_adddup2(&settings.actions, fd, target);
  };
  connect(ends.in, 0);
  connect(ends.out, 1);
  connect(ends.err, 2);
  posix_spawn_file_actions_addclosefrom_np(&settings.actions, 3);

  std::vector<char*> argv;
  for (const std::string& argument : spec.argv) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<std::string> variables;
  for (const auto& [name, value] : spec.environment) variables.push_back(Cat(name, "=", value));
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);

  std::unique_ptr<ChildProcess> child(new ChildProcess);
  const int error = posix_spawnp(&child->pid_, argv[0], &settings.actions, &settings.attributes,
                                 argv.data(), environment.data());
  if (error != 0) return SpawnStatus(error, spec.argv[0]);
  child->exit_notice.Reset(static_cast<int>(syscall(SYS_pidfd_open, child->pid_, 0)));
  if (!child->exit_notice.open()) {
    const int reason = errno;
    child->SignalGroup(SIGKILL);
    waitpid(child->pid_, nullptr, 0);
    return SystemError("pidfd_open", reason);
  }
  child->stdin_pipe = std::move(ends.in.ours);
  child->stdout_pipe = std::move(ends.out.ours);
  child->stderr_pipe = std::move(ends.err.ours);
  return child;
}

void ChildProcess::SignalGroup(int signal) const { kill(-pid_, signal); }

void ChildProcess::Reap(ProcessResult* result) {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + result->signal;
}

}  // namespace jaque
