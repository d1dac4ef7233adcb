// SPDX-License-Identifier: Apache-2.0
// The one source of time. Everything that needs the time takes a Clock by constructor, so that
// tests
// step it. Called from any thread; must not block.
#pragma once

#include "absl/time/time.h"

namespace jaque {

class Clock {
 public:
  virtual ~Clock() = default;
  // Wall-clock time, for what people and other processes read.
  virtual absl::Time Now() const = 0;
  // Time since an arbitrary start that never goes back, for measuring intervals.
  virtual absl::Duration Monotonic() const = 0;
};

// The machine's clock; lives for ever.
const Clock& SystemClock();

}  // namespace jaque
