// SPDX-License-Identifier: Apache-2.0
// A nats-server with JetStream for a test: own process, own temporary store, loopback, ports that
// the kernel chose. It ends, and its store goes, with the object, and with the test should that
// crash. One thread.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace jaque {

class NatsServer {
 public:
  // NotFound if nats-server is not installed.
  static absl::StatusOr<std::unique_ptr<NatsServer>> Start();
  // `count` servers, connected with each other; they choose leaders within some seconds.
  static absl::StatusOr<std::vector<std::unique_ptr<NatsServer>>> StartCluster(int count);
  ~NatsServer();

  const std::string& url() const { return url_; }
  const std::string& name() const { return name_; }
  pid_t pid() const { return pid_; }

  void Kill();             // SIGKILL, and waits for its end; the store stays
  void Stand();            // SIGSTOP, and waits until it stands
  void GoOn();             // SIGCONT
  absl::Status Restart();  // on the same ports and store; Kill came before

 private:
  NatsServer() = default;
  static absl::StatusOr<std::unique_ptr<NatsServer>> StartNamed(const std::string& name,
                                                                const std::string& routes,
                                                                const std::string& cluster);
  std::vector<std::string> CommandLine() const;
  absl::Status Spawn();
  absl::Status AwaitReady();
  absl::Status AwaitFiles(int changes);  // an inotify descriptor of the folder

  std::string binary_, folder_, url_;
  std::string name_, routes_, cluster_url_;  // name_ empty: a server of its own
  std::string port_ = "-1";
  pid_t pid_ = -1;
};

}  // namespace jaque
