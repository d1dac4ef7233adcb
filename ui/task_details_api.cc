// SPDX-License-Identifier: Apache-2.0
#include "ui/task_details_api.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/limits.h"
#include "base/status_macros.h"
#include "expression/json.h"
#include "fmt/format.h"
#include "ui/answers.h"
#include "ui/history_json.h"
#include "ui/instance_replay.h"
#include "ui/json_writer.h"
#include "ui/parameters.h"
#include "ui/store_handler.h"

namespace jaque::ui {
namespace {

using engine::Fact;
using engine::Frame;

// What a task had; nullopt: not known, or not yet.
struct TaskValues {
  std::optional<Value> raw_input, input, output, context;
  std::string child;
};

// What the next task below `parent` gets.
const Value& GivenBy(const Frame& parent) {
  return parent.Get<engine::ForkState>() != nullptr ? parent.input : parent.data;
}

// Follows one task through the history, from the fact that began it.
class TaskFollower {
 public:
  explicit TaskFollower(store::HistorySeq seq) : seq_(seq) {}

  // False once the task has ended.
  bool See(const engine::Instance* instance, const store::HistoryItem& item, const Fact& fact,
           bool applied) {
    if (item.seq < seq_) return true;
    if (item.seq == seq_) {
      applied ? Began(instance, fact) : Before(instance, fact);
      return !(applied && frame_ == engine::kNoFrame);
    }
    if (!applied && fact.event.has_task_completed() &&
        fact.event.task_completed().frame() == frame_) {
      values_.output = fact.data.has_value() ? fact.data : values_.raw_input;
      return false;
    }
    // Once something above it is given up, nothing more comes.
    return instance == nullptr || instance->Find(frame_) != nullptr || !applied;
  }

  TaskValues Take() { return std::move(values_); }

 private:
  void Before(const engine::Instance* instance, const Fact& fact) {
    if (instance == nullptr) return;
    values_.context = instance->context;
    if (!fact.event.has_task_completed()) return;
    // It was done at once: its input after `input.from` is not in the log.
    const v1::TaskCompleted& completed = fact.event.task_completed();
    const Frame* parent = instance->Find(completed.parent());
    if (parent == nullptr) return;
    values_.raw_input = GivenBy(*parent);
    const dsl::Task& task = *instance->workflow->by_index[completed.task()];
    if (!task.input.transform.has_value()) values_.input = values_.raw_input;
    values_.output = fact.data.has_value() ? fact.data : values_.raw_input;
  }

  void Began(const engine::Instance* instance, const Fact& fact) {
    if (instance == nullptr || !fact.event.has_task_started()) return;
    frame_ = fact.event.task_started().frame();
    const Frame* frame = instance->Find(frame_);
    if (frame == nullptr) return;
    values_.raw_input = frame->raw_input;
    values_.input = frame->input;
    if (const auto* work = frame->Get<engine::WorkState>()) values_.child = work->child;
  }

