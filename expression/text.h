// SPDX-License-Identifier: Apache-2.0
// Joins pieces of text (abseil's StrCat here does not take std::string_view). Any thread.
#pragma once

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

}  // namespace jaque::expression
