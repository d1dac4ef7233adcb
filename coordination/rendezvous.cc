// SPDX-License-Identifier: Apache-2.0
#include "coordination/rendezvous.h"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/status_macros.h"

namespace jaque {
namespace {

// The key is the id, a zero byte (ids hold none, so no two pairs share a key) and the shard as four
// bytes, the least first.
uint64_t Hash(std::string_view id, uint32_t shard) {
  std::string key;
  key.reserve(id.size() + 5);
  key.append(id);
  key.push_back('\0');
  for (int i = 0; i < 4; ++i) key.push_back(static_cast<char>(shard >> (8 * i)));
  return XXH3_64bits(key.data(), key.size());
}

// Weighted rendezvous hashing (Schindelhauer and Schomaker 2005): with u uniform in (0, 1), the
// highest -weight/ln(u) wins in proportion to the weights. Equal weights leave the order of the
// hashes as it is, and are compared as integers, where the logarithm's last bits (other machines,
// other libraries) cannot matter.
struct Score {
  uint64_t hash = 0;
  uint32_t weight = 0;
  double weighted = 0;
};

Score ScoreOf(const RendezvousMember& member, uint32_t shard) {
  const uint64_t hash = Hash(member.id, shard);
  const double uniform = (static_cast<double>(hash >> 11) + 0.5) * 0x1.0p-53;
  return {hash, member.weight, -static_cast<double>(member.weight) / std::log(uniform)};
}

bool Better(const Score& a, std::string_view a_id, const Score& b, std::string_view b_id) {
  if (a.weight == b.weight && a.hash != b.hash) return a.hash > b.hash;
  if (a.weighted != b.weighted) return a.weighted > b.weighted;
  return a_id < b_id;
}

}  // namespace

uint64_t HashOfObject(std::string_view object_id) {
  return XXH3_64bits(object_id.data(), object_id.size());
}

uint32_t ShardOfObject(std::string_view object_id, uint32_t shards) {
  JAQUE_CHECK(shards > 0);
  return static_cast<uint32_t>(HashOfObject(object_id) % shards);
}

int OwnerOfShard(const std::vector<RendezvousMember>& members, uint32_t shard) {
  int best = -1;
  Score best_score;
  for (size_t i = 0; i < members.size(); ++i) {
    if (members[i].weight == 0) continue;
    const Score score = ScoreOf(members[i], shard);
    if (best < 0 || Better(score, members[i].id, best_score, members[best].id)) {
      best = static_cast<int>(i);
      best_score = score;
    }
  }
  return best;
}

std::vector<int> OwnersInOrder(const std::vector<RendezvousMember>& members, uint32_t shard) {
  std::vector<int> order;
  std::vector<Score> scores;
  for (size_t i = 0; i < members.size(); ++i) {
    scores.push_back(ScoreOf(members[i], shard));
    if (members[i].weight > 0) order.push_back(static_cast<int>(i));
  }
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return Better(scores[a], members[a].id, scores[b], members[b].id);
  });
  return order;
}

}  // namespace jaque
