// SPDX-License-Identifier: Apache-2.0
// The public keys of an issuer (JSON Web Key Set, RFC 7517), and whether one of them signed a
// token: RS256, ES256 and EdDSA (Ed25519) by OpenSSL. What a key is decides the algorithm, never
// the token: "none" and the HMACs are none of these. Any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ui/json_web_token.h"

struct evp_pkey_st;

namespace jaque::ui {

class KeySet {
 public:
  // Keys of other kinds, for encryption or too short are left out. InvalidArgument for what is no
  // set.
  static absl::StatusOr<KeySet> Parse(std::string_view json);

  // NotFound: there is no key of that id. Unauthenticated: the signature is not that key's, or the
  // algorithm not one of it.
  absl::Status Verify(const JsonWebToken& token) const;

  size_t size() const { return keys_.size(); }

 private:
  struct Key {
    std::string id, algorithm;
    std::shared_ptr<evp_pkey_st> key;
  };

  std::vector<Key> keys_;
};

}  // namespace jaque::ui
