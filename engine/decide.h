// SPDX-License-Identifier: Apache-2.0
// Decide: a command and the state give facts, effects and an answer. Pure: time, randomness and
// definitions come with the environment, nothing is sent. A fact that is emitted is applied at
// once, so later steps of the same decision see it. The thread that owns the shard.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "engine/effects.h"
#include "engine/fact.h"
#include "engine/state.h"
#include "jaque/v1/command.pb.h"
#include "log/definition_store.h"

namespace jaque::engine {

struct Environment {
  Micros now = 0;
  Random* random = nullptr;  // jitter
  DefinitionStore* definitions = nullptr;
  std::function<absl::Duration()> monotonic;  // bounds expressions in time; empty: steps only
  uint64_t events_position = 0;               // last event of the stream when the command came
  EffectEnvironment effects;
};

struct Outcome {
  std::vector<Fact> facts;                // all about the command's object, at Environment::now
  std::vector<Effect> effects;            // after the facts are durable
  std::optional<v1::CommandReply> reply;  // after the facts are durable
  bool reply_at_end = false;              // the caller waits for AnswerWaiters of this instance
};

Outcome Decide(ShardState* state, const v1::Command& command, const Environment& environment);

}  // namespace jaque::engine
