// SPDX-License-Identifier: Apache-2.0
// What access needs of OpenSSL beside TLS: digests, random bytes, base64url. Pure but for the
// random bytes; any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace jaque::ui {

using Sha256 = std::array<unsigned char, 32>;

Sha256 DigestOf(std::string_view text);
std::string HexOf(const Sha256& digest);
std::optional<Sha256> ParseHex(std::string_view hex);
// Takes as long wherever they differ.
bool SameDigest(const Sha256& a, const Sha256& b);

std::string RandomBytes(size_t size);

// Without padding (RFC 4648, section 5).
std::string ToBase64Url(std::string_view bytes);
// nullopt for other letters, padding, or bits that are left over.
std::optional<std::string> FromBase64Url(std::string_view text);

}  // namespace jaque::ui
