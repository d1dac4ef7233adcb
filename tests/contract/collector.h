// SPDX-License-Identifier: Apache-2.0
// What callbacks have brought so far, and waiting for more of it. A Backend of a contract test has
// `patience()`, how long to wait for other threads (zero where there are none), and `Step()`, which
// lets time pass where time is simulated.
#pragma once

#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace jaque {

template <typename T>
class Collector {
 public:
  void Put(T item) {
    absl::MutexLock lock(&mutex_);
    items_.push_back(std::move(item));
  }

  // True as soon as there are `count` items, false if they do not come within about a minute.
  template <typename Backend>
  bool Await(Backend& backend, size_t count) {
    constexpr int kSteps = 1'200;
    for (int i = 0; i < kSteps; ++i) {
      {
        absl::MutexLock lock(&mutex_);
        const auto enough = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
          return items_.size() >= count;
        };
        if (mutex_.AwaitWithTimeout(absl::Condition(&enough), backend.patience())) return true;
      }
      backend.Step();
    }
    return false;
  }

  // The first item, awaited; a default one if none comes.
  template <typename Backend>
  T First(Backend& backend) {
    if (!Await(backend, 1)) return T();
    absl::MutexLock lock(&mutex_);
    return std::move(items_.front());
  }

  std::vector<T> Take() {
    absl::MutexLock lock(&mutex_);
    return std::exchange(items_, {});
  }

  size_t size() const {
    absl::MutexLock lock(&mutex_);
    return items_.size();
  }

 private:
  mutable absl::Mutex mutex_;
  std::vector<T> items_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace jaque
