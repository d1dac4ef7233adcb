// SPDX-License-Identifier: Apache-2.0
#include "worker/threads.h"

#include <utility>

namespace jaque {

Threads::Threads(int count) {
  for (int i = 0; i < count; ++i) threads_.emplace_back([this] { Run(); });
}

void Threads::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Threads::Post(absl::AnyInvocable<void()> work) {
  absl::MutexLock lock(&mutex_);
  if (!stopping_) work_.push_back(std::move(work));
}

void Threads::Run() {
  for (;;) {
    absl::AnyInvocable<void()> work;
    {
      absl::MutexLock lock(&mutex_, absl::Condition(this, &Threads::HasNews));
      if (work_.empty()) return;
      work = std::move(work_.front());
      work_.pop_front();
    }
    work();
  }
}

}  // namespace jaque
