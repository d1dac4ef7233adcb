// SPDX-License-Identifier: Apache-2.0
// JSON Web Tokens (RFC 7519) as bearer tokens: what is in one, and whether its claims hold here.
// The signature is key_set's affair. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "expression/value.h"
#include "ui/access.h"

namespace jaque::ui {

struct JsonWebToken {
  std::string algorithm, key_id;  // as its header says; key_id may be empty
  std::string signed_text;        // header and claims as sent
  std::string signature;          // its bytes
  Value claims;
};

// Unauthenticated for what is no compact JWS with claims, or one that asks for what we do not know
// ("crit").
absl::StatusOr<JsonWebToken> ParseToken(std::string_view token);

// Unauthenticated says which claim does not hold: iss, aud, exp (which must be there), nbf.
absl::Status CheckClaims(const Value& claims, const std::string& issuer,
                         const std::string& audience, absl::Time now);

// The grants in the claim at `path` ("roles", "realm_access.roles": an array, or words in a text).
// What is no role of ours is left out.
Caller CallerOf(const Value& claims, const std::string& path);

}  // namespace jaque::ui
