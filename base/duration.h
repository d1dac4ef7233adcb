// SPDX-License-Identifier: Apache-2.0
// Durations as Go writes them, for flags, query parameters and messages to people: "10s", "1m30s",
// "1.5h", "250ms". Pure; any thread. (The DSL's own durations are dsl/'s affair.)
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace jaque {

// InvalidArgument, in words, for negative, endless or unreadable text; "0" needs no unit.
absl::StatusOr<absl::Duration> ParseGoDuration(std::string_view text);

// The shortest such text, "1m30s"; rounded to what a person reads: "1.24s", "83ms", "412us".
std::string DurationText(absl::Duration duration);

}  // namespace jaque
