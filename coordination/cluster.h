// SPDX-License-Identifier: Apache-2.0
// This process's part in the cluster: its announcement, what it knows of the others, the view that
// they agree on, and the thread that keeps all that up. On memory there is none of it. Built,
// joined and left once, by one thread; the rest by any. Callbacks come on the cluster's own thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "base/ticker.h"
#include "coordination/kv_store.h"
#include "coordination/membership.h"
#include "coordination/view.h"

namespace jaque {

struct ClusterOptions {
  MembershipOptions membership;
  uint32_t shards = 0;  // of an engine: checked against the cluster's; 0: not an engine
};

class Cluster {
 public:
  struct Callbacks {
    // Each new view, in order. Of an engine only.
    std::function<void(const v1::View&)> changed;
    // A newer process has taken this id: this one must exit. Once.
    std::function<void()> superseded;
  };

  // `members` is the bucket of the process's role, `cluster` that of the view (null if it is no
  // engine). Both outlive this. The clock is a real one.
  Cluster(const Clock* clock, KvStore* members, KvStore* cluster, const ClusterOptions& options,
          Callbacks callbacks);
  ~Cluster();

  // FailedPrecondition if the cluster has another number of shards.
  absl::Status Join();
  // Takes the announcement back, and waits until the others have agreed on a view without this
  // process, for two seconds at most: until then it serves what it owns.
  void Leave();

  bool cut_off() const { return membership_.cut_off(); }
  std::vector<MemberStatus> Members() { return membership_.Judge(); }
  v1::View view() const { return keeper_ == nullptr ? v1::View() : keeper_->view(); }

 private:
  void Tick();
  bool InView() const;

  const Clock* const clock_;
  KvStore* const cluster_;
  const ClusterOptions options_;
  const Callbacks callbacks_;
  absl::Mutex tick_mutex_;  // Tick and Leave do not overlap
  Membership membership_;
  std::unique_ptr<ViewKeeper> keeper_;
  bool told_superseded_ ABSL_GUARDED_BY(tick_mutex_) = false;
  std::unique_ptr<Ticker> ticker_;  // goes first
};

}  // namespace jaque
