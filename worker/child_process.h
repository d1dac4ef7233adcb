// SPDX-License-Identifier: Apache-2.0
// One child process: spawned with its own process group, its pipes without blocking. Whoever holds
// it kills and reaps it; the descriptors close with it. One thread at a time.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "worker/process_runner.h"

namespace jaque {

// A descriptor that closes with its owner.
class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(other.Take()) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    Reset(other.Take());
    return *this;
  }
  ~OwnedFd() { Reset(); }

  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  int Take() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void Reset(int fd = -1);

 private:
  int fd_ = -1;
};

class ChildProcess {
 public:
  // NotFound, InvalidArgument, Internal as in process_runner.h.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Spawn(const ProcessSpec& spec);

  // To the whole group; harmless once it is gone, wrong once Reap was called.
  void SignalGroup(int signal) const;
  // Call after exit_notice is readable, once.
  void Reap(ProcessResult* result);

  OwnedFd stdin_pipe, stdout_pipe, stderr_pipe;  // ours; closed if not used
  OwnedFd exit_notice;                           // a pidfd: readable when the process has ended

 private:
  ChildProcess() = default;
  pid_t pid_ = -1;
};

}  // namespace jaque
