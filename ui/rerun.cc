// SPDX-License-Identifier: Apache-2.0
#include "ui/rerun.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/status_macros.h"
#include "expression/json.h"
#include "fmt/format.h"
#include "ui/instance_json.h"
#include "ui/instance_replay.h"

namespace jaque::ui {
namespace {

// The instance as the store has it, ended as `retry` wants it.
absl::StatusOr<store::InstanceRecord> FindInstance(const ApiParts& parts,
                                                   const CommandSender& sender,
                                                   const std::string& id, bool retry) {
  absl::StatusOr<store::InstanceRecord> stored = parts.store->GetInstance(id);
  if (!stored.ok() && !absl::IsNotFound(stored.status())) return stored;
  if (stored.ok() && (HasEnded(stored->row.status) || !retry)) {
    if (!retry || stored->row.status != v1::INSTANCE_STATUS_COMPLETED) return stored;
    return absl::FailedPreconditionError(fmt::format("{} completed: rerun it instead", id));
  }
  v1::Command describe;
  describe.set_object_id(id);
  describe.mutable_describe_instance();
  ASSIGN_OR_RETURN(const v1::CommandReply now, sender.SubmitAndWait(std::move(describe)));
  if (now.code() != v1::CommandReply::CODE_OK) {
    return stored.ok() ? absl::UnavailableError("the store has not caught up yet")
                       : absl::NotFoundError(fmt::format("there is no instance {}", id));
  }
  if (!stored.ok() || HasEnded(now.instance().status())) {
    return absl::UnavailableError("the store has not caught up yet");
  }
  return absl::FailedPreconditionError(fmt::format("{} has not ended", id));
}

// Whether the pointer is that of the task, or inside it.
bool Covers(const std::string& task, const std::string& pointer) {
  return pointer.compare(0, task.size(), task) == 0 &&
         (pointer.size() == task.size() || pointer[task.size()] == '/');
}

absl::StatusOr<const TopLevelBegin*> Choose(const TopLevelHistory& history,
                                            const RerunRequest& request) {
  const auto& begins = history.begins;
  if (request.retry) {
    if (!begins.empty()) return &begins.back();
    return absl::FailedPreconditionError("it ended before its first task: rerun it instead");
  }
  for (auto begin = begins.rbegin(); begin != begins.rend(); ++begin) {
    const dsl::Task& task = *history.workflow->tasks[begin->position];
    const bool chosen =
        request.task.empty() ? begin->seq < request.seq : Covers(task.pointer, request.task);
    if (chosen) return &*begin;
  }
  return absl::FailedPreconditionError(request.task.empty()
                                           ? fmt::format("it began no task at {}", request.seq)
                                           : fmt::format("it never came to {}", request.task));
}

absl::Status CheckSize(const std::string& json) {
  if (json.size() <= limits::kInputBytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      fmt::format("the input is {} bytes long; {} are possible", json.size(), limits::kInputBytes));
}

}  // namespace

absl::StatusOr<v1::Command> MakeRerun(const ApiParts& parts, const CommandSender& sender,
                                      const std::string& id, const RerunRequest& request) {
  ASSIGN_OR_RETURN(const store::InstanceRecord stored,
                   FindInstance(parts, sender, id, request.retry));
  ASSIGN_OR_RETURN(const TopLevelHistory history, ReadTopLevel(parts.store, parts.definitions, id));
  if (parts.deletion->IsDeleted(history.workflow->id())) {
    return absl::FailedPreconditionError(
        fmt::format("the definition {} was deleted", history.workflow->id()));
  }
  v1::Command command;
  v1::StartInstance* start = command.mutable_start_instance();
  start->set_definition(history.workflow->id());
  start->set_input(ToJson(history.input));
  start->set_rerun_of(id);
  for (const auto& [key, value] : stored.row.tags) {
    v1::Tag* tag = start->add_tags();
    tag->set_key(key);
    tag->set_value(value);
  }
  if (!request.retry && request.task.empty() && request.seq == 0) {
    if (request.input) start->set_input(ToJson(*request.input));
    RETURN_IF_ERROR(CheckSize(start->input()));
    return command;
  }
  ASSIGN_OR_RETURN(const TopLevelBegin* begin, Choose(history, request));
  v1::StartFrom* from = start->mutable_from();
  from->set_position(begin->position);
  from->set_data(ToJson(request.input ? *request.input : begin->data));
  from->set_context(ToJson(begin->context));
  if (request.input) RETURN_IF_ERROR(CheckSize(from->data()));
  return command;
}

}  // namespace jaque::ui
