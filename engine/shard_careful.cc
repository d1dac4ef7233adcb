// SPDX-License-Identifier: Apache-2.0
// Careful mode (design, invariant 10): when the owner of a shard has died, one of its objects may
// be the cause. For limits::kDeathWindowMicros the log is told which is about to be run before it
// is. An object that is named so at limits::kMarkedDeaths deaths, in short succession, is
// quarantined by the next owner, which runs the rest: after three engines, as the first did not say
// what it ran. One object of an engine at a time, two appends each: slower, and not for long.
#include <utility>

#include "base/limits.h"
#include "engine/careful_turn.h"
#include "engine/shard.h"

namespace jaque::engine {

bool Shard::Careful() const {
  return !state_.deaths.empty() &&
         state_.deaths.back() > parts_.executor->Now() - limits::kDeathWindowMicros;
}

void Shard::RunCarefully(Waiting command) {
  careful_.push_back(std::move(command));
  AskForTurn();
}

void Shard::AskForTurn() {
  if (turn_asked_ || careful_.empty()) return;
  turn_asked_ = true;
  parts_.turn->Ask(parts_.executor->inbox(), [this] { MarkNext(); });
}

void Shard::EndTurn() {
  turn_asked_ = false;
  parts_.turn->Done();
  AskForTurn();
}

void Shard::MarkNext() {
  if (phase_ != Phase::kOpen || careful_.empty()) return EndTurn();
  Waiting command = std::move(careful_.front());
  careful_.pop_front();
  Outcome mark;
  mark.facts.emplace_back().event.mutable_execution_marked();
  const std::string object = command.command.object_id();
  state_.marked = object;
  // Told otherwise, the mark is not in the log, and the caller is told the same.
  Gather(object, parts_.executor->Now(), std::move(mark),
         [this, command = std::move(command)](v1::CommandReply reply) mutable {
           if (reply.code() == v1::CommandReply::CODE_UNSPECIFIED) {
             return RunMarked(std::move(command));
           }
           if (command.reply) command.reply(std::move(reply));
           EndTurn();
         });
}

void Shard::RunMarked(Waiting command) {
  if (phase_ != Phase::kOpen) {
    // It closes: the mark was the last thing that it said.
    Handle(std::move(command.command), command.events_position, std::move(command.reply));
    return EndTurn();
  }
  Decide(command.command, command.events_position, std::move(command.reply));
  Outcome done;
  if (!state_.marked.empty()) {
    // There was no fact that says that it went well.
    done.facts.emplace_back().event.mutable_execution_marked();
    state_.marked.clear();
  }
  Gather("", parts_.executor->Now(), std::move(done),
         [this](const v1::CommandReply&) { EndTurn(); });
}

}  // namespace jaque::engine
