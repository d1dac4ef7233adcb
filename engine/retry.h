// SPDX-License-Identifier: Apache-2.0
// How long a retry waits (reference, "Retry" and "Backoff"). Pure, saturating.
#pragma once

#include "absl/time/time.h"
#include "dsl/model.h"

namespace jaque::engine {

// The wait before retry `n` (1 for the first): constant d, d, d; linear d, 2d, 3d; exponential d,
// 2d, 4d. Never more than limits::kRetryDelaySeconds, never less than zero.
absl::Duration RetryDelay(dsl::RetryPolicy::Backoff backoff, absl::Duration delay, int n);

// A duration in [from, to], chosen by `unit` in [0, 1).
absl::Duration Jitter(absl::Duration from, absl::Duration to, double unit);

}  // namespace jaque::engine
