// SPDX-License-Identifier: Apache-2.0
#include "engine/retry.h"

#include <algorithm>

#include "base/limits.h"

namespace jaque::engine {

absl::Duration RetryDelay(dsl::RetryPolicy::Backoff backoff, absl::Duration delay, int n) {
  const absl::Duration cap = absl::Seconds(limits::kRetryDelaySeconds);
  delay = std::clamp(delay, absl::ZeroDuration(), cap);
  switch (backoff) {
    case dsl::RetryPolicy::Backoff::kConstant:
      return delay;
    case dsl::RetryPolicy::Backoff::kLinear:
      return std::min(delay * n, cap);
    case dsl::RetryPolicy::Backoff::kExponential:
      for (int i = 1; i < n && delay < cap && delay > absl::ZeroDuration(); ++i) delay *= 2;
      return std::min(delay, cap);
  }
  return delay;
}

absl::Duration Jitter(absl::Duration from, absl::Duration to, double unit) {
  if (to <= from) return from;
  return from + (to - from) * unit;
}

}  // namespace jaque::engine
