// SPDX-License-Identifier: Apache-2.0
// Lets callbacks in until it is closed; Close waits for those inside, so that what they use may be
// destroyed. A callback may close its own gate if no other thread is inside. Any thread.
#pragma once

#include <algorithm>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace jaque {

class Gate {
 public:
  // False if closed; else Leave must follow on this thread.
  bool Enter() {
    absl::MutexLock lock(&mutex_);
    if (closed_) return false;
    inside_.push_back(std::this_thread::get_id());
    return true;
  }

  void Leave() {
    absl::MutexLock lock(&mutex_);
    inside_.erase(std::find(inside_.begin(), inside_.end(), std::this_thread::get_id()));
  }

  void Close() {
    absl::MutexLock lock(&mutex_);
    closed_ = true;
    const auto self = std::this_thread::get_id();
    const auto alone = [this, self]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return std::all_of(inside_.begin(), inside_.end(), [self](auto id) { return id == self; });
    };
    mutex_.Await(absl::Condition(&alone));
  }

 private:
  absl::Mutex mutex_;
  std::vector<std::thread::id> inside_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

// Enters for a scope; false if the gate is closed.
class GatePass {
 public:
  explicit GatePass(Gate* gate) : gate_(gate->Enter() ? gate : nullptr) {}
  ~GatePass() {
    if (gate_ != nullptr) gate_->Leave();
  }
  GatePass(const GatePass&) = delete;
  GatePass& operator=(const GatePass&) = delete;
  explicit operator bool() const { return gate_ != nullptr; }

 private:
  Gate* const gate_;
};

}  // namespace jaque
