// SPDX-License-Identifier: Apache-2.0
#include "dsl/duration.h"

#include <gtest/gtest.h>

#include "expression/json.h"

namespace jaque::dsl {
namespace {

TEST(IsoDuration, Units) {
  EXPECT_EQ(*ParseIsoDuration("PT30S"), absl::Seconds(30));
  EXPECT_EQ(*ParseIsoDuration("P1DT2H3M4S"), absl::Hours(26) + absl::Minutes(3) + absl::Seconds(4));
  EXPECT_EQ(*ParseIsoDuration("P1Y"), absl::Hours(24 * 365));
  EXPECT_EQ(*ParseIsoDuration("P1M"), absl::Hours(24 * 30));
  EXPECT_EQ(*ParseIsoDuration("PT1M"), absl::Minutes(1));
  EXPECT_EQ(*ParseIsoDuration("P2W"), absl::Hours(24 * 14));
  EXPECT_EQ(*ParseIsoDuration("PT0S"), absl::ZeroDuration());
}

TEST(IsoDuration, Fractions) {
  EXPECT_EQ(*ParseIsoDuration("PT0.5S"), absl::Milliseconds(500));
  EXPECT_EQ(*ParseIsoDuration("PT1.001S"), absl::Milliseconds(1001));
  EXPECT_EQ(*ParseIsoDuration("P0.5D"), absl::Hours(12));
  EXPECT_EQ(*ParseIsoDuration("PT1.5H30.25M"), absl::Hours(2) + absl::Seconds(15));
}

TEST(IsoDuration, RefusesWhatIsNone) {
  for (const char* text : {"",     "P",    "PT",    "P1",    "1S",     "PT1",    "P1S",
                           "PT1D", "P1DT", "PTT1S", "pt1s",  "PT1S ",  "PT1S2M", "PT1M1M",
                           "P-1D", "-P1D", "PT.5S", "PT1.S", "PT1,5S", "+P1D",   "PT1Sx"}) {
    EXPECT_FALSE(ParseIsoDuration(text).ok()) << text;
  }
}

TEST(IsoDuration, SaturatesAndIsLimited) {
  EXPECT_TRUE(ParseIsoDuration("P100Y").ok());
  for (const char* text : {"P101Y", "PT9223372037S", "PT99999999999999999999999999999S",
                           "P99999999999999999999Y", "PT9223372036854775807S"}) {
    const auto result = ParseIsoDuration(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_NE(result.status().message().find("limit of 100 years"), std::string::npos) << text;
  }
}

TEST(DurationFromValue, Objects) {
  const auto parse = [](const char* json) { return DurationFromValue(*ParseJson(json)); };
  EXPECT_EQ(*parse(R"({"seconds": 90})"), absl::Seconds(90));
  EXPECT_EQ(*parse(R"({"days": 1, "hours": 1, "minutes": 1, "seconds": 1, "milliseconds": 1})"),
            absl::Hours(25) + absl::Minutes(1) + absl::Seconds(1) + absl::Milliseconds(1));
  EXPECT_EQ(*parse(R"("PT5S")"), absl::Seconds(5));
  for (const char* json :
       {"{}", "null", "5", "[]", R"({"seconds": -1})", R"({"seconds": 1.5})", R"({"seconds": "1"})",
        R"({"second": 1})", R"({"days": 200000})", R"({"milliseconds": 9223372036854775807})",
        R"({"days": 1e300})", R"({"days": 9223372036854775807, "hours": 9223372036854775807})",
        R"("soon")"}) {
    EXPECT_FALSE(parse(json).ok()) << json;
  }
}

}  // namespace
}  // namespace jaque::dsl
