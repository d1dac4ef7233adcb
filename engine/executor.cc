// SPDX-License-Identifier: Apache-2.0
#include "engine/executor.h"

#include <algorithm>
#include <utility>

namespace jaque::engine {

void Executor::Inbox::Post(Work work) {
  absl::MutexLock lock(&mutex_);
  if (closed_) return;
  posted_.push_back(std::move(work));
  if (posted_.size() == 1) posted_or_closed_.Signal();
}

void Executor::Close() {
  std::vector<Work> dropped;  // goes after the lock: what it holds may post
  absl::MutexLock lock(&inbox_->mutex_);
  dropped.swap(inbox_->posted_);
  inbox_->closed_ = true;
  inbox_->posted_or_closed_.Signal();
}

void Executor::At(int64_t due, Work work) { timers_.push({due, armed_++, std::move(work)}); }

bool Executor::RunOnce() {
  std::vector<Work> round;
  {
    absl::MutexLock lock(&inbox_->mutex_);
    round.swap(inbox_->posted_);
  }
  bool ran = !round.empty();
  for (Work& work : round) work();
  const int64_t now = Now();
  while (!timers_.empty() && timers_.top().due <= now) {
    Work work = std::move(timers_.top().work);
    timers_.pop();
    work();
    ran = true;
  }
  if (ran && after_round_) after_round_();
  return ran;
}

std::optional<int64_t> Executor::NextDue() const {
  if (timers_.empty()) return std::nullopt;
  return timers_.top().due;
}

int64_t Executor::Now() const { return absl::ToUnixMicros(clock_->Now()); }

ExecutorThread::ExecutorThread(Executor* executor)
    : executor_(*executor), thread_([this] { Loop(); }) {}

ExecutorThread::~ExecutorThread() {
  executor_.Close();
  thread_.join();
}

void ExecutorThread::Loop() {
  // The wall clock may be set back or forward meanwhile: look again at least once a second.
  constexpr int64_t kLongestSleep = 1'000'000;
  while (true) {
    while (executor_.RunOnce()) {
    }
    const int64_t due = executor_.NextDue().value_or(INT64_MAX);
    const int64_t sleep = std::clamp<int64_t>(due - executor_.Now(), 0, kLongestSleep);
    Executor::Inbox& inbox = *executor_.inbox_;
    absl::MutexLock lock(&inbox.mutex_);
    if (inbox.closed_) return;
    if (!inbox.posted_.empty()) continue;
    inbox.posted_or_closed_.WaitWithTimeout(&inbox.mutex_, absl::Microseconds(sleep));
  }
}

}  // namespace jaque::engine
