// SPDX-License-Identifier: Apache-2.0
// Who owns a shard (design, section 4): the member with the highest weight XXH3_64(member id +
// shard), computed by everybody alone. Pure; any thread. The hash inputs are fixed for ever (golden
// values in the test): a change would move every shard of every running cluster.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jaque {

// The shard of an object: XXH3_64(object id) % shards. shards > 0.
uint32_t ShardOfObject(std::string_view object_id, uint32_t shards);

// XXH3_64(object id).
uint64_t HashOfObject(std::string_view object_id);

struct RendezvousMember {
  std::string id;
  uint32_t weight = 1;  // its share of shards in proportion; 0 owns nothing
};

// Index of the owner in `members`, or -1 if none may own. Ties, which need equal ids, go to the
// smaller id.
int OwnerOfShard(const std::vector<RendezvousMember>& members, uint32_t shard);

// Indexes of the members that may own, best first: the second is the one that takes over.
std::vector<int> OwnersInOrder(const std::vector<RendezvousMember>& members, uint32_t shard);

}  // namespace jaque
