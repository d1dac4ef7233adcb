// SPDX-License-Identifier: Apache-2.0
// Applies compiled rules to values. For schema_compile.cc.
#pragma once

#include <memory>

#include "dsl/schema.h"
#include "dsl/schema_rules.h"

namespace jaque::dsl {

std::shared_ptr<const Schema> MakeSchema(std::shared_ptr<const SchemaRules> rules);

}  // namespace jaque::dsl
