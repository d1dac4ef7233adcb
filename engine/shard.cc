// SPDX-License-Identifier: Apache-2.0
#include "engine/shard.h"

#include <utility>

#include "base/limits.h"
#include "base/metrics.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "engine/performer.h"
#include "engine/replay.h"

namespace jaque::engine {
namespace {

v1::CommandReply Unavailable(std::string_view message) {
  v1::CommandReply reply;
  reply.set_code(v1::CommandReply::CODE_UNAVAILABLE);
  reply.set_message(std::string(message));
  return reply;
}

}  // namespace

Shard::Shard(ShardParts parts) : parts_(std::move(parts)), random_(parts_.seed) {}

absl::Status Shard::Open() {
  RETURN_IF_ERROR(ReadBack());
  open_ = true;
  Outcome opened;
  opened.facts.emplace_back().event.mutable_shard_opened();
  opened.effects = OpenEffects(state_, {parts_.engine_id});
  Gather("", parts_.executor->Now(), std::move(opened), nullptr);
  Flush();
  return absl::OkStatus();
}

absl::Status Shard::ReadBack() {
  state_ = ShardState();
  last_ = 0;
  RETURN_IF_ERROR(Replay(parts_.log, parts_.id, parts_.definitions, &state_, &last_));
  if (state_.epoch > parts_.epoch) {
    return absl::FailedPreconditionError(
        Cat("shard ", parts_.id, " is at epoch ", state_.epoch, ", ours is ", parts_.epoch));
  }
  state_.epoch = parts_.epoch;
  return absl::OkStatus();
}

void Shard::Handle(const v1::Command& command, uint64_t events_position, ReplyFn reply) {
  if (!reply) reply = [](const v1::CommandReply&) {};  // what the engine tells itself
  if (!open_) return reply(Unavailable("the shard is being opened"));
  if (gathered_.size() >= limits::kQueuedCommands) {
    v1::CommandReply overloaded;
    overloaded.set_code(v1::CommandReply::CODE_OVERLOADED);
    overloaded.set_message("the log does not keep up with the commands");
    return reply(std::move(overloaded));
  }
  Environment environment;
  environment.now = parts_.executor->Now();
  environment.random = &random_;
  environment.definitions = parts_.definitions;
  environment.monotonic = [clock = parts_.clock] { return clock->Monotonic(); };
  environment.events_position = events_position;
  environment.effects.engine_id = parts_.engine_id;
  Outcome outcome = Decide(&state_, command, environment);
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
  if (!in_flight_.empty() || gathered_.empty()) return;
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
  if (batch.decisions_size() == 0) return Commit(std::exchange(in_flight_, {}));
  batch.set_epoch(parts_.epoch);
  batch.set_engine_id(parts_.engine_id);
  in_flight_id_ = Cat(parts_.engine_id, "/", parts_.epoch, "/", parts_.id, "/", ++batches_);
  batch.set_batch_id(in_flight_id_);
  in_flight_bytes_ = batch.SerializeAsString();
  resent_ = 0;
  Append();
}

void Shard::Append() {
  parts_.log->Append(parts_.id, last_, in_flight_id_, in_flight_bytes_,
                     [this, executor = parts_.executor](AppendResult result) {
                       executor->Post([this, result = std::move(result)]() mutable {
                         AppendEnded(std::move(result));
                       });
                     });
}

void Shard::AppendEnded(AppendResult result) {
  switch (result.outcome) {
    case AppendOutcome::kCommitted:
      last_ = result.sequence;
      ProcessMetrics().appends.Increment();
      in_flight_bytes_.clear();
      Commit(std::exchange(in_flight_, {}));
      return Flush();
    case AppendOutcome::kConflict:
      ProcessMetrics().append_conflicts.Increment();
      return Reload();
    case AppendOutcome::kUnknown:
      // The same batch again, under its id, tells what became of the first.
      if (++resent_ > limits::kAppendResends) return Reload();
      return parts_.executor->At(parts_.executor->Now() + limits::kAppendResendMicros,
                                 [this] { Append(); });
  }
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

void Shard::Reload() {
  open_ = false;
  std::vector<ReplyFn> told;
  for (Pending& pending : in_flight_) told.push_back(std::move(pending.reply));
  for (Pending& pending : gathered_) told.push_back(std::move(pending.reply));
  for (auto& [id, replies] : waiters_) {
    for (ReplyFn& reply : replies) told.push_back(std::move(reply));
  }
  in_flight_.clear();
  gathered_.clear();
  waiters_.clear();
  for (ReplyFn& reply : told) {
    if (reply) reply(Unavailable("the shard is being read back from the log; try again"));
  }
  const absl::Status opened = Open();
  if (opened.ok()) return;
  parts_.executor->At(parts_.executor->Now() + limits::kReloadMicros, [this] {
    if (!open_) Reload();
  });
}

}  // namespace jaque::engine
