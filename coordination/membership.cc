// SPDX-License-Identifier: Apache-2.0
#include "coordination/membership.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace jaque {

Membership::Membership(const Clock* clock, KvStore* store, const MembershipOptions& options)
    : clock_(clock),
      store_(store),
      options_(options),
      random_(options.seed),
      self_(options.self),
      liveness_(options.ttl) {}

Membership::~Membership() = default;

v1::Member Membership::self() const {
  absl::MutexLock lock(&mutex_);
  return self_;
}

absl::Status Membership::Join() {
  refreshed_at_ = clock_->Monotonic();
  RETURN_IF_ERROR(Announce());
  watch_ = store_->Watch([this](const KvEntry& entry) { OnEntry(entry); });
  RETURN_IF_ERROR(ReadAll());
  const absl::Duration now = clock_->Monotonic();
  refresh_at_ = now + options_.ttl / 3;
  read_at_ = now + options_.ttl;
  absl::MutexLock lock(&mutex_);
  joined_ = true;
  return absl::OkStatus();
}

// Above whatever is announced under this id, whatever the clocks say.
absl::Status Membership::Announce() {
  constexpr int kAttempts = 10;
  absl::Status last;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto before = store_->Get(options_.self.id());
    if (!before.ok() && !absl::IsNotFound(before.status())) return before.status();
    v1::Member self = options_.self;
    v1::Member other;
    if (before.ok()) other.ParseFromString(before->value);
    self.set_incarnation(std::max<uint64_t>(
        other.incarnation() + 1, static_cast<uint64_t>(absl::ToUnixMicros(clock_->Now()))));
    const auto written =
        store_->Update(self.id(), self.SerializeAsString(), before.ok() ? before->revision : 0);
    last = written.status();
    if (absl::IsAborted(last)) continue;  // somebody else under this id, at this very moment
    RETURN_IF_ERROR(last);
    revision_ = *written;
    absl::MutexLock lock(&mutex_);
    self_ = std::move(self);
    return absl::OkStatus();
  }
  return last;
}

void Membership::Tick() {
  if (superseded() || refresh_at_ == absl::InfiniteDuration()) return;
  absl::Duration now = clock_->Monotonic();
  if (now >= refresh_at_) {
    const bool mute = [&] {
      absl::MutexLock lock(&mutex_);
      return heard_self_at_ < refreshed_at_;
    }();
    refreshed_at_ = now;
    const absl::Status refreshed = Refresh();
    now = clock_->Monotonic();
    if (refreshed.ok()) OnReached(now);
    if (refreshed.ok() && mute) WatchAnew();
    if (!refreshed.ok() && !superseded()) cut_off_ = true;
    // A store that is away is asked again soon, not by all at the same moment.
    const absl::Duration third = options_.ttl / 3;
    refresh_at_ = now + (refreshed.ok() ? third : third / 4 * (0.5 + random_.Unit()));
  }
  if (now >= read_at_ && !cut_off()) {
    read_at_ = now + options_.ttl * (0.75 + random_.Unit() / 2);
    if (!ReadAll().ok()) read_at_ = now + options_.ttl / 3;
  }
}

// What went by while the store was away counts against nobody.
void Membership::OnReached(absl::Duration now) {
  absl::MutexLock lock(&mutex_);
  if (cut_off()) liveness_.Pardon(now);
  cut_off_ = false;
}

void Membership::WatchAnew() {
  watch_ = store_->Watch([this](const KvEntry& entry) { OnEntry(entry); });
  ReadAll().IgnoreError();  // tried again with the next refresh
}

absl::Status Membership::Refresh() {
  const v1::Member self = this->self();
  const auto written = store_->Update(self.id(), self.SerializeAsString(), revision_);
  if (written.ok()) {
    revision_ = *written;
    return absl::OkStatus();
  }
  if (!absl::IsAborted(written.status())) return written.status();
  // The entry is not what this process wrote last: gone, written by another process of this id, or
  // by this one in a write whose answer was lost.
  const auto found = store_->Get(self.id());
  if (!found.ok() && !absl::IsNotFound(found.status())) return found.status();
  if (found.ok()) {
    v1::Member other;
    if (other.ParseFromString(found->value) && other.incarnation() > self.incarnation()) {
      superseded_ = true;
      return absl::FailedPreconditionError(
          absl::StrCat("another process has taken the id ", self.id()));
    }
  }
  const auto again =
      store_->Update(self.id(), self.SerializeAsString(), found.ok() ? found->revision : 0);
  RETURN_IF_ERROR(again.status());
  revision_ = *again;
  return absl::OkStatus();
}

absl::Status Membership::ReadAll() {
  ASSIGN_OR_RETURN(const std::vector<KvEntry> entries, store_->List());
  for (const KvEntry& entry : entries) OnEntry(entry);
  return absl::OkStatus();
}

void Membership::OnEntry(const KvEntry& entry) {
  const absl::Duration now = clock_->Monotonic();
  v1::Member member;
  const bool readable =
      !entry.deleted && member.ParseFromString(entry.value) && member.id() == entry.key;
  absl::MutexLock lock(&mutex_);
  if (entry.deleted) {
    liveness_.Left(entry.key, entry.revision);
  } else if (readable) {
    liveness_.Heard(member, entry.revision, now);
    const bool self = joined_
                          ? member.id() == self_.id() && member.incarnation() == self_.incarnation()
                          : member.id() == options_.self.id();
    if (!self) return;
    // Deaf for too long, or standing still: what was not heard is no evidence.
    if (now - heard_self_at_ > options_.ttl / 2) liveness_.Pardon(now);
    heard_self_at_ = now;
  }
}

absl::Status Membership::Leave() {
  refresh_at_ = read_at_ = absl::InfiniteDuration();
  {
    absl::MutexLock lock(&mutex_);
    joined_ = false;
  }
  if (superseded()) return absl::OkStatus();  // the entry is another's
  return store_->Delete(options_.self.id());
}

std::vector<MemberStatus> Membership::Judge() {
  const absl::Duration now = clock_->Monotonic();
  absl::MutexLock lock(&mutex_);
  // Who does not hear itself would not hear the others either.
  if (!joined_ || cut_off() || now - heard_self_at_ > options_.ttl / 2) return {};
  return liveness_.Judge(now);
}

}  // namespace jaque
