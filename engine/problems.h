// SPDX-License-Identifier: Apache-2.0
// The errors that the engine itself raises, as problem details with the DSL's standard types
// (reference, "Standard Error Types"), and problems as values that expressions see. Pure.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "dsl/model.h"
#include "expression/value.h"
#include "jaque/v1/problem.pb.h"

namespace jaque::engine {

v1::Problem ExpressionProblem(std::string_view detail);
v1::Problem ValidationProblem(std::string_view detail);
v1::Problem ConfigurationProblem(std::string_view detail);
v1::Problem RuntimeProblem(std::string_view detail);
v1::Problem TimeoutProblem(std::string_view detail);

// The convention between the deciders: InvalidArgument and ResourceExhausted come from an
// expression, FailedPrecondition from a schema, NotFound from a reference; anything else is a
// runtime error.
v1::Problem ProblemFrom(const absl::Status& status);

// {type, status, title, detail, instance}: what `catch.as` binds. Absent texts are absent members.
Value ProblemValue(const v1::Problem& problem);

// Leaves what of a text may be told: limits::kProblemDetailBytes, up to the end of a character.
void CutText(std::string* text);

// Does the static filter of a catch let it pass?
bool Matches(const dsl::ErrorFilter& filter, const v1::Problem& problem);

}  // namespace jaque::engine
