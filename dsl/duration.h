// SPDX-License-Identifier: Apache-2.0
// Durations of the DSL (reference, "Duration"): ISO 8601 text or an object of days, hours, minutes,
// seconds and milliseconds. A year counts 365 days, a month 30, a week 7. For the compiler, and for
// the engine where an expression yields one. Pure, any thread. Sums saturate; InvalidArgument says
// what is wrong, above limits::kDurationSeconds and below zero included. (Go-style flag durations:
// base/duration.h.)
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "expression/value.h"

namespace jaque::dsl {

absl::StatusOr<absl::Duration> ParseIsoDuration(std::string_view text);
// ISO 8601 text, or an object like the literal.
absl::StatusOr<absl::Duration> DurationFromValue(const Value& value);

}  // namespace jaque::dsl
