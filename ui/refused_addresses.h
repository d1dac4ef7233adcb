// SPDX-License-Identifier: Apache-2.0
// Who sends tokens that are refused, by address: after limits::kRefusedTokens within a minute an
// address has to wait, so that nobody tries tokens for ever, and trying costs us no signature to
// check. Addresses that are remembered are bounded; the one that was refused longest ago goes
// first. Any thread.
#pragma once

#include <cstddef>
#include <list>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/limits.h"

namespace jaque::ui {

class RefusedAddresses {
 public:
  // The clock outlives it.
  explicit RefusedAddresses(const Clock* clock, size_t remembered = limits::kAddressesRemembered)
      : clock_(clock), remembered_(remembered) {}

  // A token from there was refused.
  void Note(const std::string& address);
  // How long nothing of it is looked at any more; zero for almost everybody.
  absl::Duration WaitOf(const std::string& address);

 private:
  struct Entry {
    std::string address;
    int refused = 0;       // since
    absl::Duration since;  // the minute began
  };
  using Entries = std::list<Entry>;  // the last one was refused longest ago

  const Clock* const clock_;
  const size_t remembered_;
  absl::Mutex mutex_;
  Entries entries_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Entries::iterator> by_address_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace jaque::ui
