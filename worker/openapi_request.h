// SPDX-License-Identifier: Apache-2.0
// From an operation and the call's parameters to a request. The body: Swagger's body parameter by
// its name, or `body`; for OpenAPI 3 `body`, or an object of those parameters that are declared
// nowhere else. BadArgument for a missing or unknown parameter and for what cannot be sent. Pure;
// any thread.
#pragma once

#include "absl/status/statusor.h"
#include "expression/value.h"
#include "worker/http_client.h"
#include "worker/openapi_document.h"

namespace jaque {

absl::StatusOr<HttpRequest> MakeOperationRequest(const OpenApiOperation& operation,
                                                 const Value& parameters);

}  // namespace jaque
