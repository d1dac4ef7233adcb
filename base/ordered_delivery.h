// SPDX-License-Identifier: Apache-2.0
// Hands items to one callback in order, one at a time, never under a lock. Push may be called under
// the pusher's own lock; Drain must not. Whoever drains first delivers for all: a second drainer
// returns at once, and so does one inside the callback. Any thread.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace jaque {

template <typename T>
class OrderedDelivery {
 public:
  using Visit = std::function<void(const T&)>;
  explicit OrderedDelivery(Visit visit) : visit_(std::move(visit)) {}

  void Push(T item) {
    absl::MutexLock lock(&mutex_);
    if (!closed_) items_.push_back(std::move(item));
  }

  // The caller holds a reference to this object until Drain returns.
  void Drain() {
    {
      absl::MutexLock lock(&mutex_);
      if (draining_) return;
      draining_ = true;
      drainer_ = std::this_thread::get_id();
    }
    while (auto item = Next()) visit_(*item);
  }

  // After Close the callback runs no more, except where Close is called inside it.
  void Close() {
    absl::MutexLock lock(&mutex_);
    closed_ = true;
    items_.clear();
    if (draining_ && drainer_ == std::this_thread::get_id()) return;
    mutex_.Await(absl::Condition(
        +[](bool* draining) { return !*draining; }, &draining_));
  }

 private:
  std::optional<T> Next() {
    absl::MutexLock lock(&mutex_);
    if (items_.empty()) {
      draining_ = false;
      return std::nullopt;
    }
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  const Visit visit_;
  absl::Mutex mutex_;
  std::deque<T> items_ ABSL_GUARDED_BY(mutex_);
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread::id drainer_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace jaque
