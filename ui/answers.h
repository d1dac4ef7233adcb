// SPDX-License-Identifier: Apache-2.0
// The answers that several resources of the API give; errors are problem.h's. Pure; any thread.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "jaque/v1/command.pb.h"
#include "ui/http.h"

namespace jaque::ui {

HttpResponse JsonResponse(int status, std::string body);

// Of an instance that was started: 200 if it has ended, else 202.
HttpResponse StartedResponse(const v1::InstanceDescription& instance);
HttpResponse StartedResponse(const absl::StatusOr<v1::CommandReply>& reply);
// Of one that was changed.
HttpResponse ChangedResponse(const absl::StatusOr<v1::CommandReply>& reply);

// 413 for ResourceExhausted, which here is the request's fault; else as ProblemOfStatus.
HttpResponse ProblemOfRequest(const absl::Status& status);

// 503: only the store knows, and there is none.
HttpResponse NoStoreResponse();

}  // namespace jaque::ui
