// SPDX-License-Identifier: Apache-2.0
// The gate before every handler of the API: who asks (an authenticator says), whether they may what
// the route asks for, and a line in the audit trail for each write. What a caller may not see does
// not exist for them: 404, not 403. Admit runs on the server's threads and never blocks.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/metrics.h"
#include "ui/audit_trail.h"
#include "ui/authenticator.h"
#include "ui/client_address.h"
#include "ui/instance_namespaces.h"
#include "ui/refused_addresses.h"
#include "ui/routes.h"

namespace jaque::ui {

// All outlive the guard.
struct GuardParts {
  const Clock* clock = nullptr;
  Metrics* metrics = nullptr;
  Authenticator* authenticator = nullptr;  // null: nobody is asked (-auth none)
  InstanceNamespaces* namespaces = nullptr;
  AuditTrail* audit = nullptr;
  RefusedAddresses* refused = nullptr;
  TrustedProxies proxies;
};

class Guard {
 public:
  explicit Guard(GuardParts parts) : parts_(std::move(parts)) {}

  // The handler outlives its calls.
  void Admit(const Access& access, Call call, const Routes::Handler& handler) const;

 private:
  void Authenticate(const Access& access, Call call, const Routes::Handler& handler) const;
  void Authorize(const Access& access, Call call, const Routes::Handler& handler) const;
  void AuthorizeInstance(Role role, Call call, const Routes::Handler& handler) const;
  void RecordWhenAnswered(Call* call) const;

  const GuardParts parts_;
};

}  // namespace jaque::ui
