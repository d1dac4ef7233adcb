// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM as calls on a thread of its own. The signals are handled, never blocked or
// ignored, so that processes which a worker starts get the defaults back. One object at a time, on
// main's stack.
#pragma once

#include <functional>
#include <thread>

namespace jaque::cmd {

class SignalWatch {
 public:
  // `call` gets the signal's number each time one comes.
  explicit SignalWatch(std::function<void(int)> call);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  std::thread thread_;
};

// A write to a closed pipe or socket fails with EPIPE from now on instead of ending the process.
void SurviveBrokenPipes();

}  // namespace jaque::cmd
