// SPDX-License-Identifier: Apache-2.0
// As mutex.h beside it: abseil's BlockingCounter for builds with SANITIZE=thread.
#pragma once

#include "absl/synchronization/mutex.h"

namespace absl {

class BlockingCounter {
 public:
  explicit BlockingCounter(int count) : count_(count) {}
  bool DecrementCount() {
    MutexLock lock(&mutex_);
    return --count_ == 0;
  }
  void Wait() {
    MutexLock lock(&mutex_);
    const auto done = [this] { return count_ == 0; };
    mutex_.Await(Condition(&done));
  }

 private:
  Mutex mutex_;
  int count_;
};

}  // namespace absl
