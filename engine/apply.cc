// SPDX-License-Identifier: Apache-2.0
#include "engine/apply.h"

#include <algorithm>

#include "base/limits.h"
#include "base/status_macros.h"
#include "coordination/rendezvous.h"
#include "engine/apply_schedule.h"
#include "engine/frames.h"
#include "engine/outbox.h"
#include "expression/json.h"

namespace jaque::engine {
namespace {

// One fact about one instance on its way into the state.
class Application {
 public:
  Application(ShardState* state, Instance* instance, Micros at, std::vector<AbortedWork>* aborted)
      : instance_(*instance), at_(at), frames_(state, instance, aborted) {}

  void Apply(const Fact& fact) {
    const v1::Event& event = fact.event;
    switch (event.kind_case()) {
      case v1::Event::kTaskStarted:
        return TaskStarted(fact, event.task_started());
      case v1::Event::kTaskCompleted:
        return TaskCompleted(fact, event.task_completed());
      case v1::Event::kIterationStarted:
        return IterationStarted(event.iteration_started());
      case v1::Event::kErrorRaised:
        return ErrorRaised(event.error_raised());
      case v1::Event::kRetryScheduled:
        return RetryScheduled(event.retry_scheduled());
      case v1::Event::kAttemptStarted:
        return AttemptStarted(event.attempt_started());
      case v1::Event::kCatchStarted:
        return CatchStarted(fact, event.catch_started());
      case v1::Event::kEventConsumed:
        return EventConsumed(fact, event.event_consumed());
      case v1::Event::kForeachStarted:
        return ForeachStarted(event.foreach_started());
      case v1::Event::kForeachCompleted:
        return ForeachCompleted(fact, event.foreach_completed());
      case v1::Event::kInstanceCompleted:
        return Completed(fact);
      case v1::Event::kInstanceFaulted:
        return Faulted(event.instance_faulted());
      case v1::Event::kInstanceCancelled:
        return Cancelled(event.instance_cancelled());
      case v1::Event::kInstanceSuspended:
        instance_.suspended = true;
        instance_.suspended_reason = event.instance_suspended().reason();
        return;
      case v1::Event::kInstanceResumed:
        instance_.suspended = false;
        instance_.suspended_reason.clear();
        return;
      case v1::Event::kOutboxConfirmed:
        return OutboxConfirmed(event.outbox_confirmed());
      default:
        JAQUE_CHECK(false);
    }
  }

 private:
  Frame& FrameOf(FrameId id) {
    Frame* frame = instance_.Find(id);
    JAQUE_CHECK(frame != nullptr);
    return *frame;
  }

  void TaskStarted(const Fact& fact, const v1::TaskStarted& started) {
    Frame& parent = FrameOf(started.parent());
    Frame& frame =
        frames_.Add(started.frame(), &parent, instance_.workflow->by_index[started.task()]);
    frame.started = at_;
    frame.timeout = started.timeout_micros();
    frame.wake = started.wake_micros();
    frame.raw_input = parent.Get<ForkState>() != nullptr ? parent.input : parent.data;
    frame.input = fact.input.value_or(frame.raw_input);
    frame.data = frame.input;
    frames_.Begin(&frame, fact.data);
    if (parent.Get<ForkState>() != nullptr) {
      ++parent.cursor;
      frames_.Refresh(parent);
    } else {
      frames_.Unready(parent.id);
    }
    if (frame.task->kind() == dsl::TaskKind::kRunWorkflow) {
      AddChild(&instance_, &frame, started.child_definition(), *fact.data);
    }
  }

  void TaskCompleted(const Fact& fact, const v1::TaskCompleted& completed) {
    ++instance_.steps_without_wait;
    Frame& parent = FrameOf(completed.parent());
    const dsl::Task& task = *instance_.workflow->by_index[completed.task()];
    Value output = fact.data.has_value()                ? *fact.data
                   : parent.Get<ForkState>() != nullptr ? parent.input
                                                        : parent.data;
    if (fact.context.has_value()) instance_.context = *fact.context;
    if (!completed.emitted().empty()) AddEmitted(&instance_, completed.emitted());
    if (completed.frame() != kNoFrame) frames_.Remove(completed.frame(), /*completed=*/true);
    if (completed.next().kind() == v1::FlowTaken::KIND_END) return EndFlow(std::move(output));
    if (ForkState* fork = parent.Get<ForkState>()) {
      if (completed.frame() == kNoFrame) ++parent.cursor;
      fork->outputs[task.position] = std::move(output);
      if (!fork->winner.has_value()) fork->winner = task.position;
      ++fork->done;
    } else {
      parent.data = std::move(output);
      parent.cursor = completed.next().position();
    }
    frames_.Refresh(parent);
  }

