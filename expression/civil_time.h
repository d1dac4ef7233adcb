// SPDX-License-Identifier: Apache-2.0
// The proleptic Gregorian calendar in UTC, on 64-bit numbers. Pure, any thread, no errors: every
// function is total for the ranges named. Used by datetime.cc, strftime.cc and strptime.cc.
#pragma once

#include <cstdint>

namespace jaque::expression {

// A date and a time of day. `Normalized` brings fields to their ranges and derives the last two.
struct CivilTime {
  int64_t year = 1970;
  int64_t month = 0;  // 0 to 11
  int64_t day = 1;    // 1 to 31
  int64_t hour = 0;
  int64_t minute = 0;
  int64_t second = 0;
  int64_t weekday = 4;      // 0 is Sunday
  int64_t day_of_year = 0;  // 0 to 365
};

bool IsLeapYear(int64_t year);
// Days since 1970-01-01; month 0 to 11, any day; |year| up to 1e12.
int64_t DaysFromCivil(int64_t year, int64_t month, int64_t day);
// Seconds since 1970; fields may be out of range, up to 1e12 each.
int64_t ToSeconds(const CivilTime& time);
// |seconds| up to 1e18.
CivilTime FromSeconds(int64_t seconds);
inline CivilTime Normalized(const CivilTime& time) { return FromSeconds(ToSeconds(time)); }

}  // namespace jaque::expression
