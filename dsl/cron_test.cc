// SPDX-License-Identifier: Apache-2.0
#include "dsl/cron.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <ctime>
#include <random>

#include "dsl/text.h"

namespace jaque::dsl {
namespace {

absl::Time At(const std::string& text) {
  absl::Time time;
  std::string error;
  EXPECT_TRUE(absl::ParseTime(absl::RFC3339_full, text, &time, &error)) << error;
  return time;
}

// The next `n` runs, "2026-04-03T00:00Z" each.
std::vector<std::string> Runs(const char* cron, const std::string& after, int n) {
  std::vector<std::string> runs;
  const auto parsed = Cron::Parse(cron);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  if (!parsed.ok()) return runs;
  absl::Time time = At(after);
  for (int i = 0; i < n; ++i) {
    time = parsed->Next(time);
    runs.push_back(absl::FormatTime("%Y-%m-%dT%H:%MZ", time, absl::UTCTimeZone()));
  }
  return runs;
}

using Times = std::vector<std::string>;

TEST(Cron, DaysOfMonthAndWeekAreAlternatives) {
  EXPECT_EQ(Runs("0 0 13 * 5", "2026-04-01T00:00:00Z", 5),
            (Times{"2026-04-03T00:00Z", "2026-04-10T00:00Z", "2026-04-13T00:00Z",
                   "2026-04-17T00:00Z", "2026-04-24T00:00Z"}));
}

TEST(Cron, AStepRestrictsADayField) {
  // */2 is no bare star: odd days or Mondays.
  EXPECT_EQ(Runs("0 0 */2 * 1", "2026-04-05T00:00:00Z", 3),
            (Times{"2026-04-06T00:00Z", "2026-04-07T00:00Z", "2026-04-09T00:00Z"}));
}

// New York leaves out this hour of the ninth.
TEST(Cron, IsUtcWhateverTheZone) {
  for (const char* zone : {"America/New_York", "UTC", "Asia/Kolkata"}) {
    ASSERT_EQ(setenv("TZ", zone, 1), 0);
    tzset();
    EXPECT_EQ(Runs("30 2 * * *", "2025-03-08T07:30:00Z", 2),
              (Times{"2025-03-09T02:30Z", "2025-03-10T02:30Z"}));
  }
  unsetenv("TZ");
  tzset();
}

TEST(Cron, NextIsStrictlyLater) {
  EXPECT_EQ(Runs("* * * * *", "2026-01-01T00:00:00Z", 2),
            (Times{"2026-01-01T00:01Z", "2026-01-01T00:02Z"}));
  EXPECT_EQ(Runs("0 0 1 1 *", "2025-12-31T23:59:59Z", 2),
            (Times{"2026-01-01T00:00Z", "2027-01-01T00:00Z"}));
}

TEST(Cron, NamesRangesStepsLists) {
  EXPECT_EQ(Runs("0 9-17/4 * JAN,mar Mon-wed", "2026-01-06T10:00:00Z", 3),
            (Times{"2026-01-06T13:00Z", "2026-01-06T17:00Z", "2026-01-07T09:00Z"}));
  EXPECT_EQ(Runs("50/5 0 * * *", "2026-01-01T00:00:00Z", 3),
            (Times{"2026-01-01T00:50Z", "2026-01-01T00:55Z", "2026-01-02T00:50Z"}));
  EXPECT_EQ(Runs("0 0 * * 7", "2026-01-01T00:00:00Z", 1), (Times{"2026-01-04T00:00Z"}));
  EXPECT_EQ(Runs("0 0 * * 5-7", "2026-01-01T00:00:00Z", 3),
            (Times{"2026-01-02T00:00Z", "2026-01-03T00:00Z", "2026-01-04T00:00Z"}));
}

TEST(Cron, RareDays) {
  EXPECT_EQ(Runs("0 0 29 2 *", "2096-03-01T00:00:00Z", 1), (Times{"2104-02-29T00:00Z"}));
  EXPECT_EQ(Runs("0 0 31 4,5 *", "2026-01-01T00:00:00Z", 1), (Times{"2026-05-31T00:00Z"}));
}

TEST(Cron, RefusesWhatNeverMatches) {
  for (const char* text : {"0 0 30 2 *", "0 0 31 4 *", "0 0 31 2,4,6 *", "0 0 30-31 feb *"}) {
    const auto parsed = Cron::Parse(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.status().message().find("never matches"), std::string::npos);
  }
  EXPECT_TRUE(Cron::Parse("0 0 30 2 1").ok());  // Mondays of February
}

TEST(Cron, RefusesWhatIsNone) {
  for (const char* text : {"",
                           "* * * *",
                           "* * * * * *",
                           "60 * * * *",
                           "* 24 * * *",
                           "* * 0 * *",
                           "* * 32 * *",
                           "* * * 0 *",
                           "* * * 13 *",
                           "* * * * 8",
                           "*/0 * * * *",
                           "1- * * * *",
                           "-1 * * * *",
                           "5-1 * * * *",
                           "1,,2 * * * *",
                           "a * * * *",
                           "* * * foo *",
                           "@daily",
                           "*/x * * * *",
                           "1/ * * * *",
                           "? * * * *",
                           "1-2-3 * * * *",
                           "*/99999999999 * * * *",
                           "** * * * *"}) {
    EXPECT_FALSE(Cron::Parse(text).ok()) << text;
  }
}

// Next against a search minute by minute.
TEST(Cron, AgreesWithASlowSearch) {
  const unsigned seed = 20260401;
  std::mt19937 random(seed);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % (high - low + 1));
  };
  for (int round = 0; round < 60; ++round) {
    const int minute = pick(0, 59), hour = pick(0, 23), day = pick(1, 28), weekday = pick(0, 6);
    const bool by_day = pick(0, 1) != 0, by_weekday = pick(0, 1) != 0;
    const std::string text = Cat(minute, " ", hour, " ", by_day ? std::to_string(day) : "*", " * ",
                                 by_weekday ? std::to_string(weekday) : "*");
    const auto cron = Cron::Parse(text);
    ASSERT_TRUE(cron.ok()) << text;
    const absl::CivilMinute start(2026, pick(1, 12), pick(1, 28), pick(0, 23), pick(0, 59));
    absl::CivilMinute slow = start + 1;
    const auto matches = [&](absl::CivilMinute at) {
      const bool on_day = at.day() == day;
      const bool on_weekday = (static_cast<int>(absl::GetWeekday(at)) + 1) % 7 == weekday;
      const bool date = by_day && by_weekday ? on_day || on_weekday
                                             : (!by_day || on_day) && (!by_weekday || on_weekday);
      return date && at.hour() == hour && at.minute() == minute;
    };
    while (!matches(slow)) ++slow;
    const absl::Time next = cron->Next(absl::FromCivil(start, absl::UTCTimeZone()));
    EXPECT_EQ(next, absl::FromCivil(slow, absl::UTCTimeZone()))
        << text << " after " << absl::FormatCivilTime(start);
  }
}

}  // namespace
}  // namespace jaque::dsl
