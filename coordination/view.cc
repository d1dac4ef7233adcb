// SPDX-License-Identifier: Apache-2.0
#include "coordination/view.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace jaque {
namespace {

constexpr int kImpatience = 10;                          // settle times
constexpr absl::Duration kReadEvery = absl::Seconds(2);  // should the watch be silent
constexpr char kShardsKey[] = "shards";

const v1::ViewMember* FindMember(const v1::View& view, const std::string& id) {
  for (const v1::ViewMember& member : view.members()) {
    if (member.id() == id) return &member;
  }
  return nullptr;
}

v1::View ViewOf(uint64_t epoch, const std::vector<v1::ViewMember>& members) {
  v1::View view;
  view.set_epoch(epoch);
  for (const v1::ViewMember& member : members) *view.add_members() = member;
  return view;
}

}  // namespace

bool ViewPlanner::Adopt(const v1::View& view, absl::Duration now) {
  if (view.epoch() <= view_.epoch()) return false;
  for (const v1::ViewMember& before : view_.members()) {
    if (FindMember(view, before.id()) == nullptr)
      dropped_[before.id()] = {before.incarnation(), now};
  }
  for (const v1::ViewMember& member : view.members()) dropped_.erase(member.id());
  view_ = view;
  differs_ = false;
  return true;
}

std::vector<v1::ViewMember> ViewPlanner::Wanted(const std::vector<MemberStatus>& statuses) const {
  std::vector<v1::ViewMember> wanted;
  for (const MemberStatus& status : statuses) {
    if (status.state == MemberState::kDead) continue;
    const auto dropped = dropped_.find(status.member.id());
    if (dropped != dropped_.end() && status.heard_at <= dropped->second.at &&
        status.member.incarnation() == dropped->second.incarnation) {
      continue;
    }
    v1::ViewMember& member = wanted.emplace_back();
    member.set_id(status.member.id());
    member.set_incarnation(status.member.incarnation());
    member.set_weight(status.member.weight());
  }
  std::sort(wanted.begin(), wanted.end(),
            [](const auto& a, const auto& b) { return a.id() < b.id(); });
  return wanted;
}

std::optional<v1::View> ViewPlanner::Plan(const std::vector<MemberStatus>& statuses,
                                          absl::Duration now) {
  const std::vector<v1::ViewMember> wanted = Wanted(statuses);
  const std::string same_epoch = ViewOf(view_.epoch(), wanted).SerializeAsString();
  if (wanted.empty() || same_epoch == view_.SerializeAsString()) {
    differs_ = false;
    return std::nullopt;
  }
  if (!differs_) {
    differs_ = true;
    differs_since_ = now;
    wanted_.clear();
  }
  if (std::exchange(wanted_, same_epoch) != same_epoch) wanted_since_ = now;
  const bool settled = now - wanted_since_ >= settle_;
  if (!settled && now - differs_since_ < settle_ * kImpatience) return std::nullopt;
  return ViewOf(view_.epoch() + 1, wanted);
}

ViewKeeper::ViewKeeper(const Clock* clock, KvStore* store, std::string key,
                       std::function<void(const v1::View&)> changed, absl::Duration settle)
    : clock_(clock),
      store_(store),
      key_(std::move(key)),
      changed_(std::move(changed)),
      planner_(settle) {}

ViewKeeper::~ViewKeeper() = default;

absl::Status ViewKeeper::Start() {
  watch_ = store_->Watch([this](const KvEntry& entry) { OnEntry(entry); });
  RETURN_IF_ERROR(Read());
  AdoptTold();
  return absl::OkStatus();
}

v1::View ViewKeeper::view() const {
  absl::MutexLock lock(&mutex_);
  return planner_.view();
}

void ViewKeeper::OnEntry(const KvEntry& entry) {
  v1::View view;
  if (entry.key != key_ || entry.deleted || !view.ParseFromString(entry.value)) return;
  absl::MutexLock lock(&mutex_);
  if (!told_ || told_->revision < entry.revision) told_ = Told{std::move(view), entry.revision};
}

absl::Status ViewKeeper::Read() {
  read_at_ = clock_->Monotonic() + kReadEvery;
  const auto entry = store_->Get(key_);
  if (absl::IsNotFound(entry.status())) {
    // None yet, or somebody deleted it: the next proposal makes it anew, with a higher epoch.
    absl::MutexLock lock(&mutex_);
    revision_ = 0;
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(entry.status());
  OnEntry(*entry);
  return absl::OkStatus();
}

void ViewKeeper::AdoptTold() {
  v1::View adopted;
  {
    absl::MutexLock lock(&mutex_);
    if (!told_) return;
    const Told told = *std::exchange(told_, std::nullopt);
    if (told.revision <= revision_) return;
    revision_ = told.revision;
    if (!planner_.Adopt(told.view, clock_->Monotonic())) return;
    adopted = told.view;
  }
  changed_(adopted);
}

void ViewKeeper::Tick(const std::vector<MemberStatus>& statuses) {
  if (clock_->Monotonic() >= read_at_) Read().IgnoreError();  // asked again after kReadEvery
  AdoptTold();
  std::optional<v1::View> proposal;
  uint64_t revision = 0;
  {
    absl::MutexLock lock(&mutex_);
    proposal = planner_.Plan(statuses, clock_->Monotonic());
    revision = revision_;
  }
  if (!proposal) return;
  const auto written = store_->Update(key_, proposal->SerializeAsString(), revision);
  if (written.ok()) {
    OnEntry({key_, proposal->SerializeAsString(), *written, false});
  } else if (!Read().ok()) {
    return;  // the winner's view, or what became of ours, is read later
  }
  AdoptTold();
}

absl::Status EnsureShards(KvStore& store, uint32_t shards) {
  const auto written = store.Update(kShardsKey, absl::StrCat(shards), 0);
  if (written.ok()) return absl::OkStatus();
  if (!absl::IsAborted(written.status())) return written.status();
  ASSIGN_OR_RETURN(const KvEntry entry, store.Get(kShardsKey));
  uint32_t found = 0;
  if (absl::SimpleAtoi(entry.value, &found) && found == shards) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("this cluster has ", entry.value,
                                                    " shards for life, not ", shards,
                                                    ": start with -shards ", entry.value));
}

}  // namespace jaque
