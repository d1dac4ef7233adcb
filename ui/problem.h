// SPDX-License-Identifier: Apache-2.0
// Every error of the API, as problem details (RFC 9457). Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "dsl/load.h"
#include "expression/value.h"
#include "jaque/v1/command.pb.h"
#include "jaque/v1/problem.pb.h"
#include "ui/http.h"

namespace jaque::ui {

// The type is "about:blank": the status says what kind of problem it is, `detail` what happened.
HttpResponse ProblemResponse(int status, std::string_view detail);

// A definition that was refused: each finding with line, column, pointer and message under
// "errors".
HttpResponse FindingsResponse(const std::vector<dsl::Finding>& findings);

// Something else, with findings.
HttpResponse FindingsResponse(std::string_view detail, const std::vector<dsl::Finding>& findings);

// What the command bus (no reply came) or the engine (a reply that is not OK) said.
HttpResponse ProblemOfStatus(const absl::Status& status);
HttpResponse ProblemOfReply(const v1::CommandReply& reply);

// A fault of a workflow, for the "error" of an instance.
Value ProblemValue(const v1::Problem& problem);

}  // namespace jaque::ui
