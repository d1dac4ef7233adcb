// SPDX-License-Identifier: Apache-2.0
#include "dsl/duration.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "dsl/text.h"

namespace jaque::dsl {
namespace {

struct Unit {
  char letter;
  bool time;  // after the T
  absl::Duration length;
};
const Unit kUnits[] = {
    {'Y', false, absl::Hours(24 * 365)}, {'M', false, absl::Hours(24 * 30)},
    {'W', false, absl::Hours(24 * 7)},   {'D', false, absl::Hours(24)},
    {'H', true, absl::Hours(1)},         {'M', true, absl::Minutes(1)},
    {'S', true, absl::Seconds(1)},
};

absl::StatusOr<absl::Duration> WithinLimit(absl::Duration duration) {
  if (duration < absl::ZeroDuration()) {
    return absl::InvalidArgumentError("a duration cannot be negative");
  }
  if (duration > absl::Seconds(limits::kDurationSeconds)) {
    return absl::InvalidArgumentError(Cat("longer than the limit of ",
                                          limits::kDurationSeconds / 86'400 / 365,
                                          " years (of 365 days)"));
  }
  return duration;
}

absl::Status NotIso(std::string_view text) {
  return absl::InvalidArgumentError(
      Cat("`", text.substr(0, 80), "` is no ISO 8601 duration such as PT1M30S or P1DT12H"));
}

// Digits, perhaps with a fraction, times `length`; saturates.
class Quantity {
 public:
  // Takes the number at the front of `text`; false if there is none.
  bool Take(std::string_view* text) {
    if (!TakeDigits(text, &whole_)) return false;
    if (text->empty() || text->front() != '.') return true;
    text->remove_prefix(1);
    return TakeDigits(text, &fraction_);
  }

  absl::Duration Times(absl::Duration length) const {
    int64_t whole = 0;
    for (char c : whole_) {
      if (whole > limits::kDurationSeconds * 1'000) return absl::InfiniteDuration();
      whole = whole * 10 + (c - '0');
    }
    absl::Duration total = length * whole;
    for (char c : fraction_.substr(0, 18)) {
      length /= 10;
      total += length * (c - '0');
    }
    return total;
  }

 private:
  static bool TakeDigits(std::string_view* text, std::string_view* digits) {
    size_t n = 0;
    while (n < text->size() && absl::ascii_isdigit((*text)[n])) ++n;
    *digits = text->substr(0, n);
    text->remove_prefix(n);
    return n > 0;
  }

  std::string_view whole_, fraction_;
};

struct Member {
  std::string_view name;
  absl::Duration length;
};
const Member kMembers[] = {{"days", absl::Hours(24)},
                           {"hours", absl::Hours(1)},
                           {"minutes", absl::Minutes(1)},
                           {"seconds", absl::Seconds(1)},
                           {"milliseconds", absl::Milliseconds(1)}};

absl::StatusOr<absl::Duration> FromMember(std::string_view name, const Value& value) {
  for (const Member& member : kMembers) {
    if (member.name != name) continue;
    if (!value.is_number()) break;
    const auto count = value.AsInt();
    const double approximate = value.AsDouble();
    if (!count.has_value() && approximate > 1e18) return absl::InfiniteDuration();
    if (!count.has_value()) break;
    if (*count < 0) {
      return absl::InvalidArgumentError(Cat("`", name, "` of a duration cannot be negative"));
    }
    return member.length * *count;  // saturates
  }
  return absl::InvalidArgumentError(
      "a duration has whole numbers of days, hours, minutes, seconds and milliseconds");
}

}  // namespace

absl::StatusOr<absl::Duration> ParseIsoDuration(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with("-P")) return absl::InvalidArgumentError("a duration cannot be negative");
  if (!rest.starts_with('P') || rest.size() == 1) return NotIso(text);
  rest.remove_prefix(1);
  absl::Duration total = absl::ZeroDuration();
  bool in_time = false;
  size_t next = 0;  // in kUnits: units come in order, each once
  while (!rest.empty()) {
    if (!in_time && rest.front() == 'T') {
      in_time = true;
      rest.remove_prefix(1);
    }
    Quantity quantity;
    if (!quantity.Take(&rest) || rest.empty()) return NotIso(text);
    while (next < std::size(kUnits) &&
           (kUnits[next].letter != rest.front() || kUnits[next].time != in_time)) {
      ++next;
    }
    if (next == std::size(kUnits)) return NotIso(text);
    total += quantity.Times(kUnits[next++].length);
    rest.remove_prefix(1);
  }
  return WithinLimit(total);
}

absl::StatusOr<absl::Duration> DurationFromValue(const Value& value) {
  if (value.is_string()) return ParseIsoDuration(value.AsString());
  if (!value.is_object() || value.size() == 0) {
    return absl::InvalidArgumentError(
        "a duration is ISO 8601 text or an object such as {seconds: 5}");
  }
  absl::Duration total = absl::ZeroDuration();
  absl::Status status;
  value.ForEachMember([&](std::string_view name, const Value& member) {
    auto part = FromMember(name, member);
    if (part.ok()) total += *part;
    status = part.status();
    return status.ok();
  });
  RETURN_IF_ERROR(status);
  return WithinLimit(total);
}

}  // namespace jaque::dsl
