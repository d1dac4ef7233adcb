// SPDX-License-Identifier: Apache-2.0
// POSIX strftime and strptime in the C locale, for UTC, without libc: no TZ, no locale, no state.
// Any thread. GNU's flags (- _ 0 ^ #) and widths are understood; a conversion that is unknown is
// printed as it stands.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "expression/civil_time.h"

namespace jaque::expression {

// nullopt if the result is longer than a format of this size can ask for in earnest.
std::optional<std::string> FormatTime(std::string_view format, const CivilTime& time);

struct ParsedTime {
  CivilTime time;         // fields as they were read; weekday and day of year derived
  std::string_view rest;  // of the text
};

// Fields that the format does not name are those of 1970-01-01T00:00:00. nullopt if `text` does not
// match.
std::optional<ParsedTime> ParseTime(std::string_view text, std::string_view format);

}  // namespace jaque::expression
