// SPDX-License-Identifier: Apache-2.0
#include "coordination/ownership.h"

#include <algorithm>

#include "base/status_macros.h"
#include "coordination/rendezvous.h"

namespace jaque {

Ownership::Ownership(const v1::View& view, uint32_t shards) : epoch_(view.epoch()) {
  JAQUE_CHECK(shards > 0);
  std::vector<RendezvousMember> members;
  for (const v1::ViewMember& member : view.members()) {
    members.push_back({member.id(), member.weight()});
    ids_.push_back(member.id());
    incarnations_.push_back(member.incarnation());
  }
  for (uint32_t shard = 0; shard < shards; ++shard) {
    const std::vector<int> order = OwnersInOrder(members, shard);
    Place& place = places_.emplace_back();
    if (!order.empty()) place.owner = order[0];
    if (order.size() > 1) place.standby = order[1];
  }
}

const std::string& Ownership::Id(int index) const {
  static const std::string* const none = new std::string;
  return index < 0 ? *none : ids_[index];
}

bool Ownership::Has(std::string_view id) const {
  return std::find(ids_.begin(), ids_.end(), id) != ids_.end();
}

uint64_t Ownership::IncarnationOf(std::string_view id) const {
  const auto found = std::find(ids_.begin(), ids_.end(), id);
  return found == ids_.end() ? 0 : incarnations_[found - ids_.begin()];
}

const std::string& Ownership::OwnerOfObject(std::string_view object_id) const {
  return OwnerOf(ShardOfObject(object_id, shards()));
}

std::vector<uint32_t> Ownership::OwnedBy(std::string_view id) const {
  std::vector<uint32_t> owned;
  for (uint32_t shard = 0; shard < shards(); ++shard) {
    if (OwnerOf(shard) == id) owned.push_back(shard);
  }
  return owned;
}

std::vector<uint32_t> Ownership::StandbyBy(std::string_view id) const {
  std::vector<uint32_t> standby;
  for (uint32_t shard = 0; shard < shards(); ++shard) {
    if (StandbyOf(shard) == id) standby.push_back(shard);
  }
  return standby;
}

}  // namespace jaque
