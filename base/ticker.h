// SPDX-License-Identifier: Apache-2.0
// One thread that calls functions at intervals of the real clock: the pulse behind ExpireOverdue of
// the memory siblings. Used by cmd/ only (tests step time themselves). Functions run one after
// another on the ticker's thread with no lock held; one that runs late is not made up for.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"

namespace jaque {

class Ticker {
 public:
  Ticker() : Ticker(&SystemClock()) {}
  explicit Ticker(const Clock* clock);
  ~Ticker();  // Stop
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  // The first call comes one interval from now; interval > 0.
  void Every(absl::Duration interval, std::function<void()> call);

  // After Stop nothing is called any more. Not from a called function.
  void Stop();

 private:
  struct Entry {
    absl::Duration interval;
    absl::Duration due;
    std::function<void()> call;
  };
  void Run();
  // The functions that are due at `now`; moves their next time.
  std::vector<std::function<void()>> TakeDue(absl::Duration now) ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  const Clock* const clock_;
  absl::Mutex mutex_;
  absl::CondVar changed_;
  std::vector<Entry> entries_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace jaque
