// SPDX-License-Identifier: Apache-2.0
// Balance, movement and stability of ownership. The table of docs/cluster.md is printed by Balance.
#include "coordination/rendezvous.h"

#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "base/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque {
namespace {

std::vector<RendezvousMember> Engines(int count, uint64_t cluster = 0) {
  std::vector<RendezvousMember> members;
  for (int i = 0; i < count; ++i) members.push_back({absl::StrCat("c", cluster, "-engine-", i)});
  return members;
}

// Objects a member holds, for each member, when each shard holds what ShardOfObject gives it.
std::vector<double> Load(const std::vector<RendezvousMember>& members,
                         const std::vector<int>& objects_by_shard) {
  std::vector<double> load(members.size(), 0);
  for (uint32_t shard = 0; shard < objects_by_shard.size(); ++shard) {
    load[OwnerOfShard(members, shard)] += objects_by_shard[shard];
  }
  return load;
}

// Standard deviation of `values` in percent of their mean.
double Spread(const std::vector<double>& values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / values.size();
  double squares = 0;
  for (double value : values) squares += (value - mean) * (value - mean);
  return 100 * std::sqrt(squares / values.size()) / mean;
}

std::vector<int> ObjectsByShard(uint32_t shards, int objects) {
  std::vector<int> by_shard(shards, 0);
  for (int i = 0; i < objects; ++i) ++by_shard[ShardOfObject(absl::StrCat("object-", i), shards)];
  return by_shard;
}

// Mean spread over many clusters with other ids.
double MeanSpread(int members, const std::vector<int>& objects_by_shard) {
  constexpr int kClusters = 40;
  double sum = 0;
  for (int c = 0; c < kClusters; ++c) sum += Spread(Load(Engines(members, c), objects_by_shard));
  return sum / kClusters;
}

TEST(Rendezvous, GoldenValues) {
  // Fixed for ever: see the header.
  EXPECT_EQ(ShardOfObject("01J0000000000000000000000", 128), 50u);
  const auto members = Engines(5);
  std::vector<int> owners;
  for (uint32_t shard = 0; shard < 16; ++shard) owners.push_back(OwnerOfShard(members, shard));
  EXPECT_THAT(owners, testing::ElementsAre(3, 2, 1, 1, 2, 1, 3, 0, 2, 1, 0, 4, 3, 3, 4, 0));
}

TEST(Rendezvous, Balance) {
  constexpr int kObjects = 100'000;
  std::printf("standard deviation of objects per member, percent of the mean (40 clusters each)\n");
  std::printf("members");
  const std::vector<uint32_t> all_shards = {64, 128, 256, 512, 1024};
  std::vector<std::vector<int>> objects;
  for (uint32_t shards : all_shards) {
    std::printf(" %6u", shards);
    objects.push_back(ObjectsByShard(shards, kObjects));
  }
  std::map<std::pair<int, uint32_t>, double> spread;
  for (int members : {2, 3, 4, 5, 7, 10, 15, 20}) {
    std::printf("\n%7d", members);
    for (size_t i = 0; i < all_shards.size(); ++i) {
      spread[{members, all_shards[i]}] = MeanSpread(members, objects[i]);
      std::printf(" %6.1f", spread[{members, all_shards[i]}]);
      // A member's count of shards is binomial: sqrt((m - 1) / shards) of the mean, and no worse.
      EXPECT_LT(spread[(std::pair{members, all_shards[i]})],
                100 * 1.15 * std::sqrt((members - 1.0) / all_shards[i]));
    }
  }
  std::printf("\n");
  EXPECT_LT((spread[{3, 128}]), 15);
}

TEST(Rendezvous, ThreeMembersAreWithinTheBar) {
  constexpr int kClusters = 400;
  for (uint32_t shards : {128u, 256u}) {
    const std::vector<int> objects = ObjectsByShard(shards, 100'000);
    int above = 0;
    for (int c = 0; c < kClusters; ++c) above += Spread(Load(Engines(3, c), objects)) >= 15;
    std::printf("%u shards: %.1f %% of clusters of 3 have 15 %% or more\n", shards,
                100.0 * above / kClusters);
    EXPECT_LT(100.0 * above / kClusters, shards == 128 ? 30 : 5);
  }
}

TEST(Rendezvous, AJoinMovesOnlyWhatTheNewMemberGains) {
  for (int count = 1; count <= 20; ++count) {
    const auto before = Engines(count);
    auto after = before;
    after.push_back({"the new one"});
    int moved = 0;
    for (uint32_t shard = 0; shard < 1024; ++shard) {
      const int owner = OwnerOfShard(after, shard);
      if (owner == count) {
        ++moved;
      } else {
        EXPECT_EQ(owner, OwnerOfShard(before, shard));
      }
    }
    EXPECT_NEAR(moved, 1024.0 / (count + 1), 4 * std::sqrt(1024.0 / (count + 1)));
  }
}

TEST(Rendezvous, ALeaveMovesOnlyWhatTheMemberHadToTheNextInOrder) {
  for (int count = 2; count <= 20; ++count) {
    const auto before = Engines(count);
    for (int left = 0; left < count; ++left) {
      auto after = before;
      after.erase(after.begin() + left);
      for (uint32_t shard = 0; shard < 128; ++shard) {
        const std::vector<int> order = OwnersInOrder(before, shard);
        ASSERT_EQ(order[0], OwnerOfShard(before, shard));
        const int expected = order[0] == left ? order[1] : order[0];
        EXPECT_EQ(after[OwnerOfShard(after, shard)].id, before[expected].id);
      }
    }
  }
}

TEST(Rendezvous, TheOrderOfTheListDoesNotMatter) {
  const auto members = Engines(9);
  auto shuffled = members;
  Random random(1);
  for (size_t i = shuffled.size() - 1; i > 0; --i)
    std::swap(shuffled[i], shuffled[random.Below(i)]);
  for (uint32_t shard = 0; shard < 1024; ++shard) {
    EXPECT_EQ(members[OwnerOfShard(members, shard)].id, shuffled[OwnerOfShard(shuffled, shard)].id);
  }
}

TEST(Rendezvous, WeightsGiveSharesInProportion) {
  std::vector<RendezvousMember> members = {{"a", 1}, {"b", 2}, {"c", 5}, {"idle", 0}};
  std::vector<double> shards(members.size(), 0);
  constexpr uint32_t kShards = 100'000;
  for (uint32_t shard = 0; shard < kShards; ++shard) ++shards[OwnerOfShard(members, shard)];
  EXPECT_NEAR(shards[0] / kShards, 1.0 / 8, 0.01);
  EXPECT_NEAR(shards[1] / kShards, 2.0 / 8, 0.01);
  EXPECT_NEAR(shards[2] / kShards, 5.0 / 8, 0.01);
  EXPECT_EQ(shards[3], 0);
}

TEST(Rendezvous, NobodyOwnsWhereNobodyMay) {
  EXPECT_EQ(OwnerOfShard({}, 0), -1);
  EXPECT_EQ(OwnerOfShard({{"idle", 0}}, 0), -1);
  EXPECT_THAT(OwnersInOrder({{"idle", 0}}, 0), testing::IsEmpty());
}

}  // namespace
}  // namespace jaque
