// SPDX-License-Identifier: Apache-2.0
// Names of days and months in the C locale. Pure; used by strftime.cc and strptime.cc.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace jaque::expression {

inline constexpr std::array<std::string_view, 7> kDayNames = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
inline constexpr std::array<std::string_view, 12> kMonthNames = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

// `weekday` 0 to 6, `month` 0 to 11.
inline std::string_view DayName(int64_t weekday) { return kDayNames.at(weekday); }
inline std::string_view MonthName(int64_t month) { return kMonthNames.at(month); }

}  // namespace jaque::expression
