// SPDX-License-Identifier: Apache-2.0
#include "cmd/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "base/status_macros.h"

namespace jaque::cmd {
namespace {

// The handler can reach nothing but globals. 0 ends the watching thread.
int g_pipe[2] = {-1, -1};

void OnSignal(int number) {
  const unsigned char byte = static_cast<unsigned char>(number);
  // A full pipe means that many are waiting already.
  [[maybe_unused]] const ssize_t written = write(g_pipe[1], &byte, 1);
}

void Handle(int number, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, nullptr);
}

}  // namespace

SignalWatch::SignalWatch(std::function<void(int)> call) {
  JAQUE_CHECK(pipe2(g_pipe, O_CLOEXEC) == 0);
  fcntl(g_pipe[1], F_SETFL, O_NONBLOCK);
  thread_ = std::thread([call = std::move(call)] {
    unsigned char byte = 0;
    while (read(g_pipe[0], &byte, 1) == 1 && byte != 0) call(byte);
  });
  Handle(SIGINT, OnSignal);
  Handle(SIGTERM, OnSignal);
}

SignalWatch::~SignalWatch() {
  Handle(SIGINT, SIG_DFL);
  Handle(SIGTERM, SIG_DFL);
  OnSignal(0);
  thread_.join();
  close(g_pipe[0]);
  close(g_pipe[1]);
}

void SurviveBrokenPipes() {
  // Not SIG_IGN: that would be inherited by every process that a worker starts.
  Handle(SIGPIPE, [](int) {});
  // A file as large as it may be is a write that fails.
  Handle(SIGXFSZ, [](int) {});
}

}  // namespace jaque::cmd
