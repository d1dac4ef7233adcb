// SPDX-License-Identifier: Apache-2.0
// Ids that follow from a text, so that whoever makes them again makes the same. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jaque {

// The first bytes, up to 32, of the text's SHA-256 in hexadecimal digits.
std::string Fingerprint(std::string_view text, size_t bytes);

}  // namespace jaque
