// SPDX-License-Identifier: Apache-2.0
// The way back of snapshot.cc.
#include <utility>

#include "base/status_macros.h"
#include "base/text.h"
#include "engine/snapshot.h"
#include "expression/json.h"

namespace jaque::engine {
namespace {

// Reads values until one cannot be read; the failure is kept.
class ValueReader {
 public:
  Value Read(const std::string& json) {
    absl::StatusOr<Value> value = ParseJson(json);
    if (value.ok()) return *std::move(value);
    if (status_.ok()) status_ = absl::DataLossError(Cat("a snapshot: ", Message(value.status())));
    return Value();
  }
  const absl::Status& status() const { return status_; }

 private:
  absl::Status status_;
};

ForkState ReadFork(const v1::ForkSnapshot& snapshot, ValueReader* reader) {
  ForkState fork;
  for (const v1::BranchOutput& branch : snapshot.outputs()) {
    fork.outputs.emplace_back();
    if (branch.has_output()) fork.outputs.back() = reader->Read(branch.output());
  }
  fork.done = snapshot.done();
  if (snapshot.has_winner()) fork.winner = snapshot.winner();
  return fork;
}

TryState ReadTry(const v1::TrySnapshot& snapshot, ValueReader* reader) {
  TryState attempt;
  attempt.attempt = snapshot.attempt();
  attempt.first_attempt = snapshot.first_attempt_micros();
  attempt.waiting = snapshot.waiting();
  attempt.catching = snapshot.catching();
  attempt.error = reader->Read(snapshot.error());
  return attempt;
}

ListenState ReadListen(const v1::ListenSnapshot& snapshot, ValueReader* reader) {
  ListenState listen;
  listen.matched.assign(snapshot.matched().begin(), snapshot.matched().end());
  listen.until_matched.assign(snapshot.until_matched().begin(), snapshot.until_matched().end());
  for (const v1::NamedValue& named : snapshot.correlation()) {
    listen.correlation[named.name()] = reader->Read(named.value());
  }
  listen.consumed = reader->Read(snapshot.consumed());
  listen.outputs = reader->Read(snapshot.outputs());
  for (const std::string& item : snapshot.waiting()) listen.waiting.push_back(reader->Read(item));
  listen.item = reader->Read(snapshot.item());
  listen.iteration = snapshot.iteration();
  listen.iterating = snapshot.iterating();
  listen.satisfied = snapshot.satisfied();
  return listen;
}

std::unique_ptr<Frame> ReadFrame(const v1::FrameSnapshot& snapshot, const dsl::Workflow& workflow,
                                 ValueReader* reader) {
  auto frame = std::make_unique<Frame>();
  frame->id = snapshot.id();
  frame->parent = snapshot.parent();
  if (frame->id != kRootFrame) frame->task = workflow.by_index[snapshot.task()];
  frame->depth = snapshot.depth();
  frame->cursor = snapshot.cursor();
  frame->children = snapshot.children();
  frame->started = snapshot.started_micros();
  frame->wake = snapshot.wake_micros();
  frame->timeout = snapshot.timeout_micros();
  frame->raw_input = reader->Read(snapshot.raw_input());
  frame->input = reader->Read(snapshot.input());
  frame->data = reader->Read(snapshot.data());
  switch (snapshot.detail_case()) {
    case v1::FrameSnapshot::kForLoop:
      frame->detail =
          ForState{reader->Read(snapshot.for_loop().items()), snapshot.for_loop().iteration()};
      break;
    case v1::FrameSnapshot::kFork:
      frame->detail = ReadFork(snapshot.fork(), reader);
      break;
    case v1::FrameSnapshot::kAttempt:
      frame->detail = ReadTry(snapshot.attempt(), reader);
      break;
    case v1::FrameSnapshot::kListen:
      frame->detail = ReadListen(snapshot.listen(), reader);
      break;
    case v1::FrameSnapshot::kWork:
      frame->detail = WorkState{snapshot.work().attempt(), snapshot.work().child()};
      break;
    case v1::FrameSnapshot::DETAIL_NOT_SET:
      break;
  }
  return frame;
}

OutboxEntry ReadOutbox(const v1::OutboxSnapshot& snapshot) {
  OutboxEntry entry;
  entry.kind = static_cast<OutboxEntry::Kind>(snapshot.kind());
  entry.target = snapshot.target();
  entry.definition = snapshot.definition();
  entry.depth = snapshot.depth();
  entry.frame = snapshot.frame();
  entry.await = snapshot.await();
  entry.json = snapshot.json();
  if (snapshot.has_error()) entry.error = snapshot.error();
  entry.due = snapshot.due_micros();
  return entry;
}

std::unique_ptr<Instance> ReadInstance(const v1::InstanceSnapshot& snapshot,
                                       DefinitionStore::WorkflowPtr workflow, ValueReader* reader) {
  auto instance = std::make_unique<Instance>();
  instance->id = snapshot.id();
  instance->workflow = std::move(workflow);
  instance->parent = {snapshot.parent().instance_id(), snapshot.parent().frame(),
                      snapshot.parent().depth(), snapshot.parent().await()};
  instance->started = snapshot.started_micros();
  instance->ended = snapshot.ended_micros();
  instance->end_status = snapshot.end_status();
  instance->input = reader->Read(snapshot.input());
  instance->context = reader->Read(snapshot.context());
  instance->output = reader->Read(snapshot.output());
  instance->error = snapshot.error();
  instance->events_after = snapshot.events_after();
  instance->next_frame = snapshot.next_frame();
  instance->next_outbox = snapshot.next_outbox();
  instance->steps_without_wait = snapshot.steps_without_wait();
  for (const v1::FrameSnapshot& frame : snapshot.frames()) {
    instance->frames[frame.id()] = ReadFrame(frame, *instance->workflow, reader);
  }
  instance->ready.assign(snapshot.ready().begin(), snapshot.ready().end());
  for (const v1::OutboxSnapshot& entry : snapshot.outbox()) {
    instance->outbox[entry.id()] = ReadOutbox(entry);
  }
  instance->suspended = snapshot.suspended();
  instance->suspended_reason = snapshot.suspended_reason();
  instance->consumed_events.insert(snapshot.consumed_events().begin(),
                                   snapshot.consumed_events().end());
  return instance;
}

std::unique_ptr<Schedule> ReadSchedule(const v1::ScheduleSnapshot& snapshot,
                                       DefinitionStore::WorkflowPtr workflow, ValueReader* reader) {
  auto schedule = std::make_unique<Schedule>();
  schedule->id = snapshot.id();
  schedule->workflow = std::move(workflow);
  schedule->removed = snapshot.removed();
  schedule->paused = snapshot.paused();
  schedule->reason = snapshot.reason();
  schedule->next_due = snapshot.next_due_micros();
  schedule->last_due = snapshot.last_due_micros();
  schedule->last_instance = snapshot.last_instance();
  schedule->fired = snapshot.fired();
  schedule->awaiting = snapshot.awaiting();
  schedule->events_after = snapshot.events_after();
  schedule->events = ReadListen(snapshot.events(), reader);
  schedule->next_outbox = snapshot.next_outbox();
  for (const v1::OutboxSnapshot& entry : snapshot.outbox()) {
    schedule->outbox[entry.id()] = ReadOutbox(entry);
  }
  return schedule;
}

// The index of listens is not in the snapshot: it follows from the frames.
void IndexListens(const Instance& instance, ShardState* state) {
  for (const auto& [id, frame] : instance.frames) {
    const ListenState* listen = frame->Get<ListenState>();
    if (listen == nullptr || listen->satisfied) continue;
    state->AddListen(std::get<dsl::ListenTask>(frame->task->spec).to, {instance.id, id});
  }
}

}  // namespace

absl::StatusOr<ShardState> RestoreSnapshot(const v1::ShardSnapshot& snapshot,
                                           DefinitionStore* definitions) {
  ShardState state;
  ValueReader reader;
  state.epoch = snapshot.epoch();
  for (const v1::InstanceSnapshot& one : snapshot.instances()) {
    ASSIGN_OR_RETURN(DefinitionStore::WorkflowPtr workflow, definitions->Get(one.definition()));
    std::unique_ptr<Instance> instance = ReadInstance(one, std::move(workflow), &reader);
    IndexListens(*instance, &state);
    state.instances[one.id()] = std::move(instance);
  }
  for (const v1::ScheduleSnapshot& one : snapshot.schedules()) {
    ASSIGN_OR_RETURN(DefinitionStore::WorkflowPtr workflow, definitions->Get(one.definition()));
    std::unique_ptr<Schedule> schedule = ReadSchedule(one, std::move(workflow), &reader);
    if (schedule->listens()) state.AddListen(*schedule->spec().on, {schedule->id, kNoFrame});
    state.schedules[one.id()] = std::move(schedule);
  }
  for (const v1::EndedSnapshot& one : snapshot.ended()) {
    state.ended[one.id()] = {one.definition(),   one.status(), one.started_micros(),
                             one.ended_micros(), one.input(),  one.output(),
                             one.error()};
    state.ended_order.push_back(one.id());
  }
  if (snapshot.ended_micros_size() != snapshot.ended_hashes_size()) {
    return absl::DataLossError("a snapshot whose ended instances have no times");
  }
  for (int i = 0; i < snapshot.ended_micros_size(); ++i) {
    state.ended_lately.emplace_back(snapshot.ended_micros(i), snapshot.ended_hashes(i));
    state.ended_hashes.insert(snapshot.ended_hashes(i));
  }
  state.owner = snapshot.owner();
  state.owner_incarnation = snapshot.owner_incarnation();
  state.deaths.assign(snapshot.deaths().begin(), snapshot.deaths().end());
  state.marked = snapshot.marked();
  for (const v1::SuspectSnapshot& suspect : snapshot.suspects()) {
    state.suspects[suspect.id()] = suspect.deaths();
  }
  state.quarantined.insert(snapshot.quarantined().begin(), snapshot.quarantined().end());
  RETURN_IF_ERROR(reader.status());
  return state;
}

}  // namespace jaque::engine
