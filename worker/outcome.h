// SPDX-License-Identifier: Apache-2.0
// What comes of one attempt of a task: its raw output, or an error of the user's world as problem
// details (DSL reference, "Standard Error Types"). Runners make them; pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "dsl/errors.h"
#include "expression/value.h"
#include "jaque/v1/problem.pb.h"

namespace jaque {

using Outcome = std::variant<Value, v1::Problem>;
using OutcomeFn = absl::AnyInvocable<void(Outcome)>;

// The type's own status and title where `status` is 0 and `title` empty.
v1::Problem MakeProblem(std::string_view type, std::string_view detail, int status = 0,
                        std::string_view title = "");

// Arguments that a runner cannot use, as a status and as the problem that it becomes (validation,
// 400).
absl::Status BadArgument(std::string_view detail);
v1::Problem ArgumentProblem(std::string_view detail);

// The last `bytes` of a text, or the first, from a character's first byte to another's last.
std::string_view LastPart(std::string_view text, size_t bytes);
std::string_view FirstPart(std::string_view text, size_t bytes);

}  // namespace jaque
