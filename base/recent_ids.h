// SPDX-License-Identifier: Apache-2.0
// Ids seen within a window of time, each with a number (a sequence), at most `capacity` of them:
// what makes a repeated publish harmless. One thread at a time; the caller passes the time
// (monotonic).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace jaque {

class RecentIds {
 public:
  RecentIds(absl::Duration window, size_t capacity) : window_(window), capacity_(capacity) {}

  std::optional<uint64_t> Find(const std::string& id, absl::Duration now) {
    Expire(now);
    auto found = numbers_.find(id);
    if (found == numbers_.end()) return std::nullopt;
    return found->second;
  }

  // `id` is new: Find has just said so.
  void Insert(std::string id, uint64_t number, absl::Duration now) {
    if (capacity_ == 0) return;
    while (order_.size() >= capacity_) DropOldest();
    if (numbers_.emplace(id, number).second) order_.emplace_back(now, std::move(id));
  }

  size_t size() const { return numbers_.size(); }

 private:
  void Expire(absl::Duration now) {
    while (!order_.empty() && now - order_.front().first >= window_) DropOldest();
  }
  void DropOldest() {
    numbers_.erase(order_.front().second);
    order_.pop_front();
  }

  const absl::Duration window_;
  const size_t capacity_;
  absl::flat_hash_map<std::string, uint64_t> numbers_;
  std::deque<std::pair<absl::Duration, std::string>> order_;
};

}  // namespace jaque
