// SPDX-License-Identifier: Apache-2.0
// Who may use what serves: the flags of the group "Access", what cannot work among them, and what
// the API needs of them. Main thread, before anything runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "ui/api.h"
#include "ui/authenticator.h"
#include "ui/tls_certificate.h"

namespace jaque::cmd {

struct AccessFlags {
  std::string auth;  // none, tokens or oidc; empty: not said
  std::string token_file;
  std::string oidc_issuer, oidc_audience, oidc_roles_claim = "roles", oidc_ca;
  std::string tls_certificate, tls_key;
  std::vector<std::string> trusted_proxies;
  bool metrics_open = false;
};

void AddAccessFlags(CLI::App* app, AccessFlags* flags);

// "127.0.0.1:8080": nobody but this machine reaches it.
bool IsLoopback(const std::string& listen);

// `serves_api`: not only /metrics and the like.
absl::Status CheckAccessFlags(const AccessFlags& flags, const std::string& listen, bool serves_api);

// What stands at the door. Tick once a second, on any one thread.
struct Door {
  std::unique_ptr<ui::Authenticator> authenticator;  // null: nobody is asked
  std::unique_ptr<ui::TlsCertificate> certificate;   // null: no TLS

  void Tick() const;
};

// Also sets what the API is to ask of its callers, but for the authenticator.
absl::StatusOr<Door> MakeDoor(const AccessFlags& flags, const std::string& listen,
                              const Clock* clock, ui::ApiParts* parts);

}  // namespace jaque::cmd
