// SPDX-License-Identifier: Apache-2.0
#include "engine/snapshot.h"

#include <algorithm>
#include <utility>

#include "expression/json.h"

namespace jaque::engine {
namespace {

void Put(const ForState& loop, v1::FrameSnapshot* frame) {
  frame->mutable_for_loop()->set_items(ToJson(loop.items));
  frame->mutable_for_loop()->set_iteration(loop.iteration);
}

void Put(const ForkState& fork, v1::FrameSnapshot* frame) {
  v1::ForkSnapshot* snapshot = frame->mutable_fork();
  for (const std::optional<Value>& output : fork.outputs) {
    v1::BranchOutput* branch = snapshot->add_outputs();
    if (output.has_value()) branch->set_output(ToJson(*output));
  }
  snapshot->set_done(fork.done);
  if (fork.winner.has_value()) snapshot->set_winner(*fork.winner);
}

void Put(const TryState& attempt, v1::FrameSnapshot* frame) {
  v1::TrySnapshot* snapshot = frame->mutable_attempt();
  snapshot->set_attempt(attempt.attempt);
  snapshot->set_first_attempt_micros(attempt.first_attempt);
  snapshot->set_waiting(attempt.waiting);
  snapshot->set_catching(attempt.catching);
  snapshot->set_error(ToJson(attempt.error));
}

void PutListen(const ListenState& listen, v1::ListenSnapshot* snapshot) {
  for (const bool matched : listen.matched) snapshot->add_matched(matched);
  for (const bool matched : listen.until_matched) snapshot->add_until_matched(matched);
  for (const auto& [name, value] : listen.correlation) {
    v1::NamedValue* correlation = snapshot->add_correlation();
    correlation->set_name(name);
    correlation->set_value(ToJson(value));
  }
  snapshot->set_consumed(ToJson(listen.consumed));
  snapshot->set_outputs(ToJson(listen.outputs));
  for (const Value& item : listen.waiting) snapshot->add_waiting(ToJson(item));
  snapshot->set_item(ToJson(listen.item));
  snapshot->set_iteration(listen.iteration);
  snapshot->set_iterating(listen.iterating);
  snapshot->set_satisfied(listen.satisfied);
}

void Put(const ListenState& listen, v1::FrameSnapshot* frame) {
  PutListen(listen, frame->mutable_listen());
}

void Put(const WorkState& work, v1::FrameSnapshot* frame) {
  frame->mutable_work()->set_attempt(work.attempt);
  frame->mutable_work()->set_child(work.child);
}

void Put(std::monostate, v1::FrameSnapshot*) {}

void PutFrame(const Frame& frame, v1::FrameSnapshot* snapshot) {
  snapshot->set_id(frame.id);
  snapshot->set_parent(frame.parent);
  if (frame.task != nullptr) snapshot->set_task(frame.task->index);
  snapshot->set_depth(frame.depth);
  snapshot->set_cursor(frame.cursor);
  snapshot->set_children(frame.children);
  snapshot->set_started_micros(frame.started);
  snapshot->set_wake_micros(frame.wake);
  snapshot->set_timeout_micros(frame.timeout);
  snapshot->set_raw_input(ToJson(frame.raw_input));
  snapshot->set_input(ToJson(frame.input));
  snapshot->set_data(ToJson(frame.data));
  std::visit([&](const auto& detail) { Put(detail, snapshot); }, frame.detail);
}

void PutOutbox(uint64_t id, const OutboxEntry& entry, v1::OutboxSnapshot* snapshot) {
  snapshot->set_id(id);
  snapshot->set_kind(static_cast<uint32_t>(entry.kind));
  snapshot->set_target(entry.target);
  snapshot->set_definition(entry.definition);
  snapshot->set_depth(entry.depth);
  snapshot->set_frame(entry.frame);
  snapshot->set_await(entry.await);
  snapshot->set_json(entry.json);
  if (entry.error.has_value()) *snapshot->mutable_error() = *entry.error;
  snapshot->set_due_micros(entry.due);
}

void PutSchedule(const Schedule& schedule, v1::ScheduleSnapshot* snapshot) {
  snapshot->set_id(schedule.id);
  snapshot->set_definition(schedule.workflow->id());
  snapshot->set_removed(schedule.removed);
  snapshot->set_paused(schedule.paused);
  snapshot->set_reason(schedule.reason);
  snapshot->set_next_due_micros(schedule.next_due);
  snapshot->set_last_due_micros(schedule.last_due);
  snapshot->set_last_instance(schedule.last_instance);
  snapshot->set_fired(schedule.fired);
  snapshot->set_awaiting(schedule.awaiting);
  snapshot->set_events_after(schedule.events_after);
  PutListen(schedule.events, snapshot->mutable_events());
  snapshot->set_next_outbox(schedule.next_outbox);
  for (const auto& [id, entry] : schedule.outbox) PutOutbox(id, entry, snapshot->add_outbox());
}

void PutEnded(const std::string& id, const EndedInstance& ended, v1::EndedSnapshot* snapshot) {
  snapshot->set_id(id);
  snapshot->set_definition(ended.definition);
  snapshot->set_status(ended.status);
  snapshot->set_started_micros(ended.started);
  snapshot->set_ended_micros(ended.ended);
  snapshot->set_input(ended.input);
  snapshot->set_output(ended.output);
  *snapshot->mutable_error() = ended.error;
}

}  // namespace

v1::InstanceSnapshot TakeSnapshot(const Instance& instance) {
  v1::InstanceSnapshot snapshot;
  snapshot.set_id(instance.id);
  snapshot.set_definition(instance.workflow->id());
  v1::ParentRef* parent = snapshot.mutable_parent();
  parent->set_instance_id(instance.parent.instance);
  parent->set_frame(instance.parent.frame);
  parent->set_depth(instance.parent.depth);
  parent->set_await(instance.parent.await);
  snapshot.set_started_micros(instance.started);
  snapshot.set_ended_micros(instance.ended);
  snapshot.set_end_status(instance.end_status);
  snapshot.set_input(ToJson(instance.input));
  snapshot.set_context(ToJson(instance.context));
  snapshot.set_output(ToJson(instance.output));
  *snapshot.mutable_error() = instance.error;
  snapshot.set_events_after(instance.events_after);
  snapshot.set_next_frame(instance.next_frame);
  snapshot.set_next_outbox(instance.next_outbox);
  snapshot.set_steps_without_wait(instance.steps_without_wait);
  for (const auto& [id, frame] : instance.frames) PutFrame(*frame, snapshot.add_frames());
  for (const FrameId frame : instance.ready) snapshot.add_ready(frame);
  for (const auto& [id, entry] : instance.outbox) PutOutbox(id, entry, snapshot.add_outbox());
  snapshot.set_suspended(instance.suspended);
  snapshot.set_suspended_reason(instance.suspended_reason);
  for (const std::string& event : instance.consumed_events) snapshot.add_consumed_events(event);
  return snapshot;
}

v1::ShardSnapshot TakeSnapshot(const ShardState& state) {
  v1::ShardSnapshot snapshot;
  snapshot.set_epoch(state.epoch);
  std::vector<const Instance*> instances;
  for (const auto& [id, instance] : state.instances) instances.push_back(instance.get());
  std::sort(instances.begin(), instances.end(),
            [](const Instance* a, const Instance* b) { return a->id < b->id; });
  for (const Instance* instance : instances) *snapshot.add_instances() = TakeSnapshot(*instance);
  for (const auto& [id, schedule] : state.schedules)
    PutSchedule(*schedule, snapshot.add_schedules());
  for (const std::string& id : state.ended_order) {
    PutEnded(id, state.ended.at(id), snapshot.add_ended());
  }
  for (const auto& [at, hash] : state.ended_lately) {
    snapshot.add_ended_micros(at);
    snapshot.add_ended_hashes(hash);
  }
  snapshot.set_owner(state.owner);
  snapshot.set_owner_incarnation(state.owner_incarnation);
  for (const Micros death : state.deaths) snapshot.add_deaths(death);
  snapshot.set_marked(state.marked);
  for (const auto& [id, deaths] : state.suspects) {
    v1::SuspectSnapshot* suspect = snapshot.add_suspects();
    suspect->set_id(id);
    suspect->set_deaths(deaths);
  }
  for (const std::string& id : state.quarantined) snapshot.add_quarantined(id);
  return snapshot;
}

}  // namespace jaque::engine
