// SPDX-License-Identifier: Apache-2.0
// Who changed what, when, from where: one line of the log for each write, and a row of the store
// where there is one. Record may be called on any thread and never blocks: a thread of the trail's
// own waits for the store.
#pragma once

#include <deque>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "store/store.h"

namespace jaque::ui {

class AuditTrail {
 public:
  explicit AuditTrail(store::Store* store);  // null: the log alone
  ~AuditTrail();                             // stores what it has been given
  AuditTrail(const AuditTrail&) = delete;
  AuditTrail& operator=(const AuditTrail&) = delete;

  void Record(store::AuditEntry entry);

 private:
  void Run();
  bool HasWork() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return stopped_ || !waiting_.empty(); }

  store::Store* const store_;
  absl::Mutex mutex_;
  std::deque<store::AuditEntry> waiting_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // only with a store
};

}  // namespace jaque::ui
