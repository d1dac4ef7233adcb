// SPDX-License-Identifier: Apache-2.0
#include "ui/refused_addresses.h"

#include "base/simulated_clock.h"
#include "gtest/gtest.h"

namespace jaque::ui {
namespace {

TEST(RefusedAddresses, AnAddressWaitsUntilItsMinuteIsOver) {
  SimulatedClock clock;
  RefusedAddresses refused(&clock);
  for (int i = 1; i < limits::kRefusedTokens; ++i) refused.Note("10.0.0.1");
  EXPECT_EQ(refused.WaitOf("10.0.0.1"), absl::ZeroDuration());
  clock.Advance(absl::Seconds(20));
  refused.Note("10.0.0.1");
  EXPECT_EQ(refused.WaitOf("10.0.0.1"), absl::Seconds(40));
  EXPECT_EQ(refused.WaitOf("10.0.0.2"), absl::ZeroDuration());
  clock.Advance(absl::Seconds(40));
  EXPECT_EQ(refused.WaitOf("10.0.0.1"), absl::ZeroDuration());
  refused.Note("10.0.0.1");
  EXPECT_EQ(refused.WaitOf("10.0.0.1"), absl::ZeroDuration());
}

TEST(RefusedAddresses, TheOneRefusedLongestAgoIsForgottenFirst) {
  SimulatedClock clock;
  RefusedAddresses refused(&clock, 2);
  for (int i = 0; i < limits::kRefusedTokens; ++i) refused.Note("a");
  refused.Note("b");
  refused.Note("a");
  refused.Note("c");  // b goes
  EXPECT_GT(refused.WaitOf("a"), absl::ZeroDuration());
  refused.Note("d");
  refused.Note("e");  // a goes
  EXPECT_EQ(refused.WaitOf("a"), absl::ZeroDuration());
}

}  // namespace
}  // namespace jaque::ui
