// SPDX-License-Identifier: Apache-2.0
// As mutex.h beside it: abseil's Notification for builds with SANITIZE=thread.
#pragma once

#include "absl/synchronization/mutex.h"

namespace absl {

class Notification {
 public:
  void Notify() {
    MutexLock lock(&mutex_);
    notified_ = true;
  }
  bool HasBeenNotified() const {
    MutexLock lock(&mutex_);
    return notified_;
  }
  void WaitForNotification() const {
    MutexLock lock(&mutex_);
    mutex_.Await(Condition(&notified_));
  }
  bool WaitForNotificationWithTimeout(Duration timeout) const {
    MutexLock lock(&mutex_);
    return mutex_.AwaitWithTimeout(Condition(&notified_), timeout);
  }

 private:
  mutable Mutex mutex_;
  bool notified_ = false;
};

}  // namespace absl
