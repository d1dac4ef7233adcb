// SPDX-License-Identifier: Apache-2.0
#include "notifier/lifecycle.h"

#include <algorithm>
#include <utility>

#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "expression/json.h"

namespace jaque::notifier {
namespace {

std::string Time(int64_t micros) {
  return absl::FormatTime(absl::RFC3339_full, absl::FromUnixMicros(micros), absl::UTCTimeZone());
}

// An error of the DSL; what is empty is left out.
Value ErrorOf(const v1::Problem& problem) {
  Value error = Value::Object(
      {{"type", Value::String(problem.type())}, {"status", Value::Int(problem.status())}});
  if (!problem.title().empty()) error.Set("title", Value::String(problem.title()));
  if (!problem.detail().empty()) error.Set("detail", Value::String(problem.detail()));
  if (!problem.instance().empty()) error.Set("instance", Value::String(problem.instance()));
  return error;
}

}  // namespace

const std::vector<std::string_view>& LifecycleTypes() {
  static const auto* const types =
      new std::vector<std::string_view>{"workflow.started",
                                        "workflow.suspended",
                                        "workflow.resumed",
                                        "workflow.cancelled",
                                        "workflow.faulted",
                                        "workflow.completed",
                                        "workflow.correlation-started",
                                        "workflow.correlation-completed",
                                        "workflow.status-changed",
                                        "task.created",
                                        "task.started",
                                        "task.suspended",
                                        "task.resumed",
                                        "task.retried",
                                        "task.cancelled",
                                        "task.faulted",
                                        "task.completed",
                                        "task.status-changed"};
  return *types;
}

// The facts of one decision, one after the other; all are of one instance.
class LifecycleReader::Decision {
 public:
  Decision(LifecycleReader* reader, int number, const v1::Decision& decision, Visit visit)
      : reader_(reader), number_(number), decision_(decision), visit_(visit) {}

  void Read() {
    for (fact_ = 0; fact_ < decision_.events_size(); ++fact_) {
      const v1::Event& event = decision_.events(fact_);
      if (event.has_instance_started()) {
        reader_->instances_[decision_.object_id()] = {
            event.instance_started().definition(), {}, {}};
      }
      const auto found = reader_->instances_.find(decision_.object_id());
      if (found == reader_->instances_.end()) continue;
      instance_ = &found->second;
      if (OfTheWorkflow(event)) {
        reader_->instances_.erase(found);
      } else {
        OfATask(event);
      }
    }
  }

 private:
  // True if it was the instance's last.
  bool OfTheWorkflow(const v1::Event& event) {
    switch (event.kind_case()) {
      case v1::Event::kInstanceStarted:
        Workflow("workflow.started", "startedAt", "running", {});
        return false;
      case v1::Event::kInstanceSuspended:
        EachOpenTask("task.suspended", "suspendedAt", "suspended");
        Workflow("workflow.suspended", "suspendedAt", "suspended",
                 Reason(event.instance_suspended().reason()));
        return false;
      case v1::Event::kInstanceQuarantined:
        Workflow("workflow.suspended", "suspendedAt", "suspended", Reason("quarantined"));
        return false;
      case v1::Event::kInstanceResumed:
      case v1::Event::kQuarantineLifted:
        if (event.has_instance_resumed()) EachOpenTask("task.resumed", "resumedAt", "running");
        Workflow("workflow.resumed", "resumedAt", "running", {});
        return false;
      case v1::Event::kInstanceCancelled:
        EachOpenTask("task.cancelled", "cancelledAt", "cancelled");
        Workflow("workflow.cancelled", "cancelledAt", "cancelled",
                 Reason(event.instance_cancelled().reason()));
        return true;
      case v1::Event::kInstanceFaulted:
        Workflow("workflow.faulted", "faultedAt", "faulted",
                 Value::Object({{"error", ErrorOf(event.instance_faulted().error())}}));
        return true;
      case v1::Event::kInstanceCompleted:
        Workflow("workflow.completed", "completedAt", "completed",
                 Value::Object({{"outputUri", Value::String(Uri())}}));
        return true;
      default:
        return false;
    }
  }

