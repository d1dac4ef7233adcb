// SPDX-License-Identifier: Apache-2.0
// Called with each task before it is begun, if set: a test program dies there. Null in the product.
#pragma once

#include <atomic>

#include "dsl/model.h"

namespace jaque::engine {

inline std::atomic<void (*)(const dsl::Task&)> step_probe = nullptr;

}  // namespace jaque::engine
