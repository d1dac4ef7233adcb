// SPDX-License-Identifier: Apache-2.0
// JSON Schema (draft 2020-12, and what draft 7 documents commonly use) over Value. Compiled once,
// any thread. Bounded: hostile schemas and data cost at most steps in proportion to their size.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "expression/value.h"

namespace jaque::dsl {

class Schema {
 public:
  virtual ~Schema() = default;
  // OK, or InvalidArgument whose message names each violation: "/path: message; " (a few).
  virtual absl::Status Validate(const Value& value) const = 0;
};

// InvalidArgument with a JSON pointer into the schema if it is no valid schema.
absl::StatusOr<std::shared_ptr<const Schema>> CompileSchema(const Value& document);

}  // namespace jaque::dsl
