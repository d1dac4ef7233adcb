// SPDX-License-Identifier: Apache-2.0
// Joining text for messages. (The distribution's abseil has a string_view of its own, so
// absl::StrCat does not take std::string_view.) Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace jaque::dsl {

template <typename Part>
void AppendTo(std::string* out, const Part& part) {
  if constexpr (std::is_integral_v<Part>) {
    out->append(std::to_string(part));
  } else {
    out->append(std::string_view(part));
  }
}

// Text and whole numbers, one after the other.
template <typename... Parts>
std::string Cat(const Parts&... parts) {
  std::string text;
  (AppendTo(&text, parts), ...);
  return text;
}
template <typename... Parts>
void Append(std::string* out, const Parts&... parts) {
  (AppendTo(out, parts), ...);
}

}  // namespace jaque::dsl
