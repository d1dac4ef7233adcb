// SPDX-License-Identifier: Apache-2.0
// Joining text for messages. The distribution's abseil is built with a string_view of its own, so
// that absl::StrCat does not take std::string_view, nor Status::message() give one. Pure, any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace jaque {

inline std::string_view ToStd(absl::string_view text) { return {text.data(), text.size()}; }
inline std::string_view Message(const absl::Status& status) { return ToStd(status.message()); }

template <typename Part>
void AppendTo(std::string* out, const Part& part) {
  if constexpr (std::is_integral_v<Part>) {
    out->append(std::to_string(part));
  } else if constexpr (std::is_same_v<Part, absl::string_view>) {
    out->append(part.data(), part.size());
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

}  // namespace jaque
