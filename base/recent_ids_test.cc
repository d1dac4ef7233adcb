// SPDX-License-Identifier: Apache-2.0
#include "base/recent_ids.h"

#include "gtest/gtest.h"

namespace jaque {
namespace {

TEST(RecentIds, RemembersForTheWindow) {
  RecentIds ids(absl::Seconds(10), 100);
  EXPECT_FALSE(ids.Find("a", absl::Seconds(1)));
  ids.Insert("a", 7, absl::Seconds(1));
  EXPECT_EQ(ids.Find("a", absl::Seconds(10.9)), 7u);
  EXPECT_FALSE(ids.Find("a", absl::Seconds(11)));
  EXPECT_EQ(ids.size(), 0u);
}

TEST(RecentIds, DropsTheOldestWhenFull) {
  RecentIds ids(absl::Seconds(10), 2);
  ids.Insert("a", 1, absl::Seconds(1));
  ids.Insert("b", 2, absl::Seconds(1));
  ids.Insert("c", 3, absl::Seconds(1));
  EXPECT_FALSE(ids.Find("a", absl::Seconds(1)));
  EXPECT_EQ(ids.Find("b", absl::Seconds(1)), 2u);
  EXPECT_EQ(ids.Find("c", absl::Seconds(1)), 3u);
}

}  // namespace
}  // namespace jaque
