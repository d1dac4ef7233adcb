// SPDX-License-Identifier: Apache-2.0
// Who may use what serves: the flags of the group "Access", what cannot work among them, and what
// the API needs of them. Main thread, before anything runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "ui/api.h"
#include "ui/authenticator.h"

namespace jaque::cmd {

struct AccessFlags {
  std::string auth;  // none, tokens or oidc; empty: not said
  std::string token_file;
  std::vector<std::string> trusted_proxies;
  bool metrics_open = false;
};

void AddAccessFlags(CLI::App* app, AccessFlags* flags);

// "127.0.0.1:8080": nobody but this machine reaches it.
bool IsLoopback(const std::string& listen);

// `serves_api`: not only /metrics and the like.
absl::Status CheckAccessFlags(const AccessFlags& flags, const std::string& listen, bool serves_api);

// Sets what the API is to ask of its callers. `authenticator` is what it will ask, null for none.
absl::Status SetAccess(const AccessFlags& flags, const std::string& listen,
                       std::unique_ptr<ui::Authenticator>* authenticator, ui::ApiParts* parts);

}  // namespace jaque::cmd
