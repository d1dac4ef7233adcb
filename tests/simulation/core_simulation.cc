// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/core_simulation.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "dsl/load.h"
#include "engine/apply.h"
#include "engine/dispatch.h"
#include "engine/invariants.h"
#include "engine/performer.h"
#include "engine/snapshot.h"
#include "expression/json.h"
#include "tests/simulation/random_workflow.h"

namespace jaque::simulation {
namespace {

uint64_t Mix(uint64_t hash, std::string_view bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

constexpr const char* kScheduled[] = {
    "schedule: {every: {milliseconds: 700}}", "schedule: {after: {milliseconds: 300}}",
    "schedule: {on: {one: {with: {type: sim.a}}}}",
    "schedule: {on: {all: [{with: {type: sim.a}}, {with: {type: sim.b}}]}}"};

}  // namespace

CoreSimulation::CoreSimulation(uint64_t seed) : random_(seed), core_random_(seed + 1) {
  LoadDefinitions();
}

void CoreSimulation::Fail(std::string what) {
  if (broken_.empty()) broken_ = std::move(what);
}

void CoreSimulation::LoadDefinitions() {
  std::string child;
  for (int i = 0; i < 3; ++i) {
    const std::string name = Cat("w", i);
    const std::string text = RandomWorkflow(name, child, &random_);
    dsl::LoadResult loaded = dsl::Load(text);
    if (loaded.workflow == nullptr) {
      return Fail(Cat(dsl::FormatFinding("generated", loaded.findings[0]), "\n", text));
    }
    const absl::Status put = definitions_.Put(loaded.workflow);
    if (!put.ok()) Fail(std::string(Message(put)));
    names_.push_back(Cat("sim/", name, ":1.0.0"));
    child = name;
  }
  for (size_t i = 0; i < std::size(kScheduled); ++i) {
    dsl::LoadResult loaded = dsl::Load(Cat(
        "document: {dsl: '1.0.3', namespace: sim, name: s", i, ", version: '1.0.0'}\n",
        kScheduled[i], "\ndo: [{pause: {wait: {milliseconds: 200}}}, {finish: {set: {n: 1}}}]"));
    if (loaded.workflow == nullptr) {
      return Fail(dsl::FormatFinding("a schedule", loaded.findings[0]));
    }
    if (!definitions_.Put(loaded.workflow).ok()) return Fail("a schedule is not stored");
  }
}

std::string CoreSimulation::Run() {
  for (int i = 0; i < 300 && broken_.empty(); ++i) Step();
  Heal();
  return broken_;
}

uint64_t CoreSimulation::Digest() const {
  uint64_t hash = 14695981039346656037ULL;
  for (const v1::Decision& decision : log_) hash = Mix(hash, decision.SerializeAsString());
  return hash;
}

void CoreSimulation::Step() {
  if (!inbox_.empty() && !random_.OneIn(4)) {
    // Any order: commands travel over different roads.
    return Take(random_.Below(inbox_.size()), /*keep=*/random_.OneIn(5));  // kept: it comes twice
  }
  switch (random_.Below(10)) {
    case 0:
    case 1:
      return StartOne();
    case 2:
      return SendEvent();
    case 3:
      return random_.OneIn(2) ? ControlOne() : ControlSchedule();
    case 4:
      return Restart();
    case 5:
    case 6:
      return NextTimer();
    default:
      return AnswerTask(/*healed=*/false);
  }
}

void CoreSimulation::Take(size_t index, bool keep) {
  const UnderWay taken = inbox_[index];
  if (!keep) inbox_.erase(inbox_.begin() + static_cast<ptrdiff_t>(index));
  Execute(taken.command);
  if (taken.confirm.has_value()) inbox_.push_back({*taken.confirm, std::nullopt});
}

void CoreSimulation::StartOne() {
  v1::Command command;
  command.set_object_id(Cat("i", random_.OneIn(6) ? started_ : ++started_));  // sometimes again
  command.mutable_start_instance()->set_definition(names_[random_.Below(names_.size())]);
  command.mutable_start_instance()->set_input(Cat("{\"n\":", random_.Below(3), "}"));
  Execute(command);
}

void CoreSimulation::Command(const std::string& object, v1::Command command) {
  command.set_object_id(object);
  command.set_id(Cat("c", random_.Below(1'000)));
  Execute(command);
}

void CoreSimulation::ControlOne() {
  if (started_ == 0) return;
  v1::Command command;
  switch (random_.Below(4)) {
    case 0:
      command.mutable_cancel_instance()->set_reason("simulated");
      break;
    case 1:
      command.mutable_suspend_instance()->set_reason("simulated");
      break;
    default:
      command.mutable_resume_instance();
  }
  Command(Cat("i", 1 + random_.Below(started_)), std::move(command));
}

void CoreSimulation::ControlSchedule() {
  v1::Command command;
  switch (random_.Below(8)) {
    case 0:
      command.mutable_pause_schedule();
      break;
    case 1:
    case 2:
      command.mutable_resume_schedule();
      break;
    case 3:
      command.mutable_trigger_schedule();
      break;
    case 4:
      command.mutable_remove_schedule();
      break;
    case 5:
      command.mutable_backfill_schedule()->set_from_micros(now_ - 2'000'000);
      command.mutable_backfill_schedule()->set_to_micros(now_);
      break;
    default:
      command.mutable_set_schedule();
  }
  Command(Cat("schedule/sim/s", random_.Below(std::size(kScheduled))), std::move(command));
}

// So that there is an end. What has fired must still start, and what is suspended go on.
void CoreSimulation::StopSchedules() {
  for (size_t i = 0; i < std::size(kScheduled); ++i) {
    v1::Command remove;
    remove.mutable_remove_schedule();
    Command(Cat("schedule/sim/s", i), std::move(remove));
  }
  std::vector<std::string> suspended;
  for (const auto& [id, instance] : state_.instances) {
    if (instance->suspended) suspended.push_back(id);
  }
  std::sort(suspended.begin(), suspended.end());
  for (const std::string& id : suspended) {
    v1::Command resume;
    resume.mutable_resume_instance();
    Command(id, std::move(resume));
  }
}

void CoreSimulation::AnswerTask(bool healed) {
  v1::Command command;
  if (!healed && !results_sent_.empty() && random_.OneIn(4)) {  // a late or repeated result
    *command.mutable_task_result() = results_sent_[random_.Below(results_sent_.size())];
  } else {
    if (tasks_.empty()) return;
    auto task = std::next(tasks_.begin(), healed ? 0 : random_.Below(tasks_.size()));
    v1::TaskResult* result = command.mutable_task_result();
    result->set_instance_id(task->second.instance_id());
    result->set_frame(task->second.frame());
    result->set_attempt(task->second.attempt());
    if (!healed && random_.OneIn(3)) {
      result->mutable_error()->set_type("https://sim/failed");
      result->mutable_error()->set_status(500);
    } else {
      result->set_output(Cat("{\"n\":", random_.Below(10), "}"));
    }
    results_sent_.push_back(*result);
    tasks_.erase(task);
  }
  command.set_object_id(command.task_result().instance_id());
  Execute(command);
}

void CoreSimulation::SendEvent() {
  const char* type = kEventTypes[random_.Below(3)];
  const int number = random_.OneIn(5) ? event_number_ : ++event_number_;  // sometimes again
  Offer(Cat(R"({"specversion":"1.0","source":"urn:sim","id":"e)", number, R"(","type":")", type,
            R"(","data":{"n":)", number, "}}"));
}

void CoreSimulation::Offer(const std::string& json) {
  events_.push_back(json);
  std::map<std::string, v1::Command> commands;
  const Value event = *ParseJson(json);
  for (const std::string& type : {std::string(event.StringOr("type", "")), std::string()}) {
    auto listens = state_.listens.find(type);
    if (listens == state_.listens.end()) continue;
    for (const auto& [instance, frame] : listens->second) {
      commands[instance].mutable_deliver_event()->add_frames(frame);
    }
  }
  for (auto& [instance, command] : commands) {
    command.set_object_id(instance);
    command.mutable_deliver_event()->set_sequence(events_.size());
    command.mutable_deliver_event()->set_event(json);
    Execute(command);
  }
}

void CoreSimulation::NextTimer() {
  if (timers_.empty()) return;
  auto next = timers_.begin();
  // Sometimes too early: it must be armed again, not fire.
  const bool early = random_.OneIn(5) && next->first > now_;
  if (!early) now_ = std::max(now_, next->first);
  v1::Command command;
  command.set_object_id(next->second.instance);
  command.mutable_fire_timer()->set_frame(next->second.frame);
  command.mutable_fire_timer()->set_kind(next->second.kind);
  command.mutable_fire_timer()->set_due_micros(next->first);
  timers_.erase(next);
  Execute(command);
}

void CoreSimulation::Execute(const v1::Command& command) {
  engine::Environment environment;
  environment.now = now_;
  environment.random = &core_random_;
  environment.definitions = &definitions_;
  environment.effects.engine_id = "sim";
  engine::Outcome outcome = engine::Decide(&state_, command, environment);
  Record(command, &outcome);
  for (engine::Effect& effect : outcome.effects) Perform(std::move(effect));
}

void CoreSimulation::Record(const v1::Command& command, engine::Outcome* outcome) {
  v1::Decision decision;
  decision.set_object_id(command.object_id());
  decision.set_at_micros(now_);
  for (engine::Fact& fact : outcome->facts) {
    CheckEvent(command.object_id(), fact.event);
    *decision.add_events() = std::move(fact.event);
  }
  if (decision.events_size() > 0) log_.push_back(std::move(decision));
  const absl::Status valid = engine::CheckInvariants(state_);
  if (!valid.ok()) Fail(std::string(Message(valid)));
  now_ += static_cast<int64_t>(random_.Below(1000));
}

// One terminal event for each instance; no wait ends before its time.
void CoreSimulation::CheckEvent(const std::string& object, const v1::Event& event) {
  const bool terminal = event.has_instance_completed() || event.has_instance_faulted() ||
                        event.has_instance_cancelled();
  if (terminal && !terminal_.emplace(object, event.ShortDebugString()).second) {
    Fail(Cat(object, " ended twice"));
  }
  if (event.has_schedule_fired()) {
    const v1::ScheduleFired& fired = event.schedule_fired();
    if (fired.due_micros() > now_) Fail(Cat(object, " fired early"));
    const bool first = fired_.insert(fired.instance_id()).second;
    if (!first && !fired.manual()) Fail(Cat(object, " fired twice for ", fired.instance_id()));
  }
  if (event.has_task_started() && event.task_started().wake_micros() != 0) {
    wake_due_[Cat(object, "/", event.task_started().frame())] = event.task_started().wake_micros();
  }
  if (event.has_task_completed() && event.task_completed().frame() != 0) {
    auto due = wake_due_.find(Cat(object, "/", event.task_completed().frame()));
    if (due != wake_due_.end() && now_ < due->second) Fail(Cat(object, ": a wait ended early"));
  }
}

void CoreSimulation::Perform(engine::Effect effect) {
  if (auto* dispatch = std::get_if<engine::DispatchTask>(&effect)) {
    tasks_[engine::TaskId(dispatch->request)] = dispatch->request;
  } else if (auto* cancel = std::get_if<engine::CancelTask>(&effect)) {
    if (random_.OneIn(2)) {  // best effort
      tasks_.erase(Cat(cancel->instance, "/", cancel->frame, "/", cancel->attempt));
    }
  } else if (auto* timer = std::get_if<engine::ArmTimer>(&effect)) {
    timers_.insert({timer->due, {timer->instance, timer->frame, timer->kind}});
  } else if (auto* outbox = std::get_if<engine::SendOutbox>(&effect)) {
    PerformOutbox(*outbox);
  } else if (auto* later = std::get_if<engine::ContinueLater>(&effect)) {
    v1::Command command;
    command.set_object_id(later->instance);
    command.mutable_continue_instance();
    inbox_.push_back({std::move(command), std::nullopt});
  }
}

void CoreSimulation::PerformOutbox(const engine::SendOutbox& outbox) {
  v1::Command confirm;
  confirm.set_object_id(outbox.instance);
  confirm.mutable_confirm_outbox()->add_entries(outbox.id);
  if (outbox.entry.kind != engine::OutboxEntry::Kind::kEmit) {
    inbox_.push_back({engine::CommandOf(outbox), std::move(confirm)});
    return;
  }
  const Value event = *ParseJson(outbox.entry.json);
  if (emitted_ids_.insert(std::string(event.StringOr("id", ""))).second) {
    events_.push_back(outbox.entry.json);
  }
  inbox_.push_back({std::move(confirm), std::nullopt});
}

// The process dies: what was not in the log is gone, the state comes back from the log (or from a
// snapshot taken on the way and the tail after it), and open effects are repeated.
void CoreSimulation::Restart() {
  const std::string live = engine::TakeSnapshot(state_).SerializeAsString();
  const size_t middle = random_.Below(log_.size() + 1);
  engine::ShardState replayed, restored;
  for (size_t i = 0; i < log_.size(); ++i) {
    if (i == middle) {
      absl::StatusOr<engine::ShardState> state =
          engine::RestoreSnapshot(engine::TakeSnapshot(replayed), &definitions_);
      if (!state.ok()) return Fail(std::string(Message(state.status())));
      restored = *std::move(state);
    }
    for (const v1::Event& event : log_[i].events()) {
      const absl::StatusOr<engine::Fact> fact = engine::DecodeFact(event, &definitions_);
      if (!fact.ok()) return Fail(std::string(Message(fact.status())));
      engine::Apply(&replayed, log_[i].object_id(), log_[i].at_micros(), *fact, nullptr);
      if (i < middle) continue;
      engine::Apply(&restored, log_[i].object_id(), log_[i].at_micros(), *fact, nullptr);
    }
  }
  if (engine::TakeSnapshot(replayed).SerializeAsString() != live) {
    return Fail("the state after replay differs from the live one");
  }
  if (middle < log_.size() && engine::TakeSnapshot(restored).SerializeAsString() != live) {
    return Fail("the state after snapshot and tail differs from the live one");
  }
  state_ = std::move(replayed);
  timers_.clear();
  tasks_.clear();
  inbox_.clear();
  for (engine::Effect& effect : engine::OpenEffects(state_, {"sim"})) Perform(std::move(effect));
}

bool CoreSimulation::AllEnded() const {
  return state_.instances.empty() && state_.schedules.empty() && inbox_.empty();
}

// No more faults: everything that was accepted must come to its end.
void CoreSimulation::Heal() {
  StopSchedules();
  for (int i = 0; i < 100'000 && broken_.empty(); ++i) {
    if (!inbox_.empty()) {
      Take(0, /*keep=*/false);
    } else if (!tasks_.empty()) {
      AnswerTask(/*healed=*/true);
    } else if (AllEnded()) {
      for (const std::string& id : fired_) {
        if (!terminal_.contains(id)) Fail(Cat(id, " was fired and did not run"));
      }
      return Restart();
    } else if (!timers_.empty()) {
      NextTimer();
    } else {
      return Fail(Cat(state_.instances.size(),
                      " instances wait for nothing: ", state_.instances.begin()->second->id));
    }
  }
  Fail("the healed system does not come to an end");
}

}  // namespace jaque::simulation
