// SPDX-License-Identifier: Apache-2.0
// A clock that stands still until a test moves it. Any thread.
#pragma once

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"

namespace jaque {

class SimulatedClock final : public Clock {
 public:
  explicit SimulatedClock(absl::Time start = absl::FromUnixSeconds(1'800'000'000)) : now_(start) {}

  absl::Time Now() const override {
    absl::MutexLock lock(&mutex_);
    return now_;
  }
  absl::Duration Monotonic() const override { return Now() - absl::UnixEpoch(); }

  void Advance(absl::Duration by) {
    absl::MutexLock lock(&mutex_);
    now_ += by;
  }

 private:
  mutable absl::Mutex mutex_;
  absl::Time now_;
};

}  // namespace jaque