  void OfATask(const v1::Event& event) {
    switch (event.kind_case()) {
      case v1::Event::kTaskStarted: {
        const v1::TaskStarted& started = event.task_started();
        instance_->frames[started.frame()] = {started.parent(), started.task()};
        Started(started.task());
        return;
      }
      case v1::Event::kTaskCompleted: {
        const v1::TaskCompleted& completed = event.task_completed();
        if (completed.frame() == 0 && !completed.skipped()) Started(completed.task());
        if (completed.frame() != 0) instance_->frames.erase(completed.frame());
        if (completed.skipped()) return;
        return Task("task.completed", "completedAt", "completed", completed.task(), {});
      }
      case v1::Event::kErrorRaised: {
        const v1::ErrorRaised& raised = event.error_raised();
        EndBelow(raised.frame());
        if (!raised.has_task()) return;
        return Task("task.faulted", "faultedAt", "faulted", raised.task(),
                    Value::Object({{"error", ErrorOf(raised.error())}}));
      }
      case v1::Event::kAttemptStarted: {
        const v1::AttemptStarted& started = event.attempt_started();
        const auto frame = instance_->frames.find(started.frame());
        if (frame == instance_->frames.end() || started.attempt() < 2) return;
        return Task("task.retried", "retriedAt", "running", frame->second.task,
                    Value::Object({{"attempt", Value::Int(started.attempt())}}));
      }
      case v1::Event::kEventConsumed:
        return Consumed(event.event_consumed());
      default:
        return;
    }
  }

  void Started(uint32_t task) {
    Task("task.created", "createdAt", "pending", task, {});
    Task("task.started", "startedAt", "running", task, {});
    const dsl::Task* const one = Find(task);
    if (one != nullptr && one->kind() == dsl::TaskKind::kListen) {
      Workflow("workflow.correlation-started", "startedAt", "waiting", {});
    }
  }

  void Consumed(const v1::EventConsumed& consumed) {
    for (const auto& [key, json] : consumed.correlation()) {
      instance_->correlation.Set(key, ParseJson(json).value_or(Value()));
    }
    if (!consumed.satisfied()) return;
    Value more;
    if (!instance_->correlation.is_null()) {
      more = Value::Object({{"correlationKeys", std::exchange(instance_->correlation, Value())}});
    }
    Workflow("workflow.correlation-completed", "completedAt", "running", std::move(more));
  }

  // What an error has swept away.
  void EndBelow(uint32_t frame) {
    std::vector<uint32_t> ended;
    for (const auto& [id, one] : instance_->frames) {
      // A frame is made after its parent, and has the higher id.
      const bool below =
          one.parent == frame || std::find(ended.begin(), ended.end(), one.parent) != ended.end();
      if (id != frame && below) ended.push_back(id);
    }
    for (const uint32_t id : ended) instance_->frames.erase(id);
  }

  void EachOpenTask(std::string_view type, std::string_view when, std::string_view status) {
    for (const auto& [id, frame] : instance_->frames) {
      frame_ = id;
      Task(type, when, status, frame.task, {});
    }
    frame_ = 0;
  }

  static Value Reason(const std::string& reason) {
    return reason.empty() ? Value() : Value::Object({{"reason", Value::String(reason)}});
  }

  void Workflow(std::string_view type, std::string_view when, std::string_view status,
                const Value& more) {
    const Value time = Value::String(Time(decision_.at_micros()));
    Tell(type, {{"name", Value::String(QualifiedName())}, {when, time}}, more);
    if (type == "workflow.correlation-started" || type == "workflow.correlation-completed") return;
    Tell("workflow.status-changed",
         {{"name", Value::String(QualifiedName())},
          {"updatedAt", time},
          {"status", Value::String(status)}},
         {});
  }

