// SPDX-License-Identifier: Apache-2.0
// jq's dates as pure functions. Any thread; no clock, no locale, no TZ: the engine has no zone of
// its own, so "local" time is UTC on every node (a cluster's nodes must agree on an instance's
// results). A "broken down time" is [year, month 0-11, day, hour, minute, seconds, weekday 0-6, day
// of year 0-365]. Errors: InvalidArgument with jq 1.8.2's message; nothing that is given asserts or
// overflows. Conversions are POSIX's in the C locale; %z and %Z are read and ignored, as jq does.
#pragma once

#include "absl/status/statusor.h"
#include "expression/value.h"

namespace jaque::expression {

absl::StatusOr<Value> StrPTime(const Value& input, const Value& format);
absl::StatusOr<Value> StrFTime(const Value& input, const Value& format);
absl::StatusOr<Value> StrFLocalTime(const Value& input, const Value& format);
// Broken down time to seconds since 1970; fields out of range carry over.
absl::StatusOr<Value> MkTime(const Value& input);
// Seconds since 1970 to broken down time; fractions stay in the seconds.
absl::StatusOr<Value> GmTime(const Value& input);
absl::StatusOr<Value> LocalTime(const Value& input);

// ISO 8601 in UTC, whole seconds: todate, fromdate and their other names.
absl::StatusOr<Value> ToDate(const Value& input);
absl::StatusOr<Value> FromDate(const Value& input);

}  // namespace jaque::expression
