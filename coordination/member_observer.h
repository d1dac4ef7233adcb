// SPDX-License-Identifier: Apache-2.0
// Watches the members of one role without being one of them, for those who show the cluster. Judge
// may be called on any thread; the store calls back on its own.
#pragma once

#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "coordination/kv_store.h"
#include "coordination/liveness.h"

namespace jaque {

class MemberObserver {
 public:
  // The store, a bucket whose entries live for `ttl`, outlives this.
  MemberObserver(const Clock* clock, KvStore* store, absl::Duration ttl);

  std::vector<MemberStatus> Judge();

 private:
  void OnEntry(const KvEntry& entry);

  const Clock* const clock_;
  absl::Mutex mutex_;
  Liveness liveness_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<KvStore::Subscription> watch_;  // goes first
};

}  // namespace jaque