  const store::HistorySeq seq_;
  engine::FrameId frame_ = engine::kNoFrame;
  TaskValues values_;
};

std::string DetailsJson(const store::TaskRow& row, const TaskValues& values,
                        const std::string& part) {
  JsonWriter out = TaskRowWriter(row);
  Value omitted = Value::Array();
  const std::pair<std::string_view, const std::optional<Value>*> members[] = {
      {"rawInput", &values.raw_input},
      {"input", &values.input},
      {"output", &values.output},
      {"context", &values.context}};
  for (const auto& [name, value] : members) {
    if (!value->has_value() || (!part.empty() && part != name)) continue;
    const std::string json = ToJson(**value);
    if (part.empty() && json.size() > limits::kTaskValueBytes) {
      omitted.Append(Value::String(name));
    } else {
      out.Raw(name, json);
    }
  }
  if (omitted.size() > 0) out.Member("omitted", omitted);
  return out.Text("child", values.child).Take();
}

absl::StatusOr<HttpResponse> ShowTask(const ApiParts& parts, const Call& call) {
  const std::string& id = call.path[0];
  ASSIGN_OR_RETURN(const store::HistorySeq seq, ParseSeq("the task", call.path[1]));
  const std::string part = ReadText(call, "part");
  if (!part.empty() && part != "rawInput" && part != "input" && part != "output" &&
      part != "context") {
    return absl::InvalidArgumentError("part: rawInput, input, output or context");
  }
  // The row of that fact: the first after the place before it.
  ASSIGN_OR_RETURN(const store::TaskPage page, parts.store->Tasks(id, seq > 0 ? seq - 1 : 0, 1));
  if (page.items.empty() || page.items[0].seq != seq) {
    return absl::NotFoundError(fmt::format("{} began no task at {}", id, seq));
  }
  TaskFollower follower(seq);
  InstanceReplay replay(parts.store, parts.definitions, id);
  RETURN_IF_ERROR(replay.Run([&](const store::HistoryItem& item, const Fact& fact, bool applied) {
    return follower.See(replay.instance(), item, fact, applied);
  }));
  return JsonResponse(200, DetailsJson(page.items[0], follower.Take(), part));
}

// `listen.to` as written: {one: …}, {any: […]} or {all: […]}; its filters, in order.
std::vector<const Value*> WrittenFilters(const dsl::Task& task) {
  std::vector<const Value*> filters;
  const Value* to = task.definition.FindPath({"listen", "to"});
  if (to == nullptr) return filters;
  if (const Value* one = to->FindPath({"one"})) filters.push_back(one);
  for (const std::string_view mode : {"any", "all"}) {
    const Value* list = to->FindPath({mode});
    for (size_t i = 0; list != nullptr && list->is_array() && i < list->size(); ++i) {
      filters.push_back(&list->at(i));
    }
  }
  return filters;
}

std::string_view ModeName(dsl::EventConsumption::Mode mode) {
  switch (mode) {
    case dsl::EventConsumption::Mode::kOne:
      return "one";
    case dsl::EventConsumption::Mode::kAny:
      return "any";
    case dsl::EventConsumption::Mode::kAll:
      return "all";
  }
  return "one";
}

std::string AwaitedJson(const Frame& frame, const engine::ListenState& state) {
  const auto& listen = std::get<dsl::ListenTask>(frame.task->spec);
  Value filters = Value::Array();
  const std::vector<const Value*> written = WrittenFilters(*frame.task);
  for (size_t i = 0; i < written.size(); ++i) {
    Value filter = Value::Object();
    for (const std::string_view key : {"with", "correlate"}) {
      if (const Value* part = written[i]->FindPath({key})) filter.Set(key, *part);
    }
    filter.Set("matched", Value::Bool(i < state.matched.size() && state.matched[i]));
    filters.Append(std::move(filter));
  }
  JsonWriter out;
  out.Text("task", frame.task->pointer)
      .Time("since", frame.started)
      .Time("dueAt", frame.timeout)
      .Text("mode", ModeName(listen.to.mode))
      .Member("filters", filters);
  if (!state.correlation.empty()) {
    Value correlation = Value::Object();
    for (const auto& [name, value] : state.correlation) correlation.Set(name, value);
    out.Member("correlation", correlation);
  }
  const size_t begun = state.iteration + state.waiting.size();
  out.Int("consumed", static_cast<int64_t>(std::max(state.consumed.size(), begun)));
  return out.Take();
}

absl::StatusOr<HttpResponse> WaitingFor(const ApiParts& parts, const Call& call) {
  InstanceReplay replay(parts.store, parts.definitions, call.path[0]);
  RETURN_IF_ERROR(replay.Run([](const store::HistoryItem&, const Fact&, bool) { return true; }));
  ListWriter list;
  if (const engine::Instance* instance = replay.instance()) {
    for (const auto& [id, frame] : instance->frames) {
      const auto* state = frame->Get<engine::ListenState>();
      if (state != nullptr && !state->satisfied) list.Add(AwaitedJson(*frame, *state));
    }
  }
  return JsonResponse(200, list.Take(""));
}

}  // namespace

void AddTaskDetailsRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes) {
  routes->Add("GET", "/api/v1/instances/{id}/tasks/{seq}", OfInstance(Role::kViewer), {"part"},
              OnStore(parts, pool, ShowTask));
  routes->Add("GET", "/api/v1/instances/{id}/waiting-for", OfInstance(Role::kViewer), {},
              OnStore(parts, pool, WaitingFor));
}

}  // namespace jaque::ui