  void Task(std::string_view type, std::string_view when, std::string_view status, uint32_t task,
            const Value& more) {
    const dsl::Task* const one = Find(task);
    const Value name = Value::String(QualifiedName()),
                pointer = Value::String(one == nullptr ? "" : one->pointer),
                time = Value::String(Time(decision_.at_micros()));
    Tell(type, {{"workflow", name}, {"task", pointer}, {when, time}}, more);
    Tell("task.status-changed",
         {{"workflow", name},
          {"task", pointer},
          {"updatedAt", time},
          {"status", Value::String(status)}},
         {});
  }

  void Tell(std::string_view type,
            std::initializer_list<std::pair<std::string_view, Value>> members, const Value& more) {
    LifecycleEvent event;
    event.type = type;
    event.data = Value::Object(members);
    event.key = Cat(number_, "-", fact_, "-", frame_, "-", type);
    // One fact may change a status twice: a task that begins at once was pending before.
    const std::string_view status = event.data.StringOr("status", "");
    if (!status.empty()) event.key += Cat("-", status);
    event.instance = decision_.object_id();
    event.namespace_ = Namespace();
    const std::string& id = instance_->definition;
    const size_t slash = id.find('/'), colon = id.find(':');
    event.name = id.substr(slash + 1, colon - slash - 1);
    event.version = id.substr(colon + 1);
    event.at_micros = decision_.at_micros();
    event.data.Set("definition", Value::Object({{"namespace", Value::String(event.namespace_)},
                                                {"name", Value::String(event.name)},
                                                {"version", Value::String(event.version)}}));
    if (more.is_object()) {
      more.ForEachMember([&](std::string_view key, const Value& value) {
        event.data.Set(key, value);
        return true;
      });
    }
    visit_(std::move(event));
  }

  std::string Namespace() const {
    return instance_->definition.substr(0, instance_->definition.find('/'));
  }
  std::string QualifiedName() const { return Cat(decision_.object_id(), ".", Namespace()); }
  std::string Uri() const { return Cat("/api/v1/instances/", decision_.object_id()); }

  const dsl::Task* Find(uint32_t task) const {
    const auto workflow = reader_->definitions_->Get(instance_->definition);
    if (!workflow.ok() || task >= (*workflow)->by_index.size()) return nullptr;
    return (*workflow)->by_index[task];
  }

  LifecycleReader* const reader_;
  const int number_;
  const v1::Decision& decision_;
  const Visit visit_;
  int fact_ = 0;
  uint32_t frame_ = 0;
  Instance* instance_ = nullptr;
};

void LifecycleReader::Read(const v1::LogBatch& batch, Visit visit) {
  uint32_t order = 0;
  const auto numbered = [&](LifecycleEvent event) {
    event.order = order++;
    visit(std::move(event));
  };
  for (int number = 0; number < batch.decisions_size(); ++number) {
    Decision(this, number, batch.decisions(number), numbered).Read();
  }
}

std::string LifecycleReader::Save() const {
  Value all = Value::Object();
  for (const auto& [id, instance] : instances_) {
    std::vector<Value> frames;
    for (const auto& [frame, one] : instance.frames) {
      frames.push_back(
          Value::Array({Value::Int(frame), Value::Int(one.parent), Value::Int(one.task)}));
    }
    all.Set(id, Value::Array({Value::String(instance.definition), Value::Array(std::move(frames)),
                              instance.correlation}));
  }
  return ToJson(all);
}

absl::Status LifecycleReader::Restore(std::string_view saved) {
  ASSIGN_OR_RETURN(const Value all, ParseJson(saved));
  if (!all.is_object()) return absl::DataLossError("no object");
  instances_.clear();
  all.ForEachMember([this](std::string_view id, const Value& value) {
    Instance& instance = instances_[std::string(id)];
    instance.definition = std::string(value.at(0).AsString());
    for (const Value& frame : value.at(1).items()) {
      instance.frames[static_cast<uint32_t>(*frame.at(0).AsInt())] = {
          static_cast<uint32_t>(*frame.at(1).AsInt()), static_cast<uint32_t>(*frame.at(2).AsInt())};
    }
    instance.correlation = value.at(2);
    return true;
  });
  return absl::OkStatus();
}

}  // namespace jaque::notifier
