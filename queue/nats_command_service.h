// SPDX-License-Identifier: Apache-2.0
// The serving end of nats_command_bus: one engine's commands, and its claims on the ingress. A
// claim is renewed while its reply is held, acknowledged after an OK reply, and handed back
// otherwise.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "nats/jetstream.h"
#include "queue/nats_command_bus.h"

namespace jaque {

struct NatsServiceSpec {
  std::string subject;       // of commands sent to this engine
  std::string dead_subject;  // of commands given up
  nats::ConsumerSpec ingress;
  NatsCommandBusOptions options;
};

// Requests come over `direct` and `connection`, which may be the same; the ingress is on the
// latter.
std::unique_ptr<CommandBus::Service> ServeOverNats(nats::Connection* connection,
                                                   nats::Connection* direct,
                                                   const NatsServiceSpec& spec,
                                                   CommandBus::Handler handler);

}  // namespace jaque
