// SPDX-License-Identifier: Apache-2.0
#include "expression/datetime.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>

#include "expression/civil_time.h"
#include "expression/json.h"
#include "expression/strftime.h"
#include "gtest/gtest.h"

namespace jaque::expression {
namespace {

using Function = absl::StatusOr<Value> (*)(const Value&);
using FormatFunction = absl::StatusOr<Value> (*)(const Value&, const Value&);

std::string Show(const absl::StatusOr<Value>& result) {
  return result.ok() ? ToJson(*result) : "error: " + std::string(result.status().message());
}
std::string Call(Function function, std::string_view json) {
  return Show(function(ParseJson(json).value()));
}
std::string Call(FormatFunction function, std::string_view json, std::string_view format) {
  return Show(function(ParseJson(json).value(), Value::String(format)));
}
std::string Parse(std::string_view text, std::string_view format) {
  return Show(StrPTime(Value::String(text), Value::String(format)));
}

TEST(DateTime, EpochToBrokenDownTime) {
  EXPECT_EQ(Call(GmTime, "0"), "[1970,0,1,0,0,0,4,0]");
  EXPECT_EQ(Call(GmTime, "1425599507"), "[2015,2,5,23,51,47,4,63]");
  EXPECT_EQ(Call(GmTime, "1425599507.25"), "[2015,2,5,23,51,47.25,4,63]");
  EXPECT_EQ(Call(GmTime, "-1"), "[1969,11,31,23,59,59,3,364]");
  EXPECT_EQ(Call(GmTime, "-0.5"), "[1969,11,31,23,59,59.5,3,364]");
  EXPECT_EQ(Call(LocalTime, "0"), "[1970,0,1,0,0,0,4,0]");
  EXPECT_EQ(Call(GmTime, "\"x\""), "error: gmtime() requires numeric inputs");
  EXPECT_EQ(Call(LocalTime, "null"), "error: localtime() requires numeric inputs");
}

TEST(DateTime, TimesOutOfReachAreErrors) {
  const std::string error = "error: error converting number of seconds since epoch to datetime";
  for (const char* seconds : {"1e18", "-1e18", "1e300", "-1e300", "1e1000"}) {
    EXPECT_EQ(Call(GmTime, seconds), error) << seconds;
    EXPECT_EQ(Call(ToDate, seconds), error) << seconds;
    EXPECT_EQ(Call(LocalTime, seconds), error) << seconds;
  }
  EXPECT_EQ(Show(GmTime(Value::Double(std::nan("")))), error);
  EXPECT_EQ(Call(ToDate, "1e16"), "\"316889355-01-25T17:46:40Z\"");
}

TEST(DateTime, BrokenDownTimeToEpoch) {
  EXPECT_EQ(Call(MkTime, "[2015,2,5,23,51,47,4,63]"), "1425599507");
  EXPECT_EQ(Call(MkTime, "[2024,8,21]"), "1726876800");
  EXPECT_EQ(Call(MkTime, "[1969,11,31,23,59,59]"), "-1");
  EXPECT_EQ(Call(MkTime, "[2024,14,35,25,61,61,0,0]"), "1743818521");
  EXPECT_EQ(Call(MkTime, "[1970]"), "-86400");
  EXPECT_EQ(Call(MkTime, "[]"), "-2209075200");
  EXPECT_EQ(Call(MkTime, "[1e300,1e300,1e300,1e300,1e300,1e300,1e300,1e300,1e300]"),
            Call(MkTime, "[1e10,1e10,1e10,1e10,1e10,1e10]"));
  EXPECT_EQ(Call(MkTime, "{}"), "error: mktime requires array inputs");
  EXPECT_EQ(Call(MkTime, "[\"a\",1]"), "error: mktime requires parsed datetime inputs");
  EXPECT_EQ(Call(MkTime, "[2024,1,1,0,0,0,0,null]"),
            "error: mktime requires parsed datetime inputs");
  EXPECT_EQ(Show(MkTime(Value::Array({Value::Double(std::nan(""))}))),
            "error: mktime requires parsed datetime inputs");
}

TEST(DateTime, Dates) {
  EXPECT_EQ(Call(ToDate, "1425599621.678"), "\"2015-03-05T23:53:41Z\"");
  EXPECT_EQ(Call(FromDate, "\"2015-03-05T23:51:47Z\""), "1425599507");
  EXPECT_EQ(Call(FromDate, "\"2038-01-19T03:14:08Z\""), "2147483648");
  EXPECT_EQ(Call(FromDate, "\"2015-03-05T23:51:47.123Z\""),
            "error: date \"2015-03-05T23:51:47.123Z\" does not match format "
            "\"%Y-%m-%dT%H:%M:%SZ\"");
  EXPECT_EQ(Call(FromDate, "\"2024-01-01T00:00:00+02:00\"").substr(0, 6), "error:");
  EXPECT_EQ(Call(FromDate, "5"), "error: strptime/1 requires string inputs and arguments");
}

TEST(DateTime, TheZoneOfTheMachineDoesNotMatter) {
  for (const char* zone : {"America/New_York", "Asia/Kolkata", "UTC"}) {
    setenv("TZ", zone, 1);
    tzset();
    EXPECT_EQ(Call(ToDate, "1665511200"), "\"2022-10-11T18:00:00Z\"");
    EXPECT_EQ(Call(FromDate, "\"2018-08-31T00:00:00Z\""), "1535673600");
    EXPECT_EQ(Call(StrFLocalTime, "0", "%H:%M %z %Z"), "\"00:00 +0000 UTC\"");
    EXPECT_EQ(Call(MkTime, "[2024,6,1,12,0,0]"), "1719835200");
  }
  unsetenv("TZ");
}

TEST(DateTime, FormattingArguments) {
  EXPECT_EQ(Call(StrFTime, "[2024,1,10]", "%j %A %F"), "\"041 Saturday 2024-02-10\"");
  EXPECT_EQ(Call(StrFTime, "0", ""), "\"\"");
  EXPECT_EQ(Show(StrFTime(Value::Int(0), Value())), "error: strftime/1 requires a string format");
  EXPECT_EQ(Show(StrFLocalTime(Value::Int(0), Value::Object())),
            "error: strflocaltime/1 requires a string format");
  EXPECT_EQ(Call(StrFTime, "\"x\"", "%Y"), "error: strftime/1 requires parsed datetime inputs");
  EXPECT_EQ(Call(StrFTime, "[\"a\"]", "%Y"), "error: strftime/1 requires parsed datetime inputs");
  EXPECT_EQ(Call(StrFTime, "0", "%1000000000Y"), "error: strftime/1: unknown system failure");
  EXPECT_EQ(Call(StrFTime, "0", "é%Q%"), "\"é%Q%\"");
}

TEST(DateTime, Parsing) {
  EXPECT_EQ(Parse("2015-03-05T23:51:47Z", "%Y-%m-%dT%H:%M:%SZ"), "[2015,2,5,23,51,47,4,63]");
  EXPECT_EQ(Parse("10:20", "%H:%M"), "[1970,0,1,10,20,0,4,0]");
  EXPECT_EQ(Parse("2024-07-01 12:00 +0200", "%Y-%m-%d %H:%M %z"), "[2024,6,1,12,0,0,1,182]");
  EXPECT_EQ(Parse("Thursday, 5 march 2015", "%A, %d %B %Y"), "[2015,2,5,0,0,0,4,63]");
  EXPECT_EQ(Parse("12/31/99", "%D"), "[1999,11,31,0,0,0,5,364]");
  EXPECT_EQ(Parse("31.12.68", "%d.%m.%y"), "[2068,11,31,0,0,0,1,365]");
  EXPECT_EQ(Parse("2015 123", "%Y %j"), "[2015,4,3,0,0,0,0,122]");
  EXPECT_EQ(Parse("11:05 PM", "%I:%M %p"), "[1970,0,1,23,5,0,4,0]");
  EXPECT_EQ(Parse("am 12", "%p %I"), "[1970,0,1,0,0,0,4,0]");
  EXPECT_EQ(Parse("1425599507", "%s"), "[2015,2,5,23,51,47,4,63]");
  EXPECT_EQ(Parse("2024-01-02 CET", "%F %Z"), "[2024,0,2,0,0,0,2,1]");
  EXPECT_EQ(Parse("2024 x", "%Y"), "[2024,0,1,0,0,0,1,0,\" x\"]");
  EXPECT_EQ(Parse("2024-02-31", "%F"), "[2024,1,31,0,0,0,6,61]");
}

TEST(DateTime, WhatDoesNotMatch) {
  EXPECT_EQ(Parse("x", "%Y"), "error: date \"x\" does not match format \"%Y\"");
  for (const auto& [text, format] :
       std::vector<std::pair<const char*, const char*>>{{"2024x", "%Y"},
                                                        {"13", "%m"},
                                                        {"0", "%d"},
                                                        {"24", "%H"},
                                                        {"12:00", "%I:%M:%S"},
                                                        {"62", "%S"},
                                                        {"x", "%p"},
                                                        {"Foo", "%b"},
                                                        {"+2", "%z"},
                                                        {"1", "%"},
                                                        {"1", "%Q"}}) {
    EXPECT_EQ(Parse(text, format).substr(0, 6), "error:") << text << " " << format;
  }
}

TEST(CivilTime, AgreesWithChrono) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100'000; ++i) {
    const int64_t days = static_cast<int64_t>(random() % 22'000'000) - 11'000'000;
    const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
    const CivilTime time = FromSeconds(days * 86'400 + 43'210);
    ASSERT_EQ(time.year, static_cast<int>(date.year()));
    ASSERT_EQ(time.month + 1, static_cast<unsigned>(date.month()));
    ASSERT_EQ(time.day, static_cast<unsigned>(date.day()));
    ASSERT_EQ(time.weekday, std::chrono::weekday{std::chrono::sys_days{date}}.c_encoding());
    ASSERT_EQ(ToSeconds(time), days * 86'400 + 43'210);
  }
}

