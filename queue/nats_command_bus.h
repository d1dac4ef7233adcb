// SPDX-License-Identifier: Apache-2.0
// Commands over NATS: requests on <prefix>.cmd.<engine-id>, and the stream <PREFIX>_INGRESS, from
// whose one consumer the engines pull. What is given up goes to the stream <PREFIX>_DEAD with the
// reason. Any thread; callbacks come on the library's threads. Replies carry a bad status in the
// header Jaque-Status.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/limits.h"
#include "nats/connection.h"
#include "nats/names.h"
#include "queue/command_bus.h"

namespace jaque {

struct NatsCommandBusOptions {
  int replicas = 1;
  size_t capacity = limits::kQueuedCommands;  // submitted calls that wait for replies
  int ingress_attempts = limits::kIngressAttempts;
  absl::Duration ingress_backoff = absl::Milliseconds(50);  // doubles with each attempt, to 10 s
  // Of a claim whose holder has died; those alive renew theirs. The same in all processes.
  absl::Duration ack_wait = absl::Seconds(10);
  size_t claims = 4'096;  // held by one service at a time
};

class NatsCommandBus final : public CommandBus {
 public:
  using Options = NatsCommandBusOptions;

  // Makes or checks the streams and the consumer on `connection`. Requests to an engine go over
  // `direct`, which may be the same, and over `connection` while `direct` is away. Both outlive the
  // bus.
  static absl::StatusOr<std::unique_ptr<NatsCommandBus>> Open(nats::Connection* connection,
                                                              nats::Connection* direct,
                                                              const nats::Names& names,
                                                              const Options& options = {});
  ~NatsCommandBus() override;  // drops waiting calls of Submit uncalled

  void Send(const std::string& engine_id, std::string command, absl::Duration timeout,
            ReplyFn reply) override;
  void Submit(std::string command, const std::string& command_id, absl::Duration timeout,
              ReplyFn reply) override;
  std::unique_ptr<Service> Serve(const std::string& engine_id, Handler handler) override;

 private:
  class Submitter;
  NatsCommandBus(nats::Connection* connection, nats::Connection* direct, const nats::Names& names,
                 const Options& options);

  nats::Connection* const connection_;
  nats::Connection* const direct_;
  const nats::Names names_;
  const Options options_;
  std::shared_ptr<Submitter> submitter_;
  std::unique_ptr<nats::Connection::Subscription> replies_;
  std::unique_ptr<nats::Connection::Listener> listener_;
};

}  // namespace jaque
