// SPDX-License-Identifier: Apache-2.0
// Early return on a bad absl::Status, and CHECK for our own bugs (abseil 20220623 has no public
// one).
#pragma once

#include <utility>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace jaque::internal {
// Prints "file:line: condition" and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);
}  // namespace jaque::internal

#define JAQUE_CHECK(condition)                         \
  (ABSL_PREDICT_TRUE(condition) ? static_cast<void>(0) \
                                : ::jaque::internal::CheckFailed(__FILE__, __LINE__, #condition))

#define RETURN_IF_ERROR(expression)                                    \
  do {                                                                 \
    absl::Status status_macro_ = (expression);                         \
    if (ABSL_PREDICT_FALSE(!status_macro_.ok())) return status_macro_; \
  } while (false)

#define JAQUE_CONCAT_INNER(a, b) a##b
#define JAQUE_CONCAT(a, b) JAQUE_CONCAT_INNER(a, b)
#define ASSIGN_OR_RETURN(target, expression) \
  JAQUE_ASSIGN_OR_RETURN(JAQUE_CONCAT(status_or_, __LINE__), target, expression)
#define JAQUE_ASSIGN_OR_RETURN(name, target, expression)               \
  auto name = (expression);                                            \
  if (ABSL_PREDICT_FALSE(!name.ok())) return std::move(name).status(); \
  target = *std::move(name)
