// SPDX-License-Identifier: Apache-2.0
// UTF-8 for the expression room: validity, repair, code points. Any thread; no errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace jaque {

inline constexpr char32_t kReplacement = 0xFFFD;

bool Utf8Valid(std::string_view bytes);
// Each maximal bad part becomes U+FFFD.
std::string Utf8Repaired(std::string_view bytes);
// Surrogates and what is past U+10FFFF become U+FFFD.
void AppendUtf8(char32_t code_point, std::string* out);
// The code point at `*at` of a valid text; moves `*at` past it.
char32_t NextCodePoint(std::string_view valid, size_t* at);
// Code points in a valid text.
size_t CodePoints(std::string_view valid);
// Byte offset of code point number `n`, the text's size if it has fewer.
size_t ByteOffset(std::string_view valid, size_t n);

}  // namespace jaque
