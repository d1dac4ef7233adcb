// SPDX-License-Identifier: Apache-2.0
// Joining text for messages, beside base/text.h. Pure, any thread.
#pragma once

#include <string>

#include "base/text.h"

namespace jaque::dsl {

// As Cat of base/text.h, onto a text that is there already.
template <typename... Parts>
void Append(std::string* out, const Parts&... parts) {
  (AppendTo(out, parts), ...);
}

}  // namespace jaque::dsl
