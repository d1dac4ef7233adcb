// SPDX-License-Identifier: Apache-2.0
#include "base/duration.h"

#include "fmt/format.h"

namespace jaque {

absl::StatusOr<absl::Duration> ParseGoDuration(std::string_view text) {
  absl::Duration duration;
  const std::string copy(text);
  if (copy.find("inf") != std::string::npos || !absl::ParseDuration(copy, &duration)) {
    const bool bare_number =
        !copy.empty() && copy.find_first_not_of("0123456789.") == std::string::npos;
    return absl::InvalidArgumentError(
        bare_number ? fmt::format("\"{}\" has no unit: write \"{}s\" for seconds", text, text)
                    : fmt::format("\"{}\" is no duration: write 250ms, 10s or 1m30s", text));
  }
  if (duration < absl::ZeroDuration()) {
    return absl::InvalidArgumentError(fmt::format("\"{}\" is negative", text));
  }
  return duration;
}

std::string DurationText(absl::Duration duration) {
  // Three significant digits below ten seconds; whole seconds' tenths above.
  absl::Duration unit = absl::Milliseconds(100);
  if (duration < absl::Milliseconds(1)) {
    unit = absl::Microseconds(1);
  } else if (duration < absl::Milliseconds(10)) {
    unit = absl::Microseconds(10);
  } else if (duration < absl::Seconds(1)) {
    unit = absl::Milliseconds(1);
  } else if (duration < absl::Seconds(10)) {
    unit = absl::Milliseconds(10);
  }
  return absl::FormatDuration(absl::Trunc(duration, unit));
}

}  // namespace jaque