// The C library in its C locale is the reference for every conversion.
TEST(FormatTime, AgreesWithTheCLibrary) {
  const std::string format =
      "%a|%A|%b|%B|%c|%C|%d|%D|%e|%F|%g|%G|%h|%H|%I|%j|%k|%l|%m|%M|%n|%p|%P|%r|%R|%S|%t|%T|%u|%U|%"
      "V|"
      "%w|%W|%x|%X|%y|%Y|%z|%%|%-d|%_m|%^a|%#p|%05d|%10A|%-H|%_5Y|%Ey|%Od|%010F|%3S";
  std::mt19937_64 random(11);
  for (int i = 0; i < 20'000; ++i) {
    const time_t seconds = static_cast<int64_t>(random() % 8'000'000'000) - 4'000'000'000;
    std::tm broken_down = {};
    gmtime_r(&seconds, &broken_down);
    char expected[2'048];
    ASSERT_GT(std::strftime(expected, sizeof(expected), format.c_str(), &broken_down), 0u);
    ASSERT_EQ(FormatTime(format, FromSeconds(seconds)).value(), expected) << seconds;
  }
}

TEST(ParseTime, ReadsWhatFormatTimeWrites) {
  std::mt19937_64 random(13);
  for (const char* format : {"%c", "%Y %j %T", "%d %b %Y %r", "%s", "%C%y-%m-%e %k:%M:%S"}) {
    for (int i = 0; i < 2'000; ++i) {
      const int64_t seconds = static_cast<int64_t>(random() % 4'000'000'000);
      const std::string text = FormatTime(format, FromSeconds(seconds)).value();
      const auto parsed = ParseTime(text, format);
      ASSERT_TRUE(parsed) << text;
      ASSERT_EQ(ToSeconds(parsed->time), seconds) << text;
      ASSERT_EQ(parsed->rest, "");
    }
  }
}

}  // namespace
}  // namespace jaque::expression
