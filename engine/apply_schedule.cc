// SPDX-License-Identifier: Apache-2.0
#include "engine/apply_schedule.h"

#include "base/status_macros.h"
#include "expression/json.h"

namespace jaque::engine {
namespace {

// Keeps the index of listens true while a fact changes whether the schedule listens.
class Application {
 public:
  Application(ShardState* state, Schedule* schedule) : state_(*state), schedule_(*schedule) {
    if (schedule_.workflow != nullptr && schedule_.listens()) {
      state_.RemoveListen(*schedule_.spec().on, {schedule_.id, kNoFrame});
    }
  }
  ~Application() {
    if (schedule_.listens()) state_.AddListen(*schedule_.spec().on, {schedule_.id, kNoFrame});
  }

  void Apply(const Fact& fact) {
    const v1::Event& event = fact.event;
    switch (event.kind_case()) {
      case v1::Event::kScheduleSet:
        return Set(fact, event.schedule_set());
      case v1::Event::kScheduleFired:
        return Fired(fact, event.schedule_fired());
      case v1::Event::kSchedulePaused:
        schedule_.paused = true;
        schedule_.reason = event.schedule_paused().reason();
        schedule_.next_due = 0;
        return;
      case v1::Event::kScheduleResumed:
        schedule_.paused = false;
        schedule_.reason.clear();
        schedule_.next_due = event.schedule_resumed().next_due_micros();
        schedule_.events_after = event.schedule_resumed().events_after();
        return;
      case v1::Event::kScheduleArmed:
        schedule_.next_due = event.schedule_armed().next_due_micros();
        schedule_.awaiting = false;
        return;
      case v1::Event::kScheduleRemoved:
        schedule_.removed = true;
        schedule_.next_due = 0;
        return;
      case v1::Event::kScheduleEventTaken:
        return Taken(fact, event.schedule_event_taken());
      case v1::Event::kOutboxConfirmed:
        for (const uint64_t entry : event.outbox_confirmed().entries()) {
          schedule_.outbox.erase(entry);
        }
        return;
      default:
        JAQUE_CHECK(false);
    }
  }

 private:
  void Set(const Fact& fact, const v1::ScheduleSet& set) {
    schedule_.workflow = fact.workflow;
    schedule_.removed = false;
    schedule_.next_due = set.next_due_micros();
    schedule_.events_after = set.events_after();
    StartAfresh();
  }

  void Fired(const Fact& fact, const v1::ScheduleFired& fired) {
    ++schedule_.fired;
    if (fired.due_micros() != 0) schedule_.last_due = fired.due_micros();
    schedule_.last_instance = fired.instance_id();
    OutboxEntry& entry = schedule_.outbox[schedule_.next_outbox++];
    entry.kind = OutboxEntry::Kind::kStartScheduled;
    entry.target = fired.instance_id();
    entry.definition = schedule_.workflow->id();
    entry.json = ToJson(*fact.data);
    entry.due = fired.due_micros();
    entry.await = !fired.manual() && schedule_.spec().after.has_value();
    if (fired.manual()) return;
    schedule_.awaiting = entry.await;
    schedule_.next_due = fired.next_due_micros();
    if (fired.events_after() == 0) return;
    schedule_.events_after = fired.events_after();
    StartAfresh();
  }

  void Taken(const Fact& fact, const v1::ScheduleEventTaken& taken) {
    schedule_.events_after = taken.sequence();
    ListenState& events = schedule_.events;
    for (const auto& [name, json] : taken.correlation()) {
      events.correlation[name] = ParseJson(json).value_or(Value());
    }
    std::vector<bool>& matched = taken.until() ? events.until_matched : events.matched;
    if (taken.filter() >= 0) matched[taken.filter()] = true;
    if (fact.data.has_value()) events.consumed.Append(*fact.data);
  }

  void StartAfresh() {
    schedule_.events =
        schedule_.spec().on.has_value() ? FreshListen(*schedule_.spec().on) : ListenState();
  }

  ShardState& state_;
  Schedule& schedule_;
};

}  // namespace

void ApplyToSchedule(ShardState* state, const std::string& id, const Fact& fact) {
  std::unique_ptr<Schedule>& schedule = state->schedules[id];
  if (schedule == nullptr) {
    JAQUE_CHECK(fact.event.has_schedule_set());
    schedule = std::make_unique<Schedule>();
    schedule->id = id;
  }
  Application(state, schedule.get()).Apply(fact);
  if (schedule->removed && schedule->outbox.empty()) state->schedules.erase(id);
}

}  // namespace jaque::engine
