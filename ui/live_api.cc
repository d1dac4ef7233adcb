// SPDX-License-Identifier: Apache-2.0
#include "ui/live_api.h"

#include <string>
#include <utility>

#include "base/status_macros.h"
#include "fmt/format.h"
#include "ui/answers.h"
#include "ui/parameters.h"
#include "ui/problem.h"

namespace jaque::ui {
namespace {

// OK if the store, or an engine, knows the instance: one that has just begun is not in the store.
absl::Status CheckExists(const ApiParts& parts, const CommandSender& sender,
                         const std::string& id) {
  const absl::Status stored = parts.store->GetInstance(id).status();
  if (!absl::IsNotFound(stored)) return stored;
  v1::Command describe;
  describe.set_object_id(id);
  describe.mutable_describe_instance();
  ASSIGN_OR_RETURN(const v1::CommandReply reply, sender.SubmitAndWait(std::move(describe)));
  if (reply.code() == v1::CommandReply::CODE_OK) return absl::OkStatus();
  return absl::NotFoundError(fmt::format("there is no instance {}", id));
}

absl::StatusOr<HttpResponse> Open(const ApiParts& parts, const CommandSender& sender,
                                  LiveStreams* streams, const Call& call) {
  const std::string_view last = call.request.Header("Last-Event-ID");
  ASSIGN_OR_RETURN(const store::HistorySeq after, last.empty()
                                                      ? ParseSeq("after", ReadText(call, "after"))
                                                      : ParseSeq("Last-Event-ID", last));
  RETURN_IF_ERROR(CheckExists(parts, sender, call.path[0]));
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.headers = {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}};
  response.stream = streams->Open(call.path[0], after);
  if (response.stream == nullptr) return ProblemResponse(503, "there are too many live streams");
  return response;
}

}  // namespace

void AddLiveRoutes(const ApiParts& parts, const CommandSender* sender, WorkPool* pool,
                   LiveStreams* streams, Routes* routes) {
  routes->Add("GET", "/api/v1/instances/{id}/events", OfInstance(Role::kViewer), {"after"},
              [parts, sender, pool, streams](Call call) {
                if (streams == nullptr) return call.reply(NoStoreResponse());
                pool->Answer(std::move(call), [parts, sender, streams](const Call& taken) {
                  absl::StatusOr<HttpResponse> opened = Open(parts, *sender, streams, taken);
                  return opened.ok() ? *std::move(opened) : ProblemOfRequest(opened.status());
                });
              });
}

}  // namespace jaque::ui
