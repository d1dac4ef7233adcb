// SPDX-License-Identifier: Apache-2.0
#include "engine/shard.h"

#include <utility>

#include "base/limits.h"
#include "base/metrics.h"
#include "base/text.h"
#include "engine/performer.h"

namespace jaque::engine {
namespace {

v1::CommandReply ReplyOf(v1::CommandReply::Code code, std::string_view message) {
  v1::CommandReply reply;
  reply.set_code(code);
  reply.set_message(std::string(message));
  return reply;
}

}  // namespace

Shard::Shard(ShardParts parts) : parts_(std::move(parts)), random_(parts_.seed) {}

void Shard::Handle(v1::Command command, uint64_t events_position, ReplyFn reply) {
  if (phase_ == Phase::kOpen &&
      gathered_.size() + careful_.size() + waiting_.size() < limits::kQueuedCommands) {
    TakeSnapshotIfDrained();
    if (DrainForSnapshot()) {
      waiting_.push_back({std::move(command), events_position, std::move(reply)});
      return;
    }
    if (Careful() && !command.has_describe_instance())
      return RunCarefully({std::move(command), events_position, std::move(reply)});
    return Decide(command, events_position, std::move(reply));
  }
  // What the engine tells itself is told again when the shard opens.
  if (!reply) return;
  const bool opening = phase_ == Phase::kOpening && !overtaken_;
  if (opening && waiting_.size() < limits::kQueuedCommands) {
    waiting_.push_back({std::move(command), events_position, std::move(reply)});
    return;
  }
  if (phase_ == Phase::kOpen || opening) {
    return reply(
        ReplyOf(v1::CommandReply::CODE_OVERLOADED, "the log does not keep up with the commands"));
  }
  if (command.forwarded()) ProcessMetrics().commands_not_owned.Increment();
  reply(ReplyOf(v1::CommandReply::CODE_NOT_OWNED,
                Cat("engine ", parts_.engine_id, " does not own ", command.object_id())));
}

void Shard::Decide(const v1::Command& command, uint64_t events_position, ReplyFn reply) {
  Environment environment;
  environment.now = parts_.executor->Now();
  environment.random = &random_;
  environment.definitions = parts_.definitions;
  environment.monotonic = [clock = parts_.clock] { return clock->Monotonic(); };
  environment.events_position = events_position;
  environment.effects.engine_id = parts_.engine_id;
  Outcome outcome = engine::Decide(&state_, command, environment);
  Gather(command.object_id(), environment.now, std::move(outcome), std::move(reply));
}

void Shard::Count(const v1::Event& event, Pending* pending) {
  if (event.has_instance_started()) ++pending->started;
  if (event.has_instance_completed()) ++pending->completed;
  if (event.has_instance_faulted()) ++pending->faulted;
  if (event.has_instance_cancelled()) ++pending->cancelled;
}

void Shard::Gather(const std::string& object_id, Micros now, Outcome outcome, ReplyFn reply) {
  Pending pending;
  const auto begin = [&] {
    pending = Pending();
    pending.decision.set_object_id(object_id);
    pending.decision.set_at_micros(now);
  };
  begin();
  for (Fact& fact : outcome.facts) {
    const size_t bytes = fact.ValueBytes() + limits::kEventOverheadBytes;
    if (pending.bytes + bytes > limits::kBatchBytes && pending.bytes > 0) {
      gathered_.push_back(std::move(pending));
      begin();
    }
    pending.bytes += bytes;
    Count(fact.event, &pending);
    *pending.decision.add_events() = std::move(fact.event);
  }
  pending.effects = std::move(outcome.effects);
  pending.answer = std::move(outcome.reply);
  pending.answer_at_end = outcome.reply_at_end;
  pending.reply = std::move(reply);
  gathered_.push_back(std::move(pending));
}

void Shard::Flush() {
  if (phase_ != Phase::kOpen || appending_ || gathered_.empty()) return;
  v1::LogBatch batch;
  size_t bytes = 0;
  do {
    Pending& next = gathered_.front();
    if (bytes > 0 && bytes + next.bytes > limits::kBatchBytes) break;
    bytes += next.bytes;
    if (next.decision.events_size() > 0) *batch.add_decisions() = std::move(next.decision);
    in_flight_.push_back(std::move(next));
    gathered_.pop_front();
  } while (!gathered_.empty());
  if (batch.decisions_size() > 0) return AppendBatch(std::move(batch));
  // What is answered without a fact may be told by an owner that is none any more, from memory that
  // is out of date: the log says.
  bool answers = false;
  for (const Pending& pending : in_flight_) answers = answers || pending.reply;
  if (!answers) {
    Commit(std::exchange(in_flight_, {}));
    return TakeSnapshotIfDrained();
  }
  in_flight_bytes_.clear();
  in_flight_after_ = last_;
  resent_ = 0;
  append_began_ = parts_.clock->Monotonic();
  Append();
}

void Shard::AppendBatch(v1::LogBatch batch) {
  batch.set_epoch(epoch_);
  batch.set_engine_id(parts_.engine_id);
  in_flight_id_ =
      Cat(parts_.engine_id, "/", epoch_, "/", parts_.id, "/", parts_.seed, "/", ++batches_);
  batch.set_batch_id(in_flight_id_);
  batch.set_after(last_);
  in_flight_bytes_ = batch.SerializeAsString();
  in_flight_after_ = last_;
  resent_ = 0;
  append_began_ = parts_.clock->Monotonic();
  ProcessMetrics().batch_decisions.Observe(batch.decisions_size());
  Append();
}

void Shard::Append() {
  appending_ = true;
  auto ended = [this, inbox = parts_.executor->inbox()](AppendResult result) {
    inbox->Post([this, result = std::move(result)]() mutable { AppendEnded(std::move(result)); });
  };
  if (in_flight_bytes_.empty()) {
    parts_.log->Confirm(parts_.id, in_flight_after_, std::move(ended));
  } else {
    parts_.log->Append(parts_.id, in_flight_after_, in_flight_id_, in_flight_bytes_,
                       std::move(ended));
  }
}

void Shard::AppendEnded(AppendResult result) {
  Metrics& metrics = ProcessMetrics();
  if (result.outcome == AppendOutcome::kUnknown && ++resent_ <= limits::kAppendResends) {
    // The same batch again, under its id, tells what became of the first.
    return parts_.executor->At(parts_.executor->Now() + limits::kAppendResendMicros,
                               [this] { Append(); });
  }
  appending_ = false;
  const size_t bytes = std::exchange(in_flight_bytes_, "").size();
  const bool stored = bytes > 0;
  if (stored) {
    metrics.append_seconds.Observe(
        absl::ToDoubleSeconds(parts_.clock->Monotonic() - append_began_));
  }
  if (result.outcome == AppendOutcome::kConflict) metrics.append_conflicts.Increment();
  if (in_flight_.empty()) return OpenEnded(result);
  if (result.outcome != AppendOutcome::kCommitted) return Reload();
  last_ = result.sequence;
  if (stored) metrics.appends.Increment();
  bytes_since_ += bytes;
  Commit(std::exchange(in_flight_, {}));
  if (phase_ == Phase::kClosing) return Settle();
  TakeSnapshotIfDrained();
  Flush();
}

void Shard::Commit(std::vector<Pending> committed) {
  Metrics& metrics = ProcessMetrics();
  for (Pending& pending : committed) {
    metrics.decisions.Increment();
    metrics.instances_started.Increment(pending.started);
    metrics.instances_completed.Increment(pending.completed);
    metrics.instances_faulted.Increment(pending.faulted);
    metrics.instances_cancelled.Increment(pending.cancelled);
    for (Effect& effect : pending.effects) {
      // Answers wait for their caller to be known: those of this decision are registered first.
      if (!std::holds_alternative<AnswerWaiters>(effect)) Perform(&effect);
    }
    AnswerOne(&pending);
    for (Effect& effect : pending.effects) {
      if (std::holds_alternative<AnswerWaiters>(effect)) Perform(&effect);
    }
  }
}

void Shard::AnswerOne(Pending* pending) {
  if (!pending->reply) return;
  if (!pending->answer_at_end) {
    return pending->reply(pending->answer.value_or(v1::CommandReply()));
  }
  waiters_[pending->answer->instance().id()].push_back(std::move(pending->reply));
}

void Shard::Perform(Effect* effect) {
  if (auto* answer = std::get_if<AnswerWaiters>(effect)) {
    auto waiting = waiters_.extract(answer->instance);
    if (waiting.empty()) return;
    for (ReplyFn& reply : waiting.mapped()) reply(answer->reply);
    return;
  }
  parts_.performer->Perform(this, std::move(*effect));
}

}  // namespace jaque::engine
