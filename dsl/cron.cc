// SPDX-License-Identifier: Apache-2.0
#include "dsl/cron.h"

#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "base/status_macros.h"
#include "dsl/text.h"

namespace jaque::dsl {
namespace {

struct Field {
  const char* name;
  int min, max;
  const char* words;  // three letters each, for the values from `min` on
};
constexpr Field kMinute{"minute", 0, 59, ""};
constexpr Field kHour{"hour", 0, 23, ""};
constexpr Field kDay{"day of month", 1, 31, ""};
constexpr Field kMonth{"month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"};
constexpr Field kWeekday{"day of week", 0, 7, "sunmontuewedthufrisat"};

absl::Status Wrong(const Field& field, std::string_view text) {
  return absl::InvalidArgumentError(
      Cat("cron: `", text.substr(0, 40), "` is no ", field.name, " (", field.min, " to ", field.max,
          field.words[0] != '\0' ? ", or a name of three letters)" : ")"));
}

std::optional<int> ParseAtom(const Field& field, std::string_view text) {
  const std::string lower = absl::AsciiStrToLower(std::string(text));
  const std::string_view words = field.words;
  for (size_t i = 0; text.size() == 3 && i + 3 <= words.size(); i += 3) {
    if (words.substr(i, 3) == lower) return field.min + static_cast<int>(i / 3);
  }
  if (text.empty() || text.size() > 2) return std::nullopt;
  int value = 0;
  for (char c : text) {
    if (!absl::ascii_isdigit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  if (value < field.min || value > field.max) return std::nullopt;
  return value;
}

// `*`, `a`, `a-b`, each perhaps with `/step`.
absl::StatusOr<uint64_t> ParseItem(const Field& field, std::string_view item) {
  const size_t slash = item.find('/');
  const std::string_view range = item.substr(0, slash);
  int step = 1;
  if (slash != std::string_view::npos) {
    const std::string_view digits = item.substr(slash + 1);
    step = 0;
    for (char c : digits.substr(0, 3))
      step = absl::ascii_isdigit(c) ? step * 10 + (c - '0') : -1000;
    if (digits.size() > 3 || step < 1) {
      return absl::InvalidArgumentError(
          Cat("cron: the step of `", item.substr(0, 40), "` must be a number from 1"));
    }
  }
  int first = field.min, last = field.max;
  if (range != "*") {
    const size_t dash = range.find('-');
    const auto from = ParseAtom(field, range.substr(0, dash));
    if (!from.has_value()) return Wrong(field, item);
    first = *from;
    // `5/10` means from 5 on, as everywhere but in POSIX, which has no steps.
    last = slash == std::string_view::npos ? first : field.max;
    if (dash != std::string_view::npos) {
      const auto to = ParseAtom(field, range.substr(dash + 1));
      if (!to.has_value()) return Wrong(field, item);
      last = *to;
    }
    if (first > last) {
      return absl::InvalidArgumentError(
          Cat("cron: the range `", item.substr(0, 40), "` runs backwards"));
    }
  }
  uint64_t bits = 0;
  for (int value = first; value <= last; value += step) bits |= uint64_t{1} << value;
  return bits;
}

absl::StatusOr<uint64_t> ParseField(const Field& field, std::string_view text) {
  uint64_t bits = 0;
  for (size_t start = 0; start <= text.size();) {
    const size_t comma = std::min(text.find(',', start), text.size());
    ASSIGN_OR_RETURN(const uint64_t item, ParseItem(field, text.substr(start, comma - start)));
    bits |= item;
    start = comma + 1;
  }
  return bits;
}

std::vector<std::string_view> SplitFields(std::string_view text) {
  std::vector<std::string_view> fields;
  size_t at = 0;
  while (at < text.size()) {
    if (text[at] == ' ' || text[at] == '\t') {
      ++at;
      continue;
    }
    const size_t end = std::min(text.find_first_of(" \t", at), text.size());
    fields.push_back(text.substr(at, end - at));
    at = end;
  }
  return fields;
}

int WeekdayOf(absl::CivilDay day) {
  return (static_cast<int>(absl::GetWeekday(day)) + 1) % 7;  // absl: Monday is 0
}

}  // namespace

absl::StatusOr<Cron> Cron::Parse(std::string_view text) {
  const std::vector<std::string_view> fields = SplitFields(text);
  if (fields.size() != 5) {
    return absl::InvalidArgumentError(
        Cat("cron: five fields are expected (minute hour day month weekday), but there are ",
            fields.size()));
  }
  Cron cron;
  ASSIGN_OR_RETURN(cron.minutes_, ParseField(kMinute, fields[0]));
  ASSIGN_OR_RETURN(cron.hours_, ParseField(kHour, fields[1]));
  ASSIGN_OR_RETURN(cron.days_, ParseField(kDay, fields[2]));
  ASSIGN_OR_RETURN(cron.months_, ParseField(kMonth, fields[3]));
  ASSIGN_OR_RETURN(cron.weekdays_, ParseField(kWeekday, fields[4]));
  if ((cron.weekdays_ & (1 << 7)) != 0) cron.weekdays_ |= 1;
  cron.any_day_ = fields[2] == "*";
  cron.any_weekday_ = fields[4] == "*";
  if (!cron.CanMatch()) {
    return absl::InvalidArgumentError(
        Cat("cron: `", text.substr(0, 80), "` never matches: no such day in these months"));
  }
  return cron;
}

bool Cron::CanMatch() const {
  if (any_day_ || !any_weekday_) return true;  // some weekday is in every month
  static constexpr int kLongest[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  for (int month = 1; month <= 12; ++month) {
    if ((months_ >> month & 1) != 0 && std::countr_zero(days_) <= kLongest[month - 1]) return true;
  }
  return false;
}

bool Cron::MatchesDay(absl::CivilDay day) const {
  if ((months_ >> day.month() & 1) == 0) return false;
  const bool by_day = (days_ >> day.day() & 1) != 0;
  const bool by_weekday = (weekdays_ >> WeekdayOf(day) & 1) != 0;
  if (any_day_) return by_weekday;
  if (any_weekday_) return by_day;
  return by_day || by_weekday;
}

absl::Time Cron::Next(absl::Time after) const {
  const absl::TimeZone utc = absl::UTCTimeZone();
  absl::CivilMinute minute = absl::CivilMinute(absl::ToCivilSecond(after, utc)) + 1;
  const absl::CivilDay start(minute);
  // 29 February is at most eight years away.
  for (absl::CivilDay day = start; day < start + 9 * 366; ++day) {
    if (!MatchesDay(day)) continue;
    const absl::CivilMinute from = day == start ? minute : absl::CivilMinute(day);
    for (int hour = from.hour(); hour < 24; ++hour) {
      if ((hours_ >> hour & 1) == 0) continue;
      const int first = hour == from.hour() ? from.minute() : 0;
      const uint64_t left = minutes_ >> first << first;
      if (left == 0) continue;
      return absl::FromCivil(
          absl::CivilMinute(day.year(), day.month(), day.day(), hour, std::countr_zero(left)), utc);
    }
  }
  JAQUE_CHECK(!"Parse admits only what matches");
  return absl::InfiniteFuture();
}

}  // namespace jaque::dsl
