// SPDX-License-Identifier: Apache-2.0
#include "ui/bulk_api.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "expression/json.h"
#include "fmt/format.h"
#include "ui/answers.h"
#include "ui/instance_filter.h"
#include "ui/instance_json.h"
#include "ui/json_writer.h"
#include "ui/parameters.h"
#include "ui/problem.h"
#include "ui/rerun.h"

namespace jaque::ui {
namespace {

struct BulkRequest {
  std::string operation, reason;
  store::InstanceFilter filter;
  bool preview = false;
  bool possible = true;  // some status is left that the operation can change
};

std::vector<v1::InstanceStatus> ChangeableBy(std::string_view operation) {
  if (operation == "cancel") {
    return {v1::INSTANCE_STATUS_PENDING, v1::INSTANCE_STATUS_RUNNING, v1::INSTANCE_STATUS_WAITING,
            v1::INSTANCE_STATUS_SUSPENDED};
  }
  if (operation == "suspend") {
    return {v1::INSTANCE_STATUS_PENDING, v1::INSTANCE_STATUS_RUNNING, v1::INSTANCE_STATUS_WAITING};
  }
  if (operation == "resume") return {v1::INSTANCE_STATUS_SUSPENDED};
  if (operation == "retry") return {v1::INSTANCE_STATUS_FAULTED, v1::INSTANCE_STATUS_CANCELLED};
  return {};
}

absl::StatusOr<BulkRequest> ReadBulk(const Call& call) {
  ASSIGN_OR_RETURN(const Value body,
                   ReadObject(call, {"operation", "filter", "reason", "preview"}));
  BulkRequest request;
  ASSIGN_OR_RETURN(request.operation, TextMember(body, "operation", ""));
  const std::vector<v1::InstanceStatus> changeable = ChangeableBy(request.operation);
  if (changeable.empty()) {
    return absl::InvalidArgumentError("operation: cancel, suspend, resume or retry");
  }
  const Value* filter = body.Find("filter");
  if (filter == nullptr) return absl::InvalidArgumentError("filter: is missing; {} is everything");
  ASSIGN_OR_RETURN(request.filter, ReadFilter(*filter));
  ASSIGN_OR_RETURN(request.reason, TextMember(body, "reason", "changed by a request for many"));
  RETURN_IF_ERROR(CheckReason(request.reason));
  if (const Value* preview = body.Find("preview")) {
    if (!preview->is_bool()) return absl::InvalidArgumentError("preview: true or false");
    request.preview = preview->truthy();
  }
  std::vector<v1::InstanceStatus>& asked = request.filter.statuses;
  if (asked.empty()) asked = changeable;
  asked.erase(std::remove_if(asked.begin(), asked.end(),
                             [&](v1::InstanceStatus status) {
                               return std::find(changeable.begin(), changeable.end(), status) ==
                                      changeable.end();
                             }),
              asked.end());
  request.possible = !asked.empty();
  request.filter.namespaces = call.caller.Namespaces(Role::kOperator);
  return request;
}

// Sends commands, so many at a time, and remembers which were refused. One thread calls Send and
// Finish.
class Sending {
 public:
  explicit Sending(const CommandSender* sender) : sender_(*sender) {}

  void Send(const std::string& id, v1::Command command) {
    {
      absl::MutexLock lock(&state_->mutex);
      if (!state_->mutex.AwaitWithTimeout(absl::Condition(state_.get(), &State::HasRoom),
                                          kLongest)) {
        state_->failed.emplace_back(id, "no answers come");
        return;
      }
      ++state_->sent;
    }
    sender_.Submit(std::move(command), CommandSender::kPatience,
                   [state = state_, id](const absl::StatusOr<v1::CommandReply>& reply) {
                     absl::MutexLock lock(&state->mutex);
                     --state->sent;
                     if (!reply.ok()) {
                       state->failed.emplace_back(id, Message(reply.status()));
                     } else if (reply->code() != v1::CommandReply::CODE_OK) {
                       state->failed.emplace_back(id, reply->message());
                     } else {
                       ++state->done;
                     }
                   });
  }
  void Refuse(const std::string& id, const absl::Status& why) {
    absl::MutexLock lock(&state_->mutex);
    state_->failed.emplace_back(id, Message(why));
  }
  void Finish(JsonWriter* out) {
    absl::MutexLock lock(&state_->mutex);
    // A bus that is going away drops what it was to answer.
    state_->mutex.AwaitWithTimeout(absl::Condition(state_.get(), &State::IsIdle), kLongest);
    Value failed = Value::Array();
    for (const auto& [id, why] : state_->failed) {
      failed.Append(Value::Object({{"id", Value::String(id)}, {"detail", Value::String(why)}}));
    }
    out->Int("done", static_cast<int64_t>(state_->done)).Member("failed", failed);
  }

 private:
  static constexpr absl::Duration kLongest = absl::Seconds(20);
  // Shared with callbacks, which may come late.
  struct State {
    bool HasRoom() const { return sent < static_cast<size_t>(limits::kBulkParallel); }
    bool IsIdle() const { return sent == 0; }
    absl::Mutex mutex;
    size_t sent = 0, done = 0;
    std::vector<std::pair<std::string, std::string>> failed;
  };
  const CommandSender& sender_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

class BulkApi {
 public:
  BulkApi(const ApiParts& parts, const CommandSender* sender) : parts_(parts), sender_(sender) {}

