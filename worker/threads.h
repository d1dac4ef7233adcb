// SPDX-License-Identifier: Apache-2.0
// A few threads that run what is posted, in the order of posting. For work that costs time but does
// not wait: evaluating arguments, reading answers. Post from any thread.
#pragma once

#include <deque>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"

namespace jaque {

class Threads {
 public:
  explicit Threads(int count);
  ~Threads() { Stop(); }
  // Runs what was posted before, then joins; what is posted later is dropped. Not from one of the
  // threads.
  void Stop();

  void Post(absl::AnyInvocable<void()> work);

 private:
  void Run();
  bool HasNews() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return stopping_ || !work_.empty(); }

  absl::Mutex mutex_;
  std::deque<absl::AnyInvocable<void()>> work_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace jaque