  // `end`: everything else stops, and the root has nothing more to do than to give its output.
  void EndFlow(Value output) {
    frames_.RemoveBelow(kRootFrame);
    Frame& root = FrameOf(kRootFrame);
    root.data = std::move(output);
    root.cursor = static_cast<uint32_t>(instance_.workflow->tasks.size());
    frames_.Refresh(root);
  }

  void IterationStarted(const v1::IterationStarted& started) {
    ++instance_.steps_without_wait;
    Frame& frame = FrameOf(started.frame());
    frame.Get<ForState>()->iteration = started.iteration();
    frame.cursor = 0;
    frames_.Refresh(frame);
  }

  void ErrorRaised(const v1::ErrorRaised& raised) { frames_.RemoveBelow(raised.frame()); }

  void RetryScheduled(const v1::RetryScheduled& scheduled) {
    frames_.RemoveBelow(scheduled.frame());
    Frame& frame = FrameOf(scheduled.frame());
    frames_.Unready(frame.id);
    frame.wake = scheduled.due_micros();
    frame.Get<TryState>()->waiting = true;
    instance_.steps_without_wait = 0;
  }

  void AttemptStarted(const v1::AttemptStarted& started) {
    Frame& frame = FrameOf(started.frame());
    TryState* attempt = frame.Get<TryState>();
    attempt->waiting = false;
    attempt->attempt = started.attempt();
    frame.wake = started.wake_micros();
    frame.cursor = 0;
    frame.data = frame.input;
    frames_.Refresh(frame);
  }

  void CatchStarted(const Fact& fact, const v1::CatchStarted& started) {
    frames_.RemoveBelow(started.frame());
    Frame& frame = FrameOf(started.frame());
    TryState* attempt = frame.Get<TryState>();
    attempt->catching = true;
    attempt->error = *fact.data;
    frame.wake = 0;
    frame.cursor = 0;
    frame.data = frame.input;
    frames_.Refresh(frame);
  }

  void EventConsumed(const Fact& fact, const v1::EventConsumed& consumed) {
    Frame& frame = FrameOf(consumed.frame());
    ListenState* listen = frame.Get<ListenState>();
    instance_.steps_without_wait = 0;
    instance_.consumed_events.insert(consumed.source() + "\n" + consumed.id());
    for (const auto& [name, json] : consumed.correlation()) {
      listen->correlation[name] = *ParseJson(json);
    }
    std::vector<bool>& matched = consumed.until() ? listen->until_matched : listen->matched;
    if (consumed.filter() >= 0 && static_cast<size_t>(consumed.filter()) < matched.size()) {
      matched[consumed.filter()] = true;
    }
    if (!consumed.until()) {
      if (std::get<dsl::ListenTask>(frame.task->spec).foreach.has_value()) {
        listen->waiting.push_back(*fact.data);
      } else {
        listen->consumed.Append(*fact.data);
      }
    }
    if (consumed.satisfied()) {
      listen->satisfied = true;
      frames_.ForgetListen(frame);
    }
    if (!listen->iterating) frames_.Refresh(frame);
  }

  void ForeachStarted(const v1::ForeachStarted& started) {
    Frame& frame = FrameOf(started.frame());
    ListenState* listen = frame.Get<ListenState>();
    listen->iterating = true;
    listen->iteration = started.iteration();
    listen->item = std::move(listen->waiting.front());
    listen->waiting.pop_front();
    frame.data = listen->item;
    frame.cursor = 0;
    frames_.Refresh(frame);
  }

  void ForeachCompleted(const Fact& fact, const v1::ForeachCompleted& completed) {
    ++instance_.steps_without_wait;
    Frame& frame = FrameOf(completed.frame());
    ListenState* listen = frame.Get<ListenState>();
    if (fact.context.has_value()) instance_.context = *fact.context;
    listen->outputs.Append(*fact.data);
    listen->iterating = false;
    listen->item = Value();
    if (completed.satisfied()) {
      listen->satisfied = true;
      listen->waiting.clear();
      frames_.ForgetListen(frame);
    }
    frames_.Refresh(frame);
  }

  void Completed(const Fact& fact) {
    instance_.output = *fact.data;
    End(v1::INSTANCE_STATUS_COMPLETED);
    NotifyParent(&instance_);
  }

  void Faulted(const v1::InstanceFaulted& faulted) {
    instance_.error = faulted.error();
    End(v1::INSTANCE_STATUS_FAULTED);
    NotifyParent(&instance_);
  }

  void Cancelled(const v1::InstanceCancelled& cancelled) {
    instance_.error.set_detail(cancelled.reason());
    End(v1::INSTANCE_STATUS_CANCELLED);
    NotifyParent(&instance_);
  }

