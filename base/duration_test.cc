// SPDX-License-Identifier: Apache-2.0
#include "base/duration.h"

#include "gtest/gtest.h"

namespace jaque {
namespace {

TEST(DurationTest, ReadsGoText) {
  EXPECT_EQ(*ParseGoDuration("10s"), absl::Seconds(10));
  EXPECT_EQ(*ParseGoDuration("1m30s"), absl::Seconds(90));
  EXPECT_EQ(*ParseGoDuration("1.5h"), absl::Minutes(90));
  EXPECT_EQ(*ParseGoDuration("250ms"), absl::Milliseconds(250));
  EXPECT_EQ(*ParseGoDuration("0"), absl::ZeroDuration());
}

TEST(DurationTest, SaysWhatIsWrong) {
  EXPECT_EQ(ParseGoDuration("10").status().message(),
            "\"10\" has no unit: write \"10s\" for seconds");
  EXPECT_EQ(ParseGoDuration("soon").status().message(),
            "\"soon\" is no duration: write 250ms, 10s or 1m30s");
  EXPECT_EQ(ParseGoDuration("-5s").status().message(), "\"-5s\" is negative");
  EXPECT_FALSE(ParseGoDuration("inf").ok());
  EXPECT_FALSE(ParseGoDuration("").ok());
  EXPECT_FALSE(ParseGoDuration("10s ").ok());
}

TEST(DurationTest, WritesWhatAPersonReads) {
  EXPECT_EQ(DurationText(absl::Nanoseconds(412'345)), "412us");
  EXPECT_EQ(DurationText(absl::Microseconds(83'456)), "83ms");
  EXPECT_EQ(DurationText(absl::Microseconds(1'234'567)), "1.23s");
  EXPECT_EQ(DurationText(absl::Milliseconds(90'250)), "1m30.2s");
  EXPECT_EQ(DurationText(absl::ZeroDuration()), "0");
}

}  // namespace
}  // namespace jaque
