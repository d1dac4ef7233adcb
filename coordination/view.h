// SPDX-License-Identifier: Apache-2.0
// The view: who the members are, agreed by compare-and-set on one key, with an epoch that rises
// with every change. ViewPlanner is pure; ViewKeeper reads and writes the key. A wrong view costs
// movement, never correctness: the log is the fence.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "coordination/kv_store.h"
#include "coordination/liveness.h"
#include "jaque/v1/member.pb.h"

namespace jaque {

inline constexpr char kViewKey[] = "view";  // in the bucket `cluster`

// One thread at a time.
class ViewPlanner {
 public:
  // Changes within `settle` make one view; a list that never settles is proposed after ten times
  // that.
  explicit ViewPlanner(absl::Duration settle = absl::Milliseconds(100)) : settle_(settle) {}

  // False if it is not newer than the present one.
  bool Adopt(const v1::View& view, absl::Duration now);
  const v1::View& view() const { return view_; }

  // The view to propose, if it is time for one. `statuses` empty: nobody can be judged, nothing
  // changes.
  std::optional<v1::View> Plan(const std::vector<MemberStatus>& statuses, absl::Duration now);

 private:
  struct Dropped {
    uint64_t incarnation = 0;
    absl::Duration at;
  };
  // Members as they should be. One that the present view dropped must have been heard of since: two
  // that disagree about a member do not replace each other's views for ever.
  std::vector<v1::ViewMember> Wanted(const std::vector<MemberStatus>& statuses) const;

  const absl::Duration settle_;
  v1::View view_;
  std::map<std::string, Dropped> dropped_;
  std::string wanted_;  // serialized, since `wanted_since_`
  absl::Duration wanted_since_, differs_since_;
  bool differs_ = false;
};

// Tick is called every few tens of milliseconds by one thread that may wait for the store.
class ViewKeeper {
 public:
  // `changed` is called with each new view in order, on the thread of Tick, under no lock.
  ViewKeeper(const Clock* clock, KvStore* store, std::string key,
             std::function<void(const v1::View&)> changed,
             absl::Duration settle = absl::Milliseconds(100));
  ~ViewKeeper();

  // Reads the view and begins to watch it.
  absl::Status Start();
  // Adopts what has been told, and proposes what `statuses` (Membership::Judge) ask for.
  void Tick(const std::vector<MemberStatus>& statuses);

  v1::View view() const;

 private:
  struct Told {
    v1::View view;
    uint64_t revision = 0;
  };
  void OnEntry(const KvEntry& entry);
  void AdoptTold();
  absl::Status Read();

  const Clock* const clock_;
  KvStore* const store_;
  const std::string key_;
  const std::function<void(const v1::View&)> changed_;
  absl::Duration read_at_ = absl::ZeroDuration();  // Tick's thread

  mutable absl::Mutex mutex_;
  ViewPlanner planner_ ABSL_GUARDED_BY(mutex_);
  uint64_t revision_ ABSL_GUARDED_BY(mutex_) = 0;  // of the key, as adopted
  std::optional<Told> told_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<KvStore::Subscription> watch_;  // goes first
};

// Fixes the number of shards for the life of the cluster, or checks it: FailedPrecondition says
// which number the cluster has.
absl::Status EnsureShards(KvStore& store, uint32_t shards);

}  // namespace jaque