  void End(v1::InstanceStatus status) {
    frames_.RemoveBelow(kRootFrame);
    frames_.Remove(kRootFrame, /*completed=*/true);
    instance_.ready.clear();
    instance_.ended = at_;
    instance_.end_status = status;
    instance_.consumed_events.clear();
  }

  void OutboxConfirmed(const v1::OutboxConfirmed& confirmed) {
    for (uint64_t entry : confirmed.entries()) instance_.outbox.erase(entry);
  }

  Instance& instance_;
  const Micros at_;
  FrameTree frames_;
};

void StartInstance(ShardState* state, const std::string& id, Micros at, const Fact& fact) {
  const v1::InstanceStarted& started = fact.event.instance_started();
  auto instance = std::make_unique<Instance>();
  instance->id = id;
  instance->workflow = fact.workflow;
  instance->started = at;
  instance->input = *fact.input;
  instance->events_after = started.events_after();
  if (started.has_parent()) {
    const v1::ParentRef& parent = started.parent();
    instance->parent = {parent.instance_id(), parent.frame(), parent.depth() + 1, parent.await()};
  }
  if (fact.context.has_value()) instance->context = *fact.context;
  auto root = std::make_unique<Frame>();
  root->id = kRootFrame;
  root->started = at;
  root->timeout = started.timeout_micros();
  root->raw_input = instance->input;
  root->input = fact.data.value_or(instance->input);
  root->data = root->input;
  root->cursor = started.position();
  instance->frames[kRootFrame] = std::move(root);
  instance->ready.push_back(kRootFrame);
  state->instances[id] = std::move(instance);
}

// Facts about who runs what, rather than about an instance. The batch's epoch is taken by whoever
// reads the batch.
bool ApplyToShard(ShardState* state, const std::string& object_id, Micros at,
                  const v1::Event& event) {
  switch (event.kind_case()) {
    case v1::Event::kShardOpened: {
      const v1::ShardOpened& opened = event.shard_opened();
      state->owner = opened.engine();
      state->owner_incarnation = opened.incarnation();
      while (!state->deaths.empty() && state->deaths.front() < at - limits::kDeathWindowMicros) {
        state->deaths.pop_front();
      }
      if (state->deaths.empty()) state->suspects.clear();
      if (opened.unclean()) {
        state->deaths.push_back(at);
        if (!state->marked.empty()) ++state->suspects[state->marked];
      }
      state->marked.clear();
      return true;
    }
    case v1::Event::kExecutionMarked:
      state->marked = object_id;
      return true;
    case v1::Event::kInstanceQuarantined:
      state->quarantined.insert(object_id);
      state->suspects.erase(object_id);
      return true;
    case v1::Event::kQuarantineLifted:
      state->quarantined.erase(object_id);
      state->marked.clear();
      return true;
    default:
      state->marked.clear();
      return false;
  }
}

// An ended instance that owes nothing becomes a summary; the oldest summaries are forgotten.
void Retire(ShardState* state, Micros at, const Instance& instance) {
  EndedInstance summary;
  summary.definition = instance.workflow->id();
  summary.status = instance.end_status;
  summary.started = instance.started;
  summary.ended = instance.ended;
  summary.input = ToJson(instance.input);
  if (instance.end_status == v1::INSTANCE_STATUS_COMPLETED)
    summary.output = ToJson(instance.output);
  summary.error = instance.error;
  const std::string id = instance.id;
  state->instances.erase(id);
  state->ended[id] = std::move(summary);
  state->ended_order.push_back(id);
  if (state->ended_order.size() > limits::kEndedInstances) {
    state->ended.erase(state->ended_order.front());
    state->ended_order.pop_front();
  }
  const uint64_t hash = HashOfObject(id);
  if (state->ended_hashes.insert(hash).second) state->ended_lately.emplace_back(at, hash);
  while (state->ended_lately.front().first < at - limits::kEndedMicros) {
    state->ended_hashes.erase(state->ended_lately.front().second);
    state->ended_lately.pop_front();
  }
}

}  // namespace

void Apply(ShardState* state, const std::string& object_id, Micros at, const Fact& fact,
           std::vector<AbortedWork>* aborted) {
  if (ApplyToShard(state, object_id, at, fact.event)) return;
  if (IsSchedule(object_id)) return ApplyToSchedule(state, object_id, fact);
  if (fact.event.has_instance_started()) return StartInstance(state, object_id, at, fact);
  Instance* instance = state->Find(object_id);
  JAQUE_CHECK(instance != nullptr);
  Application(state, instance, at, aborted).Apply(fact);
  if (!instance->live() && instance->outbox.empty()) Retire(state, at, *instance);
}

}  // namespace jaque::engine
