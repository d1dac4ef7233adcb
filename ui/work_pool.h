// SPDX-License-Identifier: Apache-2.0
// The Api's own threads, for handlers that wait for the store or compute for long: the server's
// threads never do. A queue that is full refuses. Any thread.
#pragma once

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"
#include "ui/routes.h"

namespace jaque::ui {

class WorkPool {
 public:
  WorkPool(int threads, size_t queued);
  ~WorkPool() { Join(); }
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  // False if there is too much to do already.
  bool Post(absl::AnyInvocable<void()> work);
  // Hands the call to `work` on a thread of the pool, or answers 503.
  void Run(Call call, std::function<void(Call)> work);
  // Answers the call with what `work` says.
  void Answer(Call call, std::function<HttpResponse(const Call&)> work);

  // Ends what is queued; later posts are refused. May be called again.
  void Join();

 private:
  void Work();
  bool HasWork() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return stopped_ || !queue_.empty(); }

  const size_t queued_;
  absl::Mutex mutex_;
  std::deque<absl::AnyInvocable<void()>> queue_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace jaque::ui
