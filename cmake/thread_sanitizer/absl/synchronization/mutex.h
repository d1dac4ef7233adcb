// SPDX-License-Identifier: Apache-2.0
// Stands before abseil's header of the same name in builds with SANITIZE=thread, and only there:
// the distribution's libabsl is not instrumented, so the sanitizer does not see the order that its
// Mutex makes and would report races everywhere. This one is made of std::mutex, which it does see.
// The part of abseil's interface that jaque uses; waits wake up at every unlock.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <type_traits>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/base/const_init.h"
#include "absl/base/thread_annotations.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace absl {

class Condition {
 public:
  template <typename T>
  Condition(bool (*holds)(T*), T* argument) : holds_([=] { return holds(argument); }) {}
  template <typename T>
  Condition(T* object, bool (T::*holds)()) : holds_([=] { return (object->*holds)(); }) {}
  template <typename T>
  Condition(const T* object, bool (T::*holds)() const)
      : holds_([=] { return (object->*holds)(); }) {}
  explicit Condition(const bool* flag) : holds_([flag] { return *flag; }) {}
  template <typename F, typename = decltype(std::declval<const F&>().operator()())>
  explicit Condition(const F* holds) : holds_([holds] { return (*holds)(); }) {}
  bool Eval() const { return holds_(); }

 private:
  std::function<bool()> holds_;
};

class ABSL_LOCKABLE Mutex {
 public:
  Mutex() = default;
  explicit Mutex(ConstInitType) {}
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  bool TryLock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) { return mutex_.try_lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() {
    changed_.notify_all();  // before the unlock: after it the mutex may be gone
    mutex_.unlock();
  }
  void ReaderLock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { Lock(); }
  void ReaderUnlock() ABSL_UNLOCK_FUNCTION() { Unlock(); }
  void AssertHeld() const ABSL_ASSERT_EXCLUSIVE_LOCK() {}

  void Await(const Condition& condition) { AwaitWithTimeout(condition, Hours(24)); }
  bool AwaitWithTimeout(const Condition& condition, Duration timeout) {
    std::unique_lock<std::mutex> held(mutex_, std::adopt_lock);
    const bool holds = changed_.wait_for(held, ToChronoNanoseconds(std::min(timeout, Hours(24))),
                                         [&] { return condition.Eval(); });
    held.release();
    return holds;
  }

 private:
  friend class CondVar;
  std::mutex mutex_;
  std::condition_variable changed_;
};

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) {
    mutex_->Lock();
  }
  MutexLock(Mutex* mutex, const Condition& condition) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex)
      : mutex_(mutex) {
    mutex_->Lock();
    mutex_->Await(condition);
  }
  MutexLock(const MutexLock&) = delete;
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_->Unlock(); }

 private:
  Mutex* const mutex_;
};

using ReaderMutexLock = MutexLock;
using WriterMutexLock = MutexLock;

class CondVar {
 public:
  void Wait(Mutex* mutex) { WaitWithTimeout(mutex, Hours(24)); }
  // True if the time is over.
  bool WaitWithTimeout(Mutex* mutex, Duration timeout) {
    std::unique_lock<std::mutex> held(mutex->mutex_, std::adopt_lock);
    const bool over =
        signalled_.wait_for(held, ToChronoNanoseconds(std::min(timeout, Hours(24)))) ==
        std::cv_status::timeout;
    held.release();
    return over;
  }
  void Signal() { signalled_.notify_one(); }
  void SignalAll() { signalled_.notify_all(); }

 private:
  std::condition_variable signalled_;
};

}  // namespace absl
