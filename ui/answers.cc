// SPDX-License-Identifier: Apache-2.0
#include "ui/answers.h"

#include <utility>

#include "ui/instance_json.h"
#include "ui/problem.h"

namespace jaque::ui {

HttpResponse JsonResponse(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

HttpResponse StartedResponse(const v1::InstanceDescription& instance) {
  const bool ended = HasEnded(instance.status());
  HttpResponse response = JsonResponse(ended ? 200 : 202, InstanceOutcome(instance));
  if (!ended) response.headers.emplace_back("Location", "/api/v1/instances/" + instance.id());
  return response;
}

HttpResponse StartedResponse(const absl::StatusOr<v1::CommandReply>& reply) {
  if (!reply.ok()) return ProblemOfStatus(reply.status());
  if (reply->code() != v1::CommandReply::CODE_OK) return ProblemOfReply(*reply);
  return StartedResponse(reply->instance());
}

HttpResponse ChangedResponse(const absl::StatusOr<v1::CommandReply>& reply) {
  if (!reply.ok()) return ProblemOfStatus(reply.status());
  if (reply->code() != v1::CommandReply::CODE_OK) return ProblemOfReply(*reply);
  return JsonResponse(200, InstanceOutcome(reply->instance()));
}

HttpResponse ProblemOfRequest(const absl::Status& status) {
  if (!absl::IsResourceExhausted(status)) return ProblemOfStatus(status);
  return ProblemResponse(413, std::string(status.message()));
}

HttpResponse NoStoreResponse() {
  return ProblemResponse(503, "this process has no store to answer from: start it with -store");
}

}  // namespace jaque::ui
