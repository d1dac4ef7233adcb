// SPDX-License-Identifier: Apache-2.0
#include "coordination/liveness.h"

namespace jaque {
namespace {

// Judged suspect halfway between the first refresh that is missed and the second.
constexpr int kSuspectAfterHalves = 1;
constexpr int kForgetAfterLifetimes = 10;

}  // namespace

void Liveness::Heard(const v1::Member& member, uint64_t revision, absl::Duration now) {
  Known& known = members_[member.id()];
  if (revision <= known.revision) return;
  const bool older = member.incarnation() < known.member.incarnation();
  known.revision = revision;
  if (older && !known.left) return;
  known.member = member;
  known.heard_at = now;
  known.left = known.dead = false;
}

void Liveness::Left(const std::string& id, uint64_t revision) {
  Known& known = members_[id];
  if (revision <= known.revision) return;
  known.revision = revision;
  known.left = true;
}

void Liveness::Pardon(absl::Duration now) {
  for (auto& [id, known] : members_) {
    if (!known.dead) known.heard_at = now;
  }
}

MemberState Liveness::StateOf(const Known& known, absl::Duration now) const {
  const absl::Duration silence = now - known.heard_at;
  if (known.dead || silence >= ttl_) return MemberState::kDead;
  return silence >= ttl_ * kSuspectAfterHalves / 2 ? MemberState::kSuspect : MemberState::kAlive;
}

std::vector<MemberStatus> Liveness::Judge(absl::Duration now) {
  std::vector<MemberStatus> statuses;
  for (auto it = members_.begin(); it != members_.end();) {
    Known& known = it->second;
    if (!known.left) {
      const MemberState state = StateOf(known, now);
      known.dead = state == MemberState::kDead;
      if (known.dead && now - known.heard_at >= ttl_ * kForgetAfterLifetimes) {
        it = members_.erase(it);
        continue;
      }
      statuses.push_back({known.member, state, known.heard_at});
    }
    ++it;
  }
  return statuses;
}

}  // namespace jaque
