// SPDX-License-Identifier: Apache-2.0
#include "expression/utf8.h"

#include <cstring>

namespace jaque {
namespace {

bool Continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// Bytes of the well-formed sequence at `at`, or 0; then `*bad` is the length of the bad part (the
// longest prefix of a well-formed sequence, Unicode's "maximal subpart").
size_t SequenceLength(std::string_view text, size_t at, size_t* bad) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  *bad = 1;
  size_t length = 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF)
    length = 2;
  else if (lead >= 0xE0 && lead <= 0xEF)
    length = 3;
  else if (lead >= 0xF0 && lead <= 0xF4)
    length = 4;
  else
    return 0;
  for (size_t i = 1; i < length; ++i) {
    if (at + i >= text.size() || !Continues(byte(i))) return 0;
    if (i == 1) {
      const unsigned char second = byte(1);
      if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
          (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
        return 0;
      }
    }
    *bad = i + 1;
  }
  return length;
}

// Length of the ASCII prefix.
size_t AsciiPrefix(std::string_view text, size_t at) {
  const size_t start = at;
  while (at + 8 <= text.size()) {
    uint64_t word;
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & 0x8080808080808080ULL) != 0) break;
    at += 8;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at - start;
}

}  // namespace

bool Utf8Valid(std::string_view bytes) {
  size_t at = AsciiPrefix(bytes, 0);
  while (at < bytes.size()) {
    size_t bad;
    const size_t length = SequenceLength(bytes, at, &bad);
    if (length == 0) return false;
    at += length;
    at += AsciiPrefix(bytes, at);
  }
  return true;
}

std::string Utf8Repaired(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + 8);
  for (size_t at = 0; at < bytes.size();) {
    size_t bad;
    const size_t length = SequenceLength(bytes, at, &bad);
    if (length == 0) {
      AppendUtf8(kReplacement, &out);
      at += bad;
    } else {
      out.append(bytes, at, length);
      at += length;
    }
  }
  return out;
}

void AppendUtf8(char32_t c, std::string* out) {
  if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = kReplacement;
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
    return;
  }
  if (c < 0x800) {
    out->push_back(static_cast<char>(0xC0 | c >> 6));
  } else {
    if (c < 0x10000) {
      out->push_back(static_cast<char>(0xE0 | c >> 12));
    } else {
      out->push_back(static_cast<char>(0xF0 | c >> 18));
      out->push_back(static_cast<char>(0x80 | (c >> 12 & 0x3F)));
    }
    out->push_back(static_cast<char>(0x80 | (c >> 6 & 0x3F)));
  }
  out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
}

char32_t NextCodePoint(std::string_view valid, size_t* at) {
  const auto next = [&] { return static_cast<unsigned char>(valid[(*at)++]); };
  const unsigned char lead = next();
  if (lead < 0x80) return lead;
  const int more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  char32_t c = lead & (0x3F >> more);
  for (int i = 0; i < more && *at < valid.size(); ++i) c = c << 6 | (next() & 0x3F);
  return c;
}

size_t CodePoints(std::string_view valid) {
  size_t n = 0;
  for (const char byte : valid) n += !Continues(static_cast<unsigned char>(byte));
  return n;
}

size_t ByteOffset(std::string_view valid, size_t n) {
  size_t at = 0;
  for (; at < valid.size() && n > 0; --n) {
    ++at;
    while (at < valid.size() && Continues(static_cast<unsigned char>(valid[at]))) ++at;
  }
  return at;
}

}  // namespace jaque
