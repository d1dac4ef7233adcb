// SPDX-License-Identifier: Apache-2.0
// What the process tells its caller when it ends (README, "Exit codes").
#pragma once

#include "absl/status/status.h"

namespace jaque::cmd {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFaulted = 1;        // the workflow faulted or was cancelled
inline constexpr int kExitBadDefinition = 2;  // or bad usage
inline constexpr int kExitFailed = 3;         // jaque, or the server asked, could not do its work
inline constexpr int kExitNotFound = 4;       // the server has no such thing, for this caller
inline constexpr int kExitRefused = 5;        // no token, no right, or not as things are now
inline constexpr int kExitInterrupted = 130;  // by Ctrl-C, as shells say it

// The end of a command whose arguments were not right: prints why to standard error, or the help
// that was asked for (Cancelled) to standard output.
int ReportUsage(const absl::Status& status);

// "jaque: message" on standard error; `code` is handed through.
int ReportError(const absl::Status& status, int code);

}  // namespace jaque::cmd
