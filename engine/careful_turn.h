// SPDX-License-Identifier: Apache-2.0
// One object at a time in careful mode, whichever of an engine's shards it is in: were several
// marked when the engine dies, nobody would know which it was. Any thread.
#pragma once

#include <deque>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/executor.h"

namespace jaque::engine {

class CarefulTurn {
 public:
  // Posts `granted` when it is the asker's turn, which lasts until Done.
  void Ask(std::shared_ptr<Executor::Inbox> inbox, Executor::Work granted) {
    absl::MutexLock lock(&mutex_);
    asking_.emplace_back(std::move(inbox), std::move(granted));
    if (!taken_) GrantNext();
  }

  void Done() {
    absl::MutexLock lock(&mutex_);
    taken_ = false;
    GrantNext();
  }

 private:
  void GrantNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (asking_.empty()) return;
    taken_ = true;
    auto [inbox, granted] = std::move(asking_.front());
    asking_.pop_front();
    inbox->Post(std::move(granted));
  }

  absl::Mutex mutex_;
  bool taken_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<std::pair<std::shared_ptr<Executor::Inbox>, Executor::Work>> asking_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace jaque::engine