  HttpResponse Serve(const Call& call) const {
    if (running_.fetch_add(1) >= limits::kBulkRuns) {
      running_.fetch_sub(1);
      return ProblemResponse(429, "other requests of this kind are being done");
    }
    absl::StatusOr<std::string> result = Result(call);
    running_.fetch_sub(1);
    if (!result.ok()) return ProblemOfRequest(result.status());
    return JsonResponse(200, *std::move(result));
  }

 private:
  absl::StatusOr<std::string> Result(const Call& call) const;
  absl::Status Count(const BulkRequest& request, JsonWriter* out) const;
  absl::Status Sample(const BulkRequest& request, JsonWriter* out) const;
  absl::Status Run(const BulkRequest& request, const std::string& actor, JsonWriter* out) const;
  // The command for one instance.
  absl::StatusOr<v1::Command> Make(const BulkRequest& request, const std::string& id) const;
  bool WasRetried(const std::string& id) const;

  const ApiParts parts_;
  const CommandSender* const sender_;
  mutable std::atomic<int> running_ = 0;
};

absl::StatusOr<std::string> BulkApi::Result(const Call& call) const {
  ASSIGN_OR_RETURN(const BulkRequest request, ReadBulk(call));
  JsonWriter out;
  if (!request.possible) {
    out.Int("matched", 0).Bool("more", false);
    if (!request.preview) out.Int("done", 0).Raw("failed", "[]").Bool("remaining", false);
    return out.Take();
  }
  RETURN_IF_ERROR(Count(request, &out));
  RETURN_IF_ERROR(request.preview ? Sample(request, &out) : Run(request, ActorOf(call), &out));
  return out.Take();
}

absl::Status BulkApi::Count(const BulkRequest& request, JsonWriter* out) const {
  ASSIGN_OR_RETURN(const store::StatusCounts counts, parts_.store->CountInstances(request.filter));
  int64_t matched = 0;
  bool more = false;
  for (const auto& [status, count] : counts.counts) {
    const auto most = static_cast<int64_t>(limits::kCountedInstances);
    more = more || count > most;
    matched += std::min(count, most);
  }
  out->Int("matched", matched).Bool("more", more);
  return absl::OkStatus();
}

absl::Status BulkApi::Sample(const BulkRequest& request, JsonWriter* out) const {
  store::Page first;
  first.limit = limits::kBulkSample;
  first.oldest_first = true;
  ASSIGN_OR_RETURN(const store::InstancePage page,
                   parts_.store->ListInstances(request.filter, first));
  std::string list = "[";
  for (const store::InstanceRow& row : page.items) {
    if (list.size() > 1) list += ',';
    list += InstanceRow(row);
  }
  out->Raw("sample", list + "]");
  return absl::OkStatus();
}

bool BulkApi::WasRetried(const std::string& id) const {
  store::InstanceFilter filter;
  filter.rerun_of = id;
  store::Page first;
  first.limit = 1;
  const auto again = parts_.store->ListInstances(filter, first);
  return again.ok() && !again->items.empty();
}

absl::StatusOr<v1::Command> BulkApi::Make(const BulkRequest& request, const std::string& id) const {
  v1::Command command;
  if (request.operation == "retry") {
    RerunRequest retry;
    retry.retry = true;
    ASSIGN_OR_RETURN(command, MakeRerun(parts_, *sender_, id, retry));
    command.set_object_id(parts_.ids->Ulid());
    return command;
  }
  command.set_object_id(id);
  if (request.operation == "cancel") {
    command.mutable_cancel_instance()->set_reason(request.reason);
  } else if (request.operation == "suspend") {
    command.mutable_suspend_instance()->set_reason(request.reason);
  } else {
    command.mutable_resume_instance();
  }
  return command;
}

absl::Status BulkApi::Run(const BulkRequest& request, const std::string& actor,
                          JsonWriter* out) const {
  // All are found before the first is changed, so that pages do not move.
  std::vector<std::string> ids;
  store::Page page;
  page.limit = limits::kPageItems;
  page.oldest_first = true;
  do {
    ASSIGN_OR_RETURN(const store::InstancePage found,
                     parts_.store->ListInstances(request.filter, page));
    for (const store::InstanceRow& row : found.items) {
      if (request.operation == "retry" && WasRetried(row.id)) continue;
      ids.push_back(row.id);
    }
    page.cursor = found.next;
  } while (!page.cursor.empty() && ids.size() < limits::kBulkInstances);
  const bool remaining = !page.cursor.empty() || ids.size() > limits::kBulkInstances;
  ids.resize(std::min(ids.size(), limits::kBulkInstances));
  Sending sending(sender_);
  for (const std::string& id : ids) {
    absl::StatusOr<v1::Command> command = Make(request, id);
    if (!command.ok()) {
      sending.Refuse(id, command.status());
      continue;
    }
    command->set_actor(actor);
    sending.Send(id, *std::move(command));
  }
  sending.Finish(out);
  out->Bool("remaining", remaining);
  return absl::OkStatus();
}

}  // namespace

void AddBulkRoutes(const ApiParts& parts, const CommandSender* sender, WorkPool* pool,
                   Routes* routes) {
  const auto api = std::make_shared<const BulkApi>(parts, sender);
  routes->Add("POST", "/api/v1/instances/bulk", Somewhere(Role::kOperator), {},
              [parts, api, pool](Call call) {
                if (parts.store == nullptr) return call.reply(NoStoreResponse());
                pool->Answer(std::move(call),
                             [api](const Call& taken) { return api->Serve(taken); });
              });
}

}  // namespace jaque::ui
