// SPDX-License-Identifier: Apache-2.0
// Who sends a request: siblings token_file (-auth tokens) and oidc (-auth oidc). Authenticate is
// called on the server's threads and must not block; Tick once a second by the process.
#pragma once

#include <functional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "ui/access.h"

namespace jaque::ui {

class Authenticator {
 public:
  // Unauthenticated says, without the token, what is wrong with it; Unavailable: nobody can tell
  // now. Called exactly once, on any thread.
  using Answer = absl::AnyInvocable<void(absl::StatusOr<Caller>)>;

  virtual ~Authenticator() = default;
  virtual void Authenticate(const std::string& token, Answer answer) = 0;
  virtual void Tick() = 0;
};

}  // namespace jaque::ui
