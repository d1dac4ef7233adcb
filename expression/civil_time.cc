// SPDX-License-Identifier: Apache-2.0
#include "expression/civil_time.h"

namespace jaque::expression {
namespace {

constexpr int64_t kDay = 86'400;
constexpr int64_t kDaysOf400Years = 146'097;
constexpr int64_t kDaysFromMarchOfYear0To1970 = 719'468;

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
int64_t FloorModulo(int64_t a, int64_t b) { return a - FloorDivide(a, b) * b; }

// Days from the first of March to the first of a month counted from March.
int64_t DaysBeforeMonth(int64_t month_from_march) { return (153 * month_from_march + 2) / 5; }

}  // namespace

bool IsLeapYear(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

// Years are counted from March, so that the leap day is a year's last.
int64_t DaysFromCivil(int64_t year, int64_t month, int64_t day) {
  const int64_t y = month < 2 ? year - 1 : year;
  const int64_t era = FloorDivide(y, 400);
  const int64_t year_of_era = y - era * 400;
  const int64_t day_of_year = DaysBeforeMonth((month + 10) % 12);
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysOf400Years + day_of_era - kDaysFromMarchOfYear0To1970 + (day - 1);
}

int64_t ToSeconds(const CivilTime& time) {
  const int64_t year = time.year + FloorDivide(time.month, 12);
  const int64_t days = DaysFromCivil(year, FloorModulo(time.month, 12), time.day);
  return days * kDay + time.hour * 3'600 + time.minute * 60 + time.second;
}

CivilTime FromSeconds(int64_t seconds) {
  const int64_t days = FloorDivide(seconds, kDay);
  const int64_t second_of_day = FloorModulo(seconds, kDay);
  const int64_t shifted = days + kDaysFromMarchOfYear0To1970;
  const int64_t era = FloorDivide(shifted, kDaysOf400Years);
  const int64_t day_of_era = shifted - era * kDaysOf400Years;
  // The last day of a 4-year, a 100-year and a 400-year cycle is the leap day, hence the
  // corrections.
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;

  CivilTime time;
  time.month = (month_from_march + 2) % 12;
  time.year = era * 400 + year_of_era + (time.month < 2 ? 1 : 0);
  time.day = day_of_year - DaysBeforeMonth(month_from_march) + 1;
  time.hour = second_of_day / 3'600;
  time.minute = second_of_day / 60 % 60;
  time.second = second_of_day % 60;
  time.weekday = FloorModulo(days + 4, 7);
  time.day_of_year = days - DaysFromCivil(time.year, 0, 1);
  return time;
}

}  // namespace jaque::expression
