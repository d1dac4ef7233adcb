// SPDX-License-Identifier: Apache-2.0
// Schedules (reference, "Schedule"; docs/dsl-notes.md): objects of their own that start instances.
// A firing's instance id follows from the schedule and what fired it, so that it happens once.
#include <algorithm>
#include <deque>

#include "absl/time/time.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "coordination/rendezvous.h"
#include "engine/deciding.h"
#include "expression/json.h"
#include "fmt/format.h"

namespace jaque::engine {
namespace {

// Up to 64 letters, digits and '-', as ids of instances are.
std::string FiringId(const Schedule& schedule, std::string_view what) {
  return fmt::format("{}-{:08x}-{}", schedule.workflow->name.substr(0, 24),
                     static_cast<uint32_t>(HashOfObject(schedule.id)), what);
}

std::string AtTime(Micros due) {
  std::string text =
      absl::FormatTime("%Y%m%dT%H%M%SZ", absl::FromUnixMicros(due), absl::UTCTimeZone());
  if (due % 1'000'000 != 0) text += fmt::format("-{:06d}", due % 1'000'000);
  return text;
}

// What expressions of a schedule see: the workflow, and no instance of it.
Instance DraftOf(DefinitionStore::WorkflowPtr workflow, Micros now) {
  Instance draft;
  draft.workflow = std::move(workflow);
  draft.started = now;
  return draft;
}

bool SameSchedule(const dsl::Workflow& a, const dsl::Workflow& b) {
  const Value* first = a.document.Find("schedule");
  const Value* second = b.document.Find("schedule");
  return first != nullptr && second != nullptr && *first == *second;
}

}  // namespace

void Deciding::DecideSchedule(const v1::Command& command) {
  const Schedule* schedule = state_.FindSchedule(id_);
  const bool known = schedule != nullptr && !schedule->removed;
  switch (command.kind_case()) {
    case v1::Command::kSetSchedule:
      return SetSchedule(command);
    case v1::Command::kConfirmOutbox:
      return ConfirmFirings(command.confirm_outbox());
    case v1::Command::kFireTimer:
      if (known) ScheduleDue(command.fire_timer());
      return;
    case v1::Command::kDeliverEvent:
      if (known) ScheduleDelivered(command.deliver_event());
      return;
    case v1::Command::kChildEnded:
      Reply(v1::CommandReply::CODE_OK);
      if (known) ScheduledEnded();
      return;
    default:
      break;
  }
  if (!known) {
    return Reply(v1::CommandReply::CODE_NOT_FOUND,
                 Cat("there is no schedule ", id_.substr(id_.find('/') + 1)));
  }
  switch (command.kind_case()) {
    case v1::Command::kPauseSchedule:
      return PauseSchedule(command);
    case v1::Command::kResumeSchedule:
      return ResumeSchedule(command);
    case v1::Command::kTriggerSchedule:
      return TriggerSchedule(command);
    case v1::Command::kBackfillSchedule:
      return BackfillSchedule(command);
    case v1::Command::kRemoveSchedule:
      return RemoveSchedule(command);
    case v1::Command::kDescribeSchedule:
      return ReplySchedule();
    default:
      return Refuse("the command is not for a schedule");
  }
}

void Deciding::ReplySchedule() {
  Reply(v1::CommandReply::CODE_OK);
  if (const Schedule* schedule = state_.FindSchedule(id_)) {
    *outcome_.reply->mutable_schedule() = engine::Describe(*schedule);
  }
}

absl::StatusOr<Micros> Deciding::NextDue(const dsl::Workflow& workflow, Micros now, bool begins) {
  const dsl::Schedule& spec = *workflow.schedule;
  Micros next = 0;
  const auto earlier = [&next](Micros due) { next = next == 0 ? due : std::min(next, due); };
  if (spec.every.has_value()) {
    ASSIGN_OR_RETURN(const absl::Duration every, DurationOf(workflow, *spec.every));
    earlier(now + std::max<Micros>(1'000, absl::ToInt64Microseconds(every)));
  }
  if (spec.cron.has_value()) {
    earlier(absl::ToUnixMicros(spec.cron->Next(absl::FromUnixMicros(now))));
  }
  if (spec.after.has_value() && begins) earlier(now);
  return next;
}

absl::StatusOr<absl::Duration> Deciding::DurationOf(const dsl::Workflow& workflow,
                                                    const dsl::Duration& duration) {
  if (!duration.expression.has_value()) return duration.literal;
  // Not owned: the draft lives as long as this call.
  const Instance draft = DraftOf(
      DefinitionStore::WorkflowPtr(DefinitionStore::WorkflowPtr(), &workflow), environment_.now);
  return EvaluateDuration(duration, Value(), Arguments(&draft, nullptr, nullptr));
}

void Deciding::SetSchedule(const v1::Command& command) {
  const absl::StatusOr<DefinitionStore::WorkflowPtr> latest =
      environment_.definitions->GetLatest(id_.substr(id_.find('/') + 1));
  if (!latest.ok() && !absl::IsNotFound(latest.status())) {
    return Reply(v1::CommandReply::CODE_UNAVAILABLE, std::string(latest.status().message()));
  }
  if (!latest.ok() || !(*latest)->schedule.has_value()) return RemoveSchedule(command);
  const Schedule* present = state_.FindSchedule(id_);
  const bool known = present != nullptr && !present->removed;
  if (known && present->workflow->id() == (*latest)->id()) return ReplySchedule();
  Fact fact;
  v1::ScheduleSet* set = fact.event.mutable_schedule_set();
  set->set_definition((*latest)->id());
  set->set_actor(command.actor());
  set->set_events_after(known ? present->events_after : environment_.events_position);
  if (known && (present->paused || SameSchedule(*present->workflow, **latest))) {
    set->set_next_due_micros(present->next_due);
  } else {
    const bool begins = !known || !present->awaiting;
    const absl::StatusOr<Micros> next = NextDue(**latest, environment_.now, begins);
    if (!next.ok()) return Refuse(Cat("the schedule: ", Message(next.status())));
    set->set_next_due_micros(*next);
  }
  fact.workflow = *latest;
  Emit(std::move(fact));
  ReplySchedule();
}

void Deciding::RemoveSchedule(const v1::Command& command) {
  Reply(v1::CommandReply::CODE_OK);
  const Schedule* schedule = state_.FindSchedule(id_);
  if (schedule == nullptr || schedule->removed) return;
  Fact fact;
  fact.event.mutable_schedule_removed()->set_actor(command.actor());
  Emit(std::move(fact));
}

void Deciding::PauseSchedule(const v1::Command& command) {
  if (!state_.FindSchedule(id_)->paused) {
    Fact fact;
    v1::SchedulePaused* paused = fact.event.mutable_schedule_paused();
    paused->set_reason(command.pause_schedule().reason());
    CutText(paused->mutable_reason());
    paused->set_actor(command.actor());
    Emit(std::move(fact));
  }
  ReplySchedule();
}

// What was missed meanwhile stays so: it can be filled in.
void Deciding::ResumeSchedule(const v1::Command& command) {
  const Schedule& schedule = *state_.FindSchedule(id_);
  if (!schedule.paused) return ReplySchedule();
  const absl::StatusOr<Micros> next =
      NextDue(*schedule.workflow, environment_.now, !schedule.awaiting);
  if (!next.ok()) return Refuse(Cat("the schedule: ", Message(next.status())));
  Fact fact;
  v1::ScheduleResumed* resumed = fact.event.mutable_schedule_resumed();
  resumed->set_next_due_micros(*next);
  resumed->set_events_after(environment_.events_position);
  resumed->set_actor(command.actor());
  Emit(std::move(fact));
  ReplySchedule();
}

void Deciding::Fire(Firing firing) {
  Fact fact;
  v1::ScheduleFired* fired = fact.event.mutable_schedule_fired();
  fired->set_due_micros(firing.due);
  fired->set_instance_id(FiringId(*state_.FindSchedule(id_), firing.name));
  fired->set_next_due_micros(firing.next);
  fired->set_manual(firing.manual);
  fired->set_actor(firing.actor);
  fired->set_events_after(firing.events_after);
  fact.SetData(std::move(firing.input));
  Emit(std::move(fact));
}

void Deciding::ScheduleDue(const v1::FireTimer& timer) {
  const Schedule& schedule = *state_.FindSchedule(id_);
  if (schedule.next_due != timer.due_micros()) return;
  if (environment_.now < timer.due_micros()) {  // a clock that was set back: never early
    outcome_.effects.push_back(
        ArmTimer{id_, kNoFrame, v1::TIMER_KIND_SCHEDULE, timer.due_micros()});
    return;
  }
  const DefinitionStore::WorkflowPtr workflow = schedule.workflow;
  // After an outage there may be many: the newest ones are made up for.
  std::deque<Micros> due;
  Micros next = FirstToFire(schedule);
  while (next != 0 && next <= environment_.now) {
    due.push_back(next);
    if (due.size() > limits::kMissedFirings) due.pop_front();
    next = NextDue(*workflow, next, /*begins=*/false).value_or(0);
  }
  for (const Micros at : due) {
    Fire({.name = AtTime(at), .due = at, .next = next, .input = Value::Object()});
  }
}

// Skips what would not be made up for anyway.
Micros Deciding::FirstToFire(const Schedule& schedule) {
  const Micros now = environment_.now, due = schedule.next_due;
  const dsl::Schedule& spec = schedule.spec();
  if (spec.every.has_value() && !spec.cron.has_value()) {
    const absl::StatusOr<Micros> next = NextDue(*schedule.workflow, due, /*begins=*/false);
    const Micros every = next.ok() ? *next - due : 0;
    const Micros missed = every > 0 ? (now - due) / every : 0;
    return due + std::max<Micros>(0, missed - limits::kMissedFirings) * every;
  }
  const Micros oldest = now - limits::kMissedMicros;
  if (!spec.cron.has_value() || due >= oldest) return due;
  return NextDue(*schedule.workflow, oldest, /*begins=*/false).value_or(due);
}

void Deciding::ScheduledEnded() {
  const Schedule& schedule = *state_.FindSchedule(id_);
  if (!schedule.awaiting) return;
  Fact fact;
  v1::ScheduleArmed* armed = fact.event.mutable_schedule_armed();
  armed->set_next_due_micros(schedule.next_due);
  if (!schedule.paused && schedule.next_due == 0 && schedule.spec().after.has_value()) {
    const absl::StatusOr<absl::Duration> after =
        DurationOf(*schedule.workflow, *schedule.spec().after);
    armed->set_next_due_micros(environment_.now +
                               absl::ToInt64Microseconds(after.value_or(absl::ZeroDuration())));
  }
  Emit(std::move(fact));
}

void Deciding::TriggerSchedule(const v1::Command& command) {
  const std::string& json = command.trigger_schedule().input();
  absl::StatusOr<Value> input = json.empty() ? Value::Object() : ParseJson(json);
  if (!input.ok()) return Refuse(Cat("the input is no JSON: ", input.status().message()));
  if (json.size() > limits::kInputBytes) {
    return Refuse(Cat("the input has ", json.size(), " bytes, more than ", limits::kInputBytes));
  }
  // The same command again is the same firing.
  const std::string name = fmt::format("m{:016x}", HashOfObject(command.id()));
  Fire({.name = name, .input = *std::move(input), .manual = true, .actor = command.actor()});
  ReplySchedule();
  outcome_.reply->mutable_schedule()->add_started(state_.FindSchedule(id_)->last_instance);
}

void Deciding::BackfillSchedule(const v1::Command& command) {
  const v1::BackfillSchedule& range = command.backfill_schedule();
  const Schedule& schedule = *state_.FindSchedule(id_);
  const DefinitionStore::WorkflowPtr workflow = schedule.workflow;
  if (!schedule.spec().every.has_value() && !schedule.spec().cron.has_value()) {
    return Refuse("only schedules with `every` or `cron` have times that can be filled in");
  }
  if (range.from_micros() <= 0 || range.from_micros() >= range.to_micros() ||
      range.to_micros() > environment_.now) {
    return Refuse("the time to fill in must begin before it ends, and end in the past");
  }
  const absl::StatusOr<std::vector<Micros>> due = FiringsIn(schedule, range);
  if (!due.ok()) return Refuse(std::string(Message(due.status())));
  std::vector<std::string> started;
  for (const Micros at : *due) {
    Fire({.name = AtTime(at),
          .due = at,
          .input = Value::Object(),
          .manual = true,
          .actor = command.actor()});
    started.push_back(state_.FindSchedule(id_)->last_instance);
  }
  ReplySchedule();
  outcome_.reply->mutable_schedule()->mutable_started()->Add(started.begin(), started.end());
}

absl::StatusOr<std::vector<Micros>> Deciding::FiringsIn(const Schedule& schedule,
                                                        const v1::BackfillSchedule& range) {
  Micros at = range.from_micros() - 1;
  if (schedule.spec().every.has_value()) {
    // The rhythm goes through the firings that there were.
    const Micros anchor = schedule.next_due != 0   ? schedule.next_due
                          : schedule.last_due != 0 ? schedule.last_due
                                                   : range.from_micros();
    ASSIGN_OR_RETURN(const absl::Duration length,
                     DurationOf(*schedule.workflow, *schedule.spec().every));
    const Micros every = std::max<Micros>(1'000, absl::ToInt64Microseconds(length));
    const Micros into = ((anchor - range.from_micros()) % every + every) % every;
    at = range.from_micros() + into - every;
  }
  std::vector<Micros> due;
  while (true) {
    ASSIGN_OR_RETURN(at, NextDue(*schedule.workflow, at, /*begins=*/false));
    if (at == 0 || at >= range.to_micros()) return due;
    if (schedule.next_due != 0 && at >= schedule.next_due) return due;  // fires by itself
    if (at < range.from_micros()) continue;
    const auto& skip = range.skip_micros();
    if (std::find(skip.begin(), skip.end(), at) != skip.end()) continue;
    if (due.size() == limits::kBackfillFirings) {
      return absl::ResourceExhaustedError(Cat("there are more than ", limits::kBackfillFirings,
                                              " firings in that time: take less of it at once"));
    }
    due.push_back(at);
  }
}

void Deciding::ScheduleDelivered(const v1::DeliverEvent& deliver) {
  const Schedule& schedule = *state_.FindSchedule(id_);
  if (!schedule.listens() || deliver.sequence() <= schedule.events_after) return;
  const absl::StatusOr<Value> event = ParseJson(deliver.event());
  if (!event.ok() || !event->is_object()) return;
  const dsl::EventConsumption& on = *schedule.spec().on;
  const Instance draft = DraftOf(schedule.workflow, environment_.now);
  const Arguments arguments(&draft, nullptr, nullptr);
  const Value nothing;
  const ListenState& events = schedule.events;
  absl::StatusOr<std::optional<Match>> match =
      FindMatch({on, events.matched, events.correlation, nothing, arguments}, *event);
  if (match.ok() && match->has_value()) {
    const Value item = ReadEvent(schedule.spec().read, *event);
    return TakeEvent(deliver.sequence(), item, **std::move(match));
  }
  if (on.until_events == nullptr) return;
  match = FindMatch(
      {*on.until_events, events.until_matched, events.correlation, nothing, arguments}, *event);
  if (match.ok() && match->has_value()) {
    TakeEvent(deliver.sequence(), std::nullopt, **std::move(match));
  }
}

// `item` is absent for an event of the until clause.
void Deciding::TakeEvent(uint64_t sequence, std::optional<Value> item, Match match) {
  const Schedule& schedule = *state_.FindSchedule(id_);
  Value consumed = schedule.events.consumed;
  if (item.has_value()) consumed.Append(*item);
  if (EventsSuffice(schedule, consumed, item.has_value(), match.filter)) {
    return Fire({.name = Cat("e", sequence),
                 .due = environment_.now,
                 .next = schedule.next_due,
                 .input = std::move(consumed),
                 .events_after = sequence});
  }
  Fact fact;
  v1::ScheduleEventTaken* taken = fact.event.mutable_schedule_event_taken();
  taken->set_sequence(sequence);
  taken->set_filter(match.filter);
  taken->set_until(!item.has_value());
  for (auto& [name, value] : match.correlation) {
    (*taken->mutable_correlation())[name] = ToJson(value);
  }
  if (item.has_value()) fact.SetData(*std::move(item));
  // As a filter that fails: it does not match.
  if (!CheckSize(fact, "").ok()) return;
  Emit(std::move(fact));
}

bool Deciding::EventsSuffice(const Schedule& schedule, const Value& consumed, bool is_item,
                             int filter) {
  const dsl::EventConsumption& on = *schedule.spec().on;
  if (!is_item) {
    return on.until_events->mode != dsl::EventConsumption::Mode::kAll ||
           AllMatched(schedule.events.until_matched, filter);
  }
  if (on.mode == dsl::EventConsumption::Mode::kAll) {
    return AllMatched(schedule.events.matched, filter);
  }
  if (consumed.size() >= limits::kEventsBuffered) return true;
  if (on.until_events != nullptr) return false;
  if (!on.until_condition.has_value()) return true;
  const Instance draft = DraftOf(schedule.workflow, environment_.now);
  return Condition(*on.until_condition, consumed, Arguments(&draft, nullptr, nullptr))
      .value_or(false);
}

void Deciding::ConfirmFirings(const v1::ConfirmOutbox& confirm) {
  const Schedule* schedule = state_.FindSchedule(id_);
  if (schedule == nullptr) return;
  Fact fact;
  for (const uint64_t entry : confirm.entries()) {
    if (schedule->outbox.contains(entry)) {
      fact.event.mutable_outbox_confirmed()->add_entries(entry);
    }
  }
  if (!fact.event.has_outbox_confirmed()) return;
  // What could not be started has no end that `after` could wait for.
  const bool refused = confirm.failures_size() > 0;
  Emit(std::move(fact));
  schedule = state_.FindSchedule(id_);
  if (refused && schedule != nullptr && !schedule->removed) ScheduledEnded();
}

}  // namespace jaque::engine
