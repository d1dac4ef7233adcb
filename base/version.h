// SPDX-License-Identifier: Apache-2.0
// The version that this build says it is (`jaque version`, `$runtime.version`). Any thread.
#pragma once

namespace jaque {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace jaque
