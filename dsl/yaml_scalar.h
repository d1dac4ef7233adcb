// SPDX-License-Identifier: Apache-2.0
// The core schema of YAML 1.2.2 (section 10.3): what a plain scalar means. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "expression/value.h"

namespace jaque::dsl {

// `no`, `on` and `yes` are strings; 0o17 and 0x1F are integers. InvalidArgument for .inf and .nan,
// which JSON cannot hold.
absl::StatusOr<Value> ResolvePlainScalar(std::string_view text);

// A JSON number as a definition writes it: 1e3 is the integer 1000, others keep their text. nullopt
// if it is none.
std::optional<Value> DefinitionNumber(std::string_view json);

// A scalar with a tag of the core schema ("tag:yaml.org,2002:int" …). InvalidArgument for other
// tags and where the text is no such thing.
absl::StatusOr<Value> ResolveTaggedScalar(std::string_view tag, std::string_view text);

// "!!int" for "tag:yaml.org,2002:int", others as they are.
std::string ShortTag(std::string_view tag);

}  // namespace jaque::dsl
