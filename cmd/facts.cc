// SPDX-License-Identifier: Apache-2.0
#include "cmd/facts.h"

#include <utility>

#include "base/duration.h"
#include "base/status_macros.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

const dsl::Task* TaskAt(const DefinitionStore::WorkflowPtr& workflow, uint32_t index) {
  if (workflow == nullptr || index >= workflow->by_index.size()) return nullptr;
  return workflow->by_index[index];
}

std::string Summary(const v1::Problem& problem) {
  std::string text = fmt::format("{} {}", problem.status(), problem.title());
  if (!problem.detail().empty()) text += ": " + problem.detail();
  return text;
}

std::string In(absl::Time due, absl::Time now) {
  return "in " + DurationText(std::max(due - now, absl::ZeroDuration()));
}

}  // namespace

std::vector<Fact> FactReader::Read(std::string_view batch) {
  v1::LogBatch parsed;
  JAQUE_CHECK(parsed.ParseFromArray(batch.data(), static_cast<int>(batch.size())));
  std::vector<Fact> facts;
  for (const v1::Decision& decision : parsed.decisions()) {
    for (const v1::Event& event : decision.events()) ReadEvent(decision, event, &facts);
  }
  return facts;
}

void FactReader::ReadEvent(const v1::Decision& decision, const v1::Event& event,
                           std::vector<Fact>* facts) {
  if (decision.object_id().empty()) return;
  Instance& instance = instances_[decision.object_id()];
  Fact fact;
  fact.instance = decision.object_id();
  fact.at = absl::FromUnixMicros(decision.at_micros());
  if (event.has_instance_started()) {
    StartInstance(event.instance_started(), &fact, &instance);
  } else if (event.has_task_started()) {
    StartTask(event.task_started(), &fact, &instance);
  } else if (event.has_task_completed()) {
    CompleteTask(event.task_completed(), &fact, &instance);
  } else if (!ReadFrameEvent(event, &fact, &instance) &&
             !ReadInstanceEvent(event, &fact, instance)) {
    return;
  }
  fact.workflow = instance.workflow;
  if (instance.workflow != nullptr) fact.definition = instance.workflow->id();
  facts->push_back(std::move(fact));
}

void FactReader::StartInstance(const v1::InstanceStarted& started, Fact* fact, Instance* instance) {
  const auto workflow = definitions_->Get(started.definition());
  if (workflow.ok()) instance->workflow = *workflow;
  instance->started = fact->at;
  fact->kind = Fact::Kind::kInstanceStarted;
  fact->detail = started.definition();
}

void FactReader::StartTask(const v1::TaskStarted& started, Fact* fact, Instance* instance) {
  instance->frames[started.frame()] = {started.task(), fact->at};
  fact->task = TaskAt(instance->workflow, started.task());
  fact->kind = Fact::Kind::kStarted;
  if (!started.child_definition().empty()) {
    fact->child = fmt::format("{}.{}", fact->instance, started.frame());
  }
  if (fact->task == nullptr) return;
  if (fact->task->kind() == dsl::TaskKind::kListen) {
    fact->kind = Fact::Kind::kWaiting;
    fact->detail = "for events";
  } else if (fact->task->kind() == dsl::TaskKind::kWait) {
    fact->kind = Fact::Kind::kWaiting;
    fact->detail = DurationText(absl::FromUnixMicros(started.wake_micros()) - fact->at);
  }
}

void FactReader::CompleteTask(const v1::TaskCompleted& completed, Fact* fact, Instance* instance) {
  fact->kind = completed.skipped() ? Fact::Kind::kSkipped : Fact::Kind::kCompleted;
  fact->task = TaskAt(instance->workflow, completed.task());
  if (!completed.case_name().empty()) fact->detail = "case " + completed.case_name();
  const auto frame = instance->frames.find(completed.frame());
  if (frame == instance->frames.end()) return;
  fact->took = fact->at - frame->second.started;
  instance->frames.erase(frame);
}

bool FactReader::ReadFrameEvent(const v1::Event& event, Fact* fact, Instance* instance) {
  uint32_t frame = 0;
  if (event.has_iteration_started()) {
    fact->kind = Fact::Kind::kIteration;
    frame = event.iteration_started().frame();
    fact->detail = fmt::format("item {}", event.iteration_started().iteration());
  } else if (event.has_foreach_started()) {
    fact->kind = Fact::Kind::kIteration;
    frame = event.foreach_started().frame();
    fact->detail = fmt::format("event {}", event.foreach_started().iteration());
  } else if (event.has_retry_scheduled()) {
    fact->kind = Fact::Kind::kRetry;
    frame = event.retry_scheduled().frame();
    fact->detail =
        fmt::format("attempt {} {}", event.retry_scheduled().attempt(),
                    In(absl::FromUnixMicros(event.retry_scheduled().due_micros()), fact->at));
  } else if (event.has_attempt_started()) {
    fact->kind = Fact::Kind::kAttempt;
    frame = event.attempt_started().frame();
    fact->detail = fmt::format("attempt {}", event.attempt_started().attempt());
  } else if (event.has_catch_started()) {
    fact->kind = Fact::Kind::kCaught;
    frame = event.catch_started().frame();
  } else if (event.has_event_consumed()) {
    fact->kind = Fact::Kind::kEvent;
    frame = event.event_consumed().frame();
    fact->detail =
        fmt::format("{} from {}", event.event_consumed().id(), event.event_consumed().source());
  } else {
    return false;
  }
  const auto found = instance->frames.find(frame);
  if (found == instance->frames.end()) return false;
  fact->task = TaskAt(instance->workflow, found->second.task);
  return fact->task != nullptr;
}

bool FactReader::ReadInstanceEvent(const v1::Event& event, Fact* fact, const Instance& instance) {
  fact->took = fact->at - instance.started;
  if (event.has_error_raised()) {
    const v1::ErrorRaised& raised = event.error_raised();
    fact->kind = Fact::Kind::kFailed;
    if (raised.has_task()) fact->task = TaskAt(instance.workflow, raised.task());
    const auto frame = instance.frames.find(raised.frame());
    const bool own = frame != instance.frames.end() && frame->second.task == raised.task();
    fact->took = own ? fact->at - frame->second.started : absl::ZeroDuration();
    fact->detail = Summary(raised.error());
  } else if (event.has_instance_completed()) {
    fact->kind = Fact::Kind::kInstanceCompleted;
    fact->output = event.data();
  } else if (event.has_instance_faulted()) {
    fact->kind = Fact::Kind::kInstanceFaulted;
    fact->error = event.instance_faulted().error();
    fact->detail = Summary(fact->error);
  } else if (event.has_instance_cancelled()) {
    fact->kind = Fact::Kind::kInstanceCancelled;
    fact->detail = event.instance_cancelled().reason();
  } else {
    return false;
  }
  return true;
}

}  // namespace jaque::cmd
