// SPDX-License-Identifier: Apache-2.0
// The HTTP API (README, "HTTP"): turns requests into commands, definitions and events. It knows
// nothing of ownership: a write goes to the ingress, whichever engine that is. Serve may be called
// on any thread and never blocks; what is slow (validating a definition) runs on a thread of the
// Api's own. Every error is problem details.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/metrics.h"
#include "log/definition_deletion.h"
#include "log/definition_store.h"
#include "queue/command_bus.h"
#include "queue/dead_letters.h"
#include "queue/dead_notifications.h"
#include "queue/event_stream.h"
#include "store/store.h"
#include "ui/authenticator.h"
#include "ui/client_address.h"
#include "ui/cluster_source.h"
#include "ui/http.h"
#include "ui/page.h"
#include "ui/routes.h"
#include "ui/server_info.h"

namespace jaque::ui {

// What the API is built from; all outlive it.
struct ApiParts {
  const Clock* clock = nullptr;
  IdGenerator* ids = nullptr;
  CommandBus* commands = nullptr;
  EventStream* events = nullptr;
  DefinitionStore* definitions = nullptr;
  DefinitionDeletion* deletion = nullptr;           // of the same store
  store::Store* store = nullptr;                    // null: what only it knows is answered with 503
  DeadLetters* dead_commands = nullptr;             // null: nobody keeps them
  DeadNotifications* dead_notifications = nullptr;  // the same
  ClusterSource* cluster = nullptr;                 // null: not shown
  Metrics* metrics = nullptr;
  const PageFiles* page = nullptr;  // null: none is served
  // Why nothing can be changed or asked of an engine now (503); empty: never. The cut is made here
  // because a command on the ingress waits for an engine, durably, and so would its caller.
  std::function<absl::Status()> writable;
  // Without the role ui: /healthz, /readyz and /metrics, which every process has.
  bool operations_only = false;
  // People reach the server by names of its own: it listens beyond loopback, or is behind a proxy,
  // or asks for tokens, which a site that points its name at our address has not.
  bool has_host_name = false;
  Authenticator* authenticator = nullptr;  // null: nobody is asked who they are (-auth none)
  TrustedProxies proxies;
  bool metrics_open = true;  // /metrics answers everybody, like /healthz
  ServerInfo server;
  std::function<absl::Status()> ready;  // OK, or why the process cannot serve yet; empty: always OK
};

class Api {
 public:
  virtual ~Api() = default;
  virtual void Serve(HttpRequest request, HttpReply reply) = 0;
  virtual const Routes& routes() const = 0;
};

std::unique_ptr<Api> MakeApi(const ApiParts& parts);

}  // namespace jaque::ui
