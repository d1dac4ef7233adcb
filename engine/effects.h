// SPDX-License-Identifier: Apache-2.0
// What must be done outside once the facts of a decision are durable, as values. Computed from
// events and state; performed by engine/performer.h. Each may be performed again: ids are
// deterministic.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "engine/apply.h"
#include "engine/fact.h"
#include "engine/state.h"
#include "jaque/v1/task.pb.h"

namespace jaque::engine {

struct DispatchTask {
  std::string pool;
  v1::TaskRequest request;
};
struct CancelTask {
  std::string instance;
  FrameId frame = 0;
  uint32_t attempt = 0;
};
struct ArmTimer {
  std::string instance;
  FrameId frame = 0;
  v1::TimerKind kind = v1::TIMER_KIND_UNSPECIFIED;
  Micros due = 0;
};
// A listen began: events stored after `after` must be offered to it.
struct StartListening {
  std::string instance;
  FrameId frame = 0;
  uint64_t after = 0;
};
struct SendOutbox {
  std::string instance;
  uint64_t id = 0;
  OutboxEntry entry;
};
// The decision was cut, or was interrupted by a crash: it goes on with a ContinueInstance command.
struct ContinueLater {
  std::string instance;
};
struct AnswerWaiters {
  std::string instance;
  v1::CommandReply reply;
};

using Effect = std::variant<DispatchTask, CancelTask, ArmTimer, StartListening, SendOutbox,
                            ContinueLater, AnswerWaiters>;

struct EffectEnvironment {
  std::string engine_id;
};

// Work that nobody waits for any more; the instance itself may have ended and be gone.
void AddCancels(const std::string& instance, const std::vector<AbortedWork>& aborted,
                std::vector<Effect>* effects);

// What `fact` makes necessary, given the state after it. `first_outbox`: entries from this id on
// are new.
void AddEffects(const Instance& instance, const Fact& fact, uint64_t first_outbox,
                const EffectEnvironment& environment, std::vector<Effect>* effects);

void AddScheduleEffects(const Schedule& schedule, const Fact& fact, std::vector<Effect>* effects);

// Everything that is still open in an instance.
void AddOpenEffects(const Instance& instance, const EffectEnvironment& environment,
                    std::vector<Effect>* effects);

// Everything that is still open in a shard: what a new owner repeats.
std::vector<Effect> OpenEffects(const ShardState& state, const EffectEnvironment& environment);

// What is said of an instance to those who ask.
v1::InstanceDescription Describe(const Instance& instance);
v1::InstanceDescription Describe(const std::string& id, const EndedInstance& ended);
v1::ScheduleDescription Describe(const Schedule& schedule);

}  // namespace jaque::engine
