// SPDX-License-Identifier: Apache-2.0
// An event loop: closures posted from any thread and timers, run one after the other. Shards live
// on one executor and share nothing with others. The loop itself has no thread: ExecutorThread
// drives it in the product, a simulation steps it in tests.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"
#include "base/clock.h"

namespace jaque::engine {

class Executor {
 public:
  using Work = absl::AnyInvocable<void()>;

  // Where callbacks of others put work; it may outlive the executor. Any thread.
  class Inbox {
   public:
    // Dropped after Close.
    void Post(Work work);

   private:
    friend class Executor;
    friend class ExecutorThread;
    absl::Mutex mutex_;
    std::vector<Work> posted_ ABSL_GUARDED_BY(mutex_);
    bool closed_ ABSL_GUARDED_BY(mutex_) = false;
    absl::CondVar posted_or_closed_;
  };

  explicit Executor(const Clock* clock) : clock_(clock) {}
  ~Executor() { Close(); }

  const std::shared_ptr<Inbox>& inbox() const { return inbox_; }
  // Any thread.
  void Post(Work work) { inbox_->Post(std::move(work)); }
  void Close();

  // --- the loop's own thread ---
  // Runs `work` at `due` (Unix microseconds) or soon after, never before.
  void At(int64_t due, Work work);
  // Called after each round of posted work: the place to flush what the round gathered.
  void SetAfterRound(Work after_round) { after_round_ = std::move(after_round); }
  // Runs what is posted and due. True if something ran.
  bool RunOnce();
  // When the first timer is due.
  std::optional<int64_t> NextDue() const;
  int64_t Now() const;

 private:
  friend class ExecutorThread;
  struct Timer {
    int64_t due;
    uint64_t order;  // of arming: equal times run in order
    mutable Work work;
    bool operator<(const Timer& other) const {
      return due != other.due ? due > other.due : order > other.order;
    }
  };

  const Clock* const clock_;
  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  std::priority_queue<Timer> timers_;
  uint64_t armed_ = 0;
  Work after_round_;
};

// Drives one executor until it is closed.
class ExecutorThread {
 public:
  explicit ExecutorThread(Executor* executor);
  ~ExecutorThread();  // closes and joins

 private:
  void Loop();

  Executor& executor_;
  std::thread thread_;
};

}  // namespace jaque::engine
