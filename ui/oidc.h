// SPDX-License-Identifier: Apache-2.0
// -auth oidc: callers by the JWTs of an OpenID Connect issuer. Its keys are found by discovery,
// kept for limits::kKeySetSeconds, and fetched again when a token names one that is not known, at
// most every few seconds; fetching happens on a thread of libcurl's, tokens that wait for it are
// answered then.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "ui/authenticator.h"

namespace jaque::ui {

struct OidcOptions {
  std::string issuer, audience;
  std::string roles_claim = "roles";
  std::string ca_file;  // PEM, trusted beside the system's authorities
};

// InvalidArgument: an issuer that is neither https nor on loopback. `clock` judges tokens and
// fetching, `network_clock` (a real one) drives requests; both outlive it.
absl::StatusOr<std::unique_ptr<Authenticator>> MakeOidc(const OidcOptions& options,
                                                        const Clock* clock,
                                                        const Clock* network_clock);

}  // namespace jaque::ui
