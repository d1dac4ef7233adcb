// SPDX-License-Identifier: Apache-2.0
#include "engine/effects.h"

#include <algorithm>
#include <utility>

#include "engine/dispatch.h"
#include "expression/json.h"

namespace jaque::engine {
namespace {

void AddTimer(const Instance& instance, FrameId frame, v1::TimerKind kind, Micros due,
              std::vector<Effect>* effects) {
  if (due != 0) effects->push_back(ArmTimer{instance.id, frame, kind, due});
}

// What a leaf needs from outside to go on.
void AddFrameEffects(const Instance& instance, const Frame& frame,
                     const EffectEnvironment& environment, std::vector<Effect>* effects) {
  AddTimer(instance, frame.id, v1::TIMER_KIND_TIMEOUT, frame.timeout, effects);
  AddTimer(instance, frame.id, v1::TIMER_KIND_WAKE, frame.wake, effects);
  if (frame.task == nullptr) return;
  if (frame.task->kind() == dsl::TaskKind::kWorker) {
    effects->push_back(DispatchTask{std::get<dsl::WorkerTask>(frame.task->spec).pool,
                                    BuildTaskRequest(instance, frame, environment.engine_id)});
  }
  const ListenState* listen = frame.Get<ListenState>();
  if (listen != nullptr && !listen->satisfied) {
    effects->push_back(StartListening{instance.id, frame.id, instance.events_after});
  }
}

void AddTimer(const Schedule& schedule, std::vector<Effect>* effects) {
  if (schedule.next_due == 0) return;
  effects->push_back(ArmTimer{schedule.id, kNoFrame, v1::TIMER_KIND_SCHEDULE, schedule.next_due});
}

// What makes a schedule fire.
void AddRhythm(const Schedule& schedule, std::vector<Effect>* effects) {
  AddTimer(schedule, effects);
  if (!schedule.listens()) return;
  effects->push_back(StartListening{schedule.id, kNoFrame, schedule.events_after});
}

void AddOutbox(const Instance& instance, uint64_t first, std::vector<Effect>* effects) {
  for (auto at = instance.outbox.lower_bound(first); at != instance.outbox.end(); ++at) {
    effects->push_back(SendOutbox{instance.id, at->first, at->second});
  }
}

// Of the retries around a task: how often it, or what it is part of, has been begun.
uint32_t AttemptOf(const Instance& instance, const Frame& frame) {
  for (const Frame* at = &frame; at != nullptr; at = instance.Find(at->parent)) {
    const TryState* attempt = at->Get<TryState>();
    if (attempt == nullptr) continue;
    const bool retries = std::get<dsl::TryTask>(at->task->spec).retry.has_value();
    if (at == &frame || (retries && !attempt->catching)) return attempt->attempt;
  }
  return 1;
}

}  // namespace

void AddCancels(const std::string& instance, const std::vector<AbortedWork>& aborted,
                std::vector<Effect>* effects) {
  for (const AbortedWork& work : aborted) {
    if (work.task->kind() != dsl::TaskKind::kWorker) continue;
    effects->push_back(CancelTask{instance, work.frame, work.attempt});
  }
}

void AddEffects(const Instance& instance, const Fact& fact, uint64_t first_outbox,
                const EffectEnvironment& environment, std::vector<Effect>* effects) {
  const v1::Event& event = fact.event;
  switch (event.kind_case()) {
    case v1::Event::kInstanceStarted:
      AddTimer(instance, kRootFrame, v1::TIMER_KIND_TIMEOUT, instance.Find(kRootFrame)->timeout,
               effects);
      break;
    case v1::Event::kTaskStarted:
      AddFrameEffects(instance, *instance.Find(event.task_started().frame()), environment, effects);
      break;
    case v1::Event::kRetryScheduled:
      AddTimer(instance, event.retry_scheduled().frame(), v1::TIMER_KIND_WAKE,
               event.retry_scheduled().due_micros(), effects);
      break;
    case v1::Event::kAttemptStarted:
      AddTimer(instance, event.attempt_started().frame(), v1::TIMER_KIND_WAKE,
               event.attempt_started().wake_micros(), effects);
      break;
    default:
      break;
  }
  AddOutbox(instance, first_outbox, effects);
}

void AddOpenEffects(const Instance& instance, const EffectEnvironment& environment,
                    std::vector<Effect>* effects) {
  for (const auto& [frame_id, frame] : instance.frames) {
    AddFrameEffects(instance, *frame, environment, effects);
  }
  AddOutbox(instance, 0, effects);
  if (!instance.ready.empty()) effects->push_back(ContinueLater{instance.id});
}

void AddScheduleEffects(const Schedule& schedule, const Fact& fact, std::vector<Effect>* effects) {
  switch (fact.event.kind_case()) {
    case v1::Event::kScheduleSet:
    case v1::Event::kScheduleResumed:
    case v1::Event::kScheduleArmed:
      return AddRhythm(schedule, effects);
    case v1::Event::kScheduleFired: {
      const auto newest = std::prev(schedule.outbox.end());
      effects->push_back(SendOutbox{schedule.id, newest->first, newest->second});
      if (!fact.event.schedule_fired().manual()) AddTimer(schedule, effects);
      return;
    }
    default:
      return;
  }
}

std::vector<Effect> OpenEffects(const ShardState& state, const EffectEnvironment& environment) {
  std::vector<Effect> effects;
  std::vector<const Instance*> instances;  // in one order, whatever the hash
  for (const auto& [id, instance] : state.instances) instances.push_back(instance.get());
  std::sort(instances.begin(), instances.end(),
            [](const Instance* a, const Instance* b) { return a->id < b->id; });
  for (const Instance* instance : instances) {
    if (state.quarantined.contains(instance->id)) continue;
    AddOpenEffects(*instance, environment, &effects);
  }
  for (const auto& [id, schedule] : state.schedules) {
    AddRhythm(*schedule, &effects);
    for (const auto& [entry_id, entry] : schedule->outbox) {
      effects.push_back(SendOutbox{id, entry_id, entry});
    }
  }
  return effects;
}

v1::InstanceDescription Describe(const Instance& instance) {
  v1::InstanceDescription description;
  description.set_id(instance.id);
  description.set_definition(instance.workflow->id());
  description.set_status(StatusOf(instance));
  description.set_input(ToJson(instance.input));
  description.set_started_micros(instance.started);
  description.set_ended_micros(instance.ended);
  if (instance.end_status == v1::INSTANCE_STATUS_COMPLETED) {
    description.set_output(ToJson(instance.output));
  }
  if (!instance.error.type().empty() || !instance.error.detail().empty()) {
    *description.mutable_error() = instance.error;
  }
  if (instance.suspended) description.mutable_error()->set_detail(instance.suspended_reason);
  for (const auto& [id, frame] : instance.frames) {
    if (frame->task == nullptr) continue;
    v1::ActiveTask* active = description.add_active();
    active->set_pointer(frame->task->pointer);
    active->set_frame(id);
    active->set_attempt(AttemptOf(instance, *frame));
    active->set_started_micros(frame->started);
    active->set_due_micros(frame->wake != 0 ? frame->wake : frame->timeout);
  }
  return description;
}

v1::InstanceDescription Describe(const std::string& id, const EndedInstance& ended) {
  v1::InstanceDescription description;
  description.set_id(id);
  description.set_definition(ended.definition);
  description.set_status(ended.status);
  description.set_input(ended.input);
  description.set_output(ended.output);
  description.set_started_micros(ended.started);
  description.set_ended_micros(ended.ended);
  if (!ended.error.type().empty() || !ended.error.detail().empty()) {
    *description.mutable_error() = ended.error;
  }
  return description;
}

v1::ScheduleDescription Describe(const Schedule& schedule) {
  v1::ScheduleDescription description;
  description.set_id(schedule.id);
  description.set_definition(schedule.workflow->id());
  description.set_paused(schedule.paused);
  description.set_reason(schedule.reason);
  description.set_next_due_micros(schedule.next_due);
  description.set_last_due_micros(schedule.last_due);
  description.set_last_instance(schedule.last_instance);
  description.set_fired(schedule.fired);
  return description;
}

}  // namespace jaque::engine
