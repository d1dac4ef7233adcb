// SPDX-License-Identifier: Apache-2.0
// Cron expressions of five fields (minute, hour, day of month, month, day of week) in UTC. Lists,
// ranges, steps, English names of months and days, 7 for Sunday. If both day fields are restricted,
// either match fires (POSIX crontab); only a bare `*` is unrestricted, so `*/2` restricts. Pure,
// any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace jaque::dsl {

class Cron {
 public:
  // InvalidArgument says which field is wrong; an expression that can never match (30 February) is
  // wrong.
  static absl::StatusOr<Cron> Parse(std::string_view text);

  // The first matching minute strictly after `after`. Bounded work: at most nine years of days.
  absl::Time Next(absl::Time after) const;

 private:
  bool MatchesDay(absl::CivilDay day) const;
  bool CanMatch() const;

  uint64_t minutes_ = 0;
  uint32_t hours_ = 0, days_ = 0, months_ = 0, weekdays_ = 0;
  bool any_day_ = false, any_weekday_ = false;  // a bare `*`
};

}  // namespace jaque::dsl
