// SPDX-License-Identifier: Apache-2.0
// The difference of two texts by lines, as `diff -u` shows it (Myers 1986). Bounded: texts that
// differ in very much are shown as one removed and the other added. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace jaque::ui {

// Empty if they are equal.
std::string UnifiedDiff(std::string_view before, std::string_view after,
                        std::string_view before_name, std::string_view after_name);

}  // namespace jaque::ui
