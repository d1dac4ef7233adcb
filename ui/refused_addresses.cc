// SPDX-License-Identifier: Apache-2.0
#include "ui/refused_addresses.h"

#include <algorithm>

namespace jaque::ui {
namespace {

constexpr absl::Duration kMinute = absl::Minutes(1);

}  // namespace

void RefusedAddresses::Note(const std::string& address) {
  const absl::Duration now = clock_->Monotonic();
  absl::MutexLock lock(&mutex_);
  auto [found, is_new] = by_address_.try_emplace(address);
  if (is_new) {
    entries_.push_front({address, 0, now});
    found->second = entries_.begin();
  } else {
    entries_.splice(entries_.begin(), entries_, found->second);
  }
  Entry& entry = entries_.front();
  if (now - entry.since >= kMinute) entry = {address, 0, now};
  ++entry.refused;
  if (entries_.size() > remembered_) {
    by_address_.erase(entries_.back().address);
    entries_.pop_back();
  }
}

absl::Duration RefusedAddresses::WaitOf(const std::string& address) {
  const absl::Duration now = clock_->Monotonic();
  absl::MutexLock lock(&mutex_);
  const auto found = by_address_.find(address);
  if (found == by_address_.end() || found->second->refused < limits::kRefusedTokens) {
    return absl::ZeroDuration();
  }
  return std::max(found->second->since + kMinute - now, absl::ZeroDuration());
}

}  // namespace jaque::ui
