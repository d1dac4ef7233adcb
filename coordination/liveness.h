// SPDX-License-Identifier: Apache-2.0
// Who is alive, as one process judges by its own monotonic clock (design, section 4): a store that
// lets entries expire tells nobody. Pure: the caller passes the time. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "jaque/v1/member.pb.h"

namespace jaque {

enum class MemberState : uint8_t {
  kAlive,
  kSuspect,  // missed a refresh: shown, nothing moves
  kDead      // not heard of for the whole lifetime
};

struct MemberStatus {
  v1::Member member;
  MemberState state = MemberState::kAlive;
  absl::Duration heard_at;  // when it was last heard of
};

class Liveness {
 public:
  // Members refresh every third of `ttl`.
  explicit Liveness(absl::Duration ttl) : ttl_(ttl) {}

  // An entry was read or told, at a revision. One that is known already, or older than what is
  // known, changes nothing; neither does one of an older incarnation.
  void Heard(const v1::Member& member, uint64_t revision, absl::Duration now);
  // The member deleted its entry: it has gone at once.
  void Left(const std::string& id, uint64_t revision);
  // No news was no evidence (the store was away, or this process stood still): all get a fresh
  // lifetime, those judged dead before excepted.
  void Pardon(absl::Duration now);

  // All that are known and have not left, by id. The dead are forgotten after ten lifetimes.
  std::vector<MemberStatus> Judge(absl::Duration now);

 private:
  struct Known {
    v1::Member member;
    uint64_t revision = 0;
    absl::Duration heard_at;
    bool left = false;
    bool dead = false;  // as last judged
  };
  MemberState StateOf(const Known& known, absl::Duration now) const;

  const absl::Duration ttl_;
  std::map<std::string, Known> members_;
};

}  // namespace jaque
