// SPDX-License-Identifier: Apache-2.0
// ULIDs (github.com/ulid/spec): 48 bits of milliseconds, 80 bits of randomness, 26 characters of
// Crockford base 32, sorting by time. Ids made within one millisecond increase. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "base/random.h"

namespace jaque {

class IdGenerator {
 public:
  IdGenerator(const Clock* clock, uint64_t seed) : clock_(clock), random_(seed) {}

  std::string Ulid();

 private:
  const Clock* const clock_;
  absl::Mutex mutex_;
  Random random_;
  uint64_t last_millis_ = 0;
  uint64_t high_ = 0;  // the upper 16 random bits
  uint64_t low_ = 0;   // the lower 64 random bits
};

// True for 26 characters of Crockford base 32 that fit 128 bits.
bool IsUlid(std::string_view text);

}  // namespace jaque
