// SPDX-License-Identifier: Apache-2.0
// Announces this process in the bucket of its role and watches the others. Tick is called about ten
// times in a third of the lifetime, by one thread that may wait for the store (cmd/ owns it; tests
// step it); the rest by any thread. Callbacks of the store come on its threads.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/random.h"
#include "coordination/kv_store.h"
#include "coordination/liveness.h"

namespace jaque {

struct MembershipOptions {
  v1::Member self;  // its incarnation is chosen at Join
  absl::Duration ttl = absl::Seconds(10);
  uint64_t seed = 0;  // of the jitter
};

class Membership {
 public:
  // The store, a bucket whose entries live for `ttl`, outlives this.
  Membership(const Clock* clock, KvStore* store, const MembershipOptions& options);
  ~Membership();

  // Announces this process, as the newest under its id, and reads who else is there.
  absl::Status Join();
  // Refreshes the announcement and reads all entries when it is time for that.
  void Tick();
  // Takes the announcement back, so that the others need not wait for its end. Not while Tick runs.
  absl::Status Leave();

  // Empty while nobody can be judged: before Join, and while cut off.
  std::vector<MemberStatus> Judge();

  // Its own refreshes fail: no news is no evidence now.
  bool cut_off() const { return cut_off_.load(); }
  // A newer process has taken this id: this one must exit.
  bool superseded() const { return superseded_.load(); }
  // Chosen by Join.
  v1::Member self() const;

 private:
  absl::Status Announce();
  absl::Status Refresh();
  absl::Status ReadAll();
  // The watch is mute: its server has gone, or forgot it.
  void WatchAnew();
  void OnEntry(const KvEntry& entry);
  void OnReached(absl::Duration now);

  const Clock* const clock_;
  KvStore* const store_;
  const MembershipOptions options_;
  std::atomic<bool> cut_off_ = false, superseded_ = false;
  // Only Join, Tick and Leave, which do not overlap, touch these.
  Random random_;
  uint64_t revision_ = 0;                                    // of the own entry
  absl::Duration refreshed_at_ = -absl::InfiniteDuration();  // when the last refresh began
  absl::Duration refresh_at_ = absl::InfiniteDuration(), read_at_ = absl::InfiniteDuration();

  mutable absl::Mutex mutex_;
  v1::Member self_ ABSL_GUARDED_BY(mutex_);
  Liveness liveness_ ABSL_GUARDED_BY(mutex_);
  bool joined_ ABSL_GUARDED_BY(mutex_) = false;
  // When its own announcement was told last: proof that it would hear of the others'.
  absl::Duration heard_self_at_ ABSL_GUARDED_BY(mutex_) = -absl::InfiniteDuration();
  std::unique_ptr<KvStore::Subscription> watch_;  // goes first
};

}  // namespace jaque
