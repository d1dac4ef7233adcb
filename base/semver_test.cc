// SPDX-License-Identifier: Apache-2.0
#include "base/semver.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque {
namespace {

TEST(Semver, OrdersAsTheSpecificationDoes) {
  const std::vector<std::string> ascending = {"not a version",
                                              "0.0.1",
                                              "0.9.0",
                                              "0.10.0",
                                              "1.0.0-1",
                                              "1.0.0-2",
                                              "1.0.0-11",
                                              "1.0.0-alpha",
                                              "1.0.0-alpha.1",
                                              "1.0.0-alpha.beta",
                                              "1.0.0-beta",
                                              "1.0.0-beta.2",
                                              "1.0.0-beta.11",
                                              "1.0.0-rc.1",
                                              "1.0.0",
                                              "1.0.1",
                                              "1.2.0",
                                              "1.10.0",
                                              "2.0.0-rc.1",
                                              "2.0.0",
                                              "99999999999999999999999999.0.0"};
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      const int order = CompareSemver(ascending[i], ascending[j]);
      EXPECT_EQ(order, i < j ? -1 : i > j ? 1 : 0) << ascending[i] << " and " << ascending[j];
    }
  }
}

TEST(Semver, BuildMetadataDoesNotCount) {
  EXPECT_EQ(CompareSemver("1.0.0+a", "1.0.0+b-c.d"), 0);
  EXPECT_FALSE(IsPrerelease("1.0.0+a-b"));
}

TEST(Semver, WhatIsNoVersionIsBelowAllVersions) {
  for (const char* text : {"", ".", "1", "1.0", "1.0.0.0", "v1.0.0", "1.0.0-", "1.0.0-a..b",
                           "1.x.0", "-1.0.0", "1.0.0-\xff"}) {
    EXPECT_EQ(CompareSemver(text, "0.0.0-0"), -1) << text;
    EXPECT_TRUE(IsPrerelease(text)) << text;
  }
}

TEST(Semver, LatestPrefersAnyReleaseToAnyPrerelease) {
  std::vector<std::string> versions = {"2.0.0-rc.1", "1.0.0", "1.9.0", "1.10.0", "3.0.0-0"};
  std::sort(versions.begin(), versions.end(), LatestOrder());
  EXPECT_THAT(versions, testing::ElementsAre("2.0.0-rc.1", "3.0.0-0", "1.0.0", "1.9.0", "1.10.0"));
}

}  // namespace
}  // namespace jaque
