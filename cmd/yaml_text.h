// SPDX-License-Identifier: Apache-2.0
// A value as YAML for people; a reader of YAML 1.2 gets the same value back. Pure.
#pragma once

#include <string>

#include "expression/value.h"

namespace jaque::cmd {

// Ends with a line end.
std::string YamlText(const Value& value);

}  // namespace jaque::cmd
