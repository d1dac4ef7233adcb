// SPDX-License-Identifier: Apache-2.0
// CompileSchema (dsl/schema.h) for a caller that wants the place of a mistake as a value.
#pragma once

#include <memory>
#include <string>

#include "dsl/schema.h"

namespace jaque::dsl {

struct SchemaProblem {
  std::string pointer;  // into the schema
  std::string message;
};

// nullptr after filling `problem`.
std::shared_ptr<const Schema> CompileSchema(const Value& document, SchemaProblem* problem);

}  // namespace jaque::dsl
