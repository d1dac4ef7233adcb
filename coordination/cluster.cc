// SPDX-License-Identifier: Apache-2.0
#include "coordination/cluster.h"

#include <utility>

#include "absl/synchronization/notification.h"
#include "base/logging.h"
#include "base/metrics.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace jaque {
namespace {

constexpr absl::Duration kPulse = absl::Milliseconds(25);
constexpr absl::Duration kLeavePatience = absl::Seconds(2);

}  // namespace

Cluster::Cluster(const Clock* clock, KvStore* members, KvStore* cluster,
                 const ClusterOptions& options, Callbacks callbacks)
    : clock_(clock),
      cluster_(cluster),
      options_(options),
      callbacks_(std::move(callbacks)),
      membership_(clock, members, options.membership) {
  if (cluster == nullptr) return;
  keeper_ = std::make_unique<ViewKeeper>(clock, cluster, kViewKey, [this](const v1::View& view) {
    Metrics& metrics = ProcessMetrics();
    metrics.view_changes.Increment();
    metrics.view_epoch.Set(static_cast<double>(view.epoch()));
    metrics.members.Set(view.members_size());
    LogInfo("view", {{"epoch", view.epoch()}, {"members", view.members_size()}});
    callbacks_.changed(view);
  });
}

Cluster::~Cluster() { ticker_.reset(); }

absl::Status Cluster::Join() {
  if (cluster_ != nullptr) RETURN_IF_ERROR(EnsureShards(*cluster_, options_.shards));
  RETURN_IF_ERROR(membership_.Join());
  if (keeper_ != nullptr) RETURN_IF_ERROR(keeper_->Start());
  ticker_ = std::make_unique<Ticker>(clock_);
  ticker_->Every(kPulse, [this] { Tick(); });
  return absl::OkStatus();
}

void Cluster::Tick() {
  absl::MutexLock lock(&tick_mutex_);
  const bool was_cut_off = membership_.cut_off();
  membership_.Tick();
  if (membership_.cut_off() != was_cut_off) {
    ProcessMetrics().cut_off.Set(was_cut_off ? 0 : 1);
    if (was_cut_off) {
      LogInfo("the coordination store is back");
    } else {
      LogWarn("the coordination store cannot be reached: nobody is judged, nothing moves");
    }
  }
  if (membership_.superseded()) {
    if (!std::exchange(told_superseded_, true)) callbacks_.superseded();
    return;
  }
  if (keeper_ != nullptr) keeper_->Tick(membership_.Judge());
}

bool Cluster::InView() const {
  const v1::View present = view();
  for (const v1::ViewMember& member : present.members()) {
    if (member.id() == options_.membership.self.id()) return true;
  }
  return false;
}

void Cluster::Leave() {
  if (ticker_ == nullptr) return;
  {
    absl::MutexLock lock(&tick_mutex_);
    const absl::Status left = membership_.Leave();
    if (!left.ok()) LogWarn("could not leave the cluster", {{"why", Message(left)}});
  }
  const absl::Duration deadline = clock_->Monotonic() + kLeavePatience;
  const bool others = view().members_size() > 1;
  while (others && InView() && !membership_.superseded() && clock_->Monotonic() < deadline) {
    absl::Notification never;
    never.WaitForNotificationWithTimeout(kPulse);
  }
  ticker_.reset();
}

}  // namespace jaque
