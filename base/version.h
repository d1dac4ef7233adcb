// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace jaque {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace jaque
