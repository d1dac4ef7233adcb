// SPDX-License-Identifier: Apache-2.0
// Authentication policies of the DSL (reference, "Authentication"): basic, bearer and digest,
// inline or `use: <secret>`. Resolved on the worker, so that credentials never enter the log. Pure
// but for the run that they are resolved for; the run's thread.
#pragma once

#include <string>
#include <variant>

#include "dsl/template.h"
#include "expression/value.h"
#include "worker/http_client.h"
#include "worker/outcome.h"
#include "worker/task_run.h"

namespace jaque {

struct Credentials {
  enum class Scheme { kNone, kBasic, kBearer, kDigest };
  Scheme scheme = Scheme::kNone;
  std::string username, password;  // basic, digest
  std::string token;               // bearer

  // Sets the header, or the digest that answers a challenge; replaces a header of the author's.
  void ApplyTo(HttpRequest* request) const;
  // {scheme, parameter}; null without a scheme. The parameter of digest, made for each request, is
  // null.
  Value Descriptor() const;
};

// Evaluates `policy` (nullptr: none), reads the secret that it names, hides the credentials in the
// run's messages and makes them known to expressions as `$authorization`.
std::variant<Credentials, v1::Problem> ResolveAuthentication(const dsl::Template* policy,
                                                             TaskRun* run);

}  // namespace jaque
