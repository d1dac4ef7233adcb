// SPDX-License-Identifier: Apache-2.0
// Taking definitions out of use, which every definition store can: none is ever wholly gone. The
// API alone does it. Any thread; Delete may wait for a server.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace jaque {

class DefinitionDeletion {
 public:
  virtual ~DefinitionDeletion() = default;

  // Takes a version out of GetLatest and List. Get still has it: for what runs, for logs and
  // histories. Put of the same text brings it back. NotFound if absent.
  virtual absl::Status Delete(std::string_view id) = 0;
  virtual bool IsDeleted(std::string_view id) = 0;
};

}  // namespace jaque
