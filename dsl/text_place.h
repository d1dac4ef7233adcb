// SPDX-License-Identifier: Apache-2.0
// Places in a text: where a byte stands, and where a character of a scalar's resolved text was
// written. Pure; used for messages only, so it costs nothing while all is well.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "dsl/node.h"

namespace jaque::dsl {

Place PlaceOfByte(std::string_view text, size_t offset);
// The reverse; text.size() if there is no such place.
size_t ByteOfPlace(std::string_view text, Place place);

// Offset of the first byte that is no valid UTF-8 or is NUL.
std::optional<size_t> FindInvalidByte(std::string_view text);

// Where byte `offset` of the string `node` (as resolved) stands in `text`. For an alias: the alias.
Place PlaceInScalar(std::string_view text, const Node& node, size_t offset);

}  // namespace jaque::dsl
