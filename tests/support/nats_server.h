// SPDX-License-Identifier: Apache-2.0
// A nats-server with JetStream for a test: own process, own temporary store, loopback, a port that
// the kernel chose. Ends, and its store goes, with the object.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace jaque {

class NatsServer {
 public:
  // NotFound if nats-server is not installed.
  static absl::StatusOr<std::unique_ptr<NatsServer>> Start();
  ~NatsServer();

  const std::string& url() const { return url_; }
  pid_t pid() const { return pid_; }

  void Kill();             // SIGKILL, and waits for its end; the store stays
  void Stand();            // SIGSTOP
  void GoOn();             // SIGCONT
  absl::Status Restart();  // on the same port and store; Kill came before

 private:
  NatsServer() = default;
  absl::Status Spawn();
  absl::Status AwaitReady();
  absl::Status AwaitFiles(int changes);  // an inotify descriptor of the folder

  std::string binary_, folder_, url_;
  int port_ = -1;
  pid_t pid_ = -1;
};

}  // namespace jaque
