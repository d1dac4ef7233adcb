// SPDX-License-Identifier: Apache-2.0
#include "base/ticker.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"

namespace jaque {

Ticker::Ticker(const Clock* clock) : clock_(clock), thread_([this] { Run(); }) {}

Ticker::~Ticker() { Stop(); }

void Ticker::Every(absl::Duration interval, std::function<void()> call) {
  JAQUE_CHECK(interval > absl::ZeroDuration());
  absl::MutexLock lock(&mutex_);
  entries_.push_back({interval, clock_->Monotonic() + interval, std::move(call)});
  changed_.Signal();
}

void Ticker::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
    changed_.Signal();
  }
  if (thread_.joinable()) thread_.join();
}

std::vector<std::function<void()>> Ticker::TakeDue(absl::Duration now) {
  std::vector<std::function<void()>> due;
  for (Entry& entry : entries_) {
    if (entry.due > now) continue;
    entry.due = now + entry.interval;
    due.push_back(entry.call);
  }
  return due;
}

void Ticker::Run() {
  while (true) {
    std::vector<std::function<void()>> due;
    {
      absl::MutexLock lock(&mutex_);
      if (stopped_) return;
      const absl::Duration now = clock_->Monotonic();
      due = TakeDue(now);
      if (due.empty()) {
        absl::Duration next = absl::InfiniteDuration();
        for (const Entry& entry : entries_) next = std::min(next, entry.due - now);
        changed_.WaitWithTimeout(&mutex_, next);
        continue;
      }
    }
    for (const std::function<void()>& call : due) call();
  }
}

}  // namespace jaque
