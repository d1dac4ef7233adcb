// SPDX-License-Identifier: Apache-2.0
// The pure core (Decide and Apply) under a simulated clock with random results, failures,
// duplicates, events and restarts: faults first, then everything is healed and must end.
// Deterministic by seed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/simulated_clock.h"
#include "engine/decide.h"
#include "jaque/v1/event.pb.h"
#include "log/memory_definition_store.h"

namespace jaque::simulation {

class CoreSimulation {
 public:
  explicit CoreSimulation(uint64_t seed);

  // Runs everything. Empty if all invariants held, else what broke.
  std::string Run();
  // Of all that was decided: equal for equal seeds.
  uint64_t Digest() const;
  size_t ended() const { return terminal_.size(); }
  const std::vector<v1::Decision>& log() const { return log_; }
  DefinitionStore* definitions() { return &definitions_; }

 private:
  struct Timer {
    std::string instance;
    engine::FrameId frame;
    v1::TimerKind kind;
  };

  void LoadDefinitions();
  void Step();
  void StartOne();
  void AnswerTask(bool healed);
  void SendEvent();
  void ControlOne();
  void ControlSchedule();
  void Command(const std::string& object, v1::Command command);
  void NextTimer();
  void Restart();
  void Heal();
  void StopSchedules();
  void Execute(const v1::Command& command);
  void Record(const v1::Command& command, engine::Outcome* outcome);
  void CheckEvent(const std::string& object, const v1::Event& event);
  void Perform(engine::Effect effect);
  void PerformOutbox(const engine::SendOutbox& outbox);
  void Offer(const std::string& json);
  void Fail(std::string what);
  bool AllEnded() const;

  Random random_;
  Random core_random_;
  int64_t now_ = 1'800'000'000'000'000;
  MemoryDefinitionStore definitions_;
  std::vector<std::string> names_;
  engine::ShardState state_;
  std::vector<v1::Decision> log_;
  std::multimap<int64_t, Timer> timers_;
  std::map<std::string, v1::TaskRequest> tasks_;  // dispatched, by id
  std::vector<v1::TaskResult> results_sent_;      // to be sent again
  // A command under way; what came of an outbox is confirmed once it has been executed.
  struct UnderWay {
    v1::Command command;
    std::optional<v1::Command> confirm;
  };
  void Take(size_t index, bool keep);
  std::vector<UnderWay> inbox_;      // what effects made
  std::vector<std::string> events_;  // emitted or sent, in order
  std::set<std::string> emitted_ids_;
  std::map<std::string, std::string> terminal_;  // instance to its terminal event
  std::set<std::string> fired_;                  // instances of schedules
  std::map<std::string, int64_t> wake_due_;      // instance/frame to the end of its wait
  int started_ = 0;
  int event_number_ = 0;
  std::string broken_;
};

}  // namespace jaque::simulation
