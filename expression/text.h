// SPDX-License-Identifier: Apache-2.0
// Joins pieces of text (abseil's StrCat here does not take std::string_view), finds parts. Any
// thread.
#pragma once

#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

namespace jaque::expression {

inline std::string Join(std::initializer_list<std::string_view> pieces) {
  size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  std::string text;
  text.reserve(size);
  for (const std::string_view piece : pieces) text.append(piece);
  return text;
}

// Position of `part` in `text` from `from` on, npos if it is not there. In linear time, which
// std::string_view::find is not.
inline size_t FindPart(std::string_view text, std::string_view part, size_t from) {
  if (from > text.size()) return std::string_view::npos;
  const void* found = ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace jaque::expression
