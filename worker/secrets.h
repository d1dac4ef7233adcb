// SPDX-License-Identifier: Apache-2.0
// Where a worker gets secrets from: a folder with one file for each (as orchestrators mount them),
// then the environment variable JAQUE_SECRET_<NAME>. Runners and expressions see only those that
// the definition declares in use.secrets. Any thread; reads a small file, which may block briefly.
// Values must never be logged: worker/redactor.h.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "expression/value.h"

namespace jaque {

class SecretStore {
 public:
  virtual ~SecretStore() = default;

  // NotFound if there is none of that name. A text that is a JSON object or list is that value,
  // every other text is a string, without one line end at its end.
  virtual absl::StatusOr<Value> Get(const std::string& name) const = 0;
};

struct SecretStoreOptions {
  std::string folder;                              // empty: none
  std::map<std::string, std::string> environment;  // the whole one; see SecretEnvironment
};

// InvalidArgument if the folder is named and is none. Files are read anew each time: they may be
// replaced.
absl::StatusOr<std::unique_ptr<SecretStore>> MakeSecretStore(const SecretStoreOptions& options);

// Those variables of this process that hold secrets. Call before other threads change the
// environment.
std::map<std::string, std::string> SecretEnvironment();

}  // namespace jaque
