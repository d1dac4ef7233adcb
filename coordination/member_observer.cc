// SPDX-License-Identifier: Apache-2.0
#include "coordination/member_observer.h"

namespace jaque {

MemberObserver::MemberObserver(const Clock* clock, KvStore* store, absl::Duration ttl)
    : clock_(clock), liveness_(ttl) {
  watch_ = store->Watch([this](const KvEntry& entry) { OnEntry(entry); });
}

void MemberObserver::OnEntry(const KvEntry& entry) {
  absl::MutexLock lock(&mutex_);
  if (entry.deleted) return liveness_.Left(entry.key, entry.revision);
  v1::Member member;
  if (member.ParseFromString(entry.value) && member.id() == entry.key) {
    liveness_.Heard(member, entry.revision, clock_->Monotonic());
  }
}

std::vector<MemberStatus> MemberObserver::Judge() {
  absl::MutexLock lock(&mutex_);
  return liveness_.Judge(clock_->Monotonic());
}

}  // namespace jaque
