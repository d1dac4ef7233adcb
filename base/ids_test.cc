// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"

#include "base/simulated_clock.h"
#include "gtest/gtest.h"

namespace jaque {
namespace {

TEST(IdGeneratorTest, IdsIncreaseWithinAMillisecondAndAcross) {
  SimulatedClock clock;
  IdGenerator ids(&clock, 1);
  std::string last = ids.Ulid();
  for (int i = 0; i < 1000; ++i) {
    if (i % 10 == 0) clock.Advance(absl::Milliseconds(1));
    std::string next = ids.Ulid();
    EXPECT_TRUE(IsUlid(next)) << next;
    EXPECT_LT(last, next);
    last = next;
  }
}

TEST(IdGeneratorTest, TimeIsInTheFirstTenDigits) {
  SimulatedClock clock(absl::FromUnixMillis(1469918176385));  // the example of the specification
  IdGenerator ids(&clock, 1);
  EXPECT_EQ(ids.Ulid().substr(0, 10), "01ARYZ6S41");
}

TEST(IsUlidTest, RefusesOtherText) {
  EXPECT_FALSE(IsUlid(""));
  EXPECT_FALSE(IsUlid("01ARZ3NDEKTSV4RRFFQ69G5FA"));
  EXPECT_FALSE(IsUlid("01ARZ3NDEKTSV4RRFFQ69G5FAU"));
  EXPECT_FALSE(IsUlid("81ARZ3NDEKTSV4RRFFQ69G5FAV"));
  EXPECT_TRUE(IsUlid("01ARZ3NDEKTSV4RRFFQ69G5FAV"));
}

}  // namespace
}  // namespace jaque
