// SPDX-License-Identifier: Apache-2.0
// Several engines over the parts in memory, each with a way to the log that misbehaves: appends are
// refused, lost, answered late or never. Engines crash, stand still past any lifetime, and hear of
// views late or never. Checks that effects and answers come after facts, that one engine writes a
// shard at a time, that nothing acknowledged is lost, and that everything ends once. Deterministic
// by seed.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/simulated_clock.h"
#include "coordination/memory_kv_store.h"
#include "engine/engine.h"
#include "jaque/v1/event.pb.h"
#include "jaque/v1/task.pb.h"
#include "log/memory_definition_store.h"
#include "log/memory_event_log.h"
#include "queue/memory_command_bus.h"
#include "queue/memory_event_stream.h"
#include "queue/memory_task_cancels.h"
#include "queue/memory_task_queue.h"
#include "tests/support/faulty_event_log.h"

namespace jaque::simulation {

// A queue that only takes tasks whose start is in the log already.
class CheckedTaskQueue final : public TaskQueue {
 public:
  CheckedTaskQueue(TaskQueue* inner, const std::set<std::string>* durable, std::string* broken)
      : inner_(inner), durable_(durable), broken_(broken) {}

  void Publish(const std::string& pool, const std::string& id, std::string bytes,
               absl::AnyInvocable<void(absl::Status)> done) override;
  void Pull(const std::string& pool, int max, absl::Duration wait,
            absl::AnyInvocable<void(std::vector<std::unique_ptr<TaskDelivery>>)> deliver) override;

 private:
  TaskQueue* const inner_;
  const std::set<std::string>* const durable_;
  std::string* const broken_;
};

class EngineSimulation {
 public:
  explicit EngineSimulation(uint64_t seed);
  ~EngineSimulation();

  // Empty if everything held, else what broke.
  std::string Run();
  size_t ended() const { return ended_.size(); }
  size_t takeovers() const { return opened_; }
  size_t snapshots() const { return snapshots_; }
  size_t quarantined() const { return quarantined_.size(); }

 private:
  struct Member {
    std::string id;
    std::unique_ptr<FaultyEventLog> log;
    std::unique_ptr<Engine> engine;
    bool standing_still = false;
  };

  void LoadDefinitions();
  void Follow(ShardId shard, const LogRecord& record);
  void Note(const std::string& instance, const v1::Event& event);
  void Step();
  void ChangeMembers();
  void AddMember();
  void Crash(size_t index);
  void MakeView(bool of_all);
  void Tell(Member* member);
  void StepOne();
  void Release();
  void Start(const std::string& instance, const std::string& definition);
  void Work(bool healed);
  void SendResult(const v1::TaskRequest& request, bool fail);
  void SendEvent();
  void AdvanceTime();
  void Heal();
  bool AllEnded() const;
  void CheckStates();
  void Fail(std::string what);

  Random random_;
  SimulatedClock clock_;
  std::string broken_;
  std::set<std::string> durable_;  // instances, and instance/frame/1 of tasks, as the log has them
  std::map<std::string, v1::Event::KindCase> ended_;  // and how
  std::set<std::string> quarantined_;                 // held to have killed engines
  std::set<std::string> acknowledged_;                // starts that were answered OK
  std::map<ShardId, uint64_t> epochs_;                // highest in the log
  size_t opened_ = 0, snapshots_ = 0;
  MemoryEventLog log_;
  MemoryTaskQueue queue_;
  CheckedTaskQueue tasks_;
  std::unique_ptr<TaskCancels> cancels_;
  MemoryCommandBus commands_;
  MemoryEventStream events_;
  MemoryDefinitionStore definitions_;
  MemoryKvStore state_;  // snapshots
  std::vector<std::string> names_;
  std::vector<Member> members_;
  // What crashed engines had sent, which may still arrive.
  std::vector<std::unique_ptr<FaultyEventLog>> left_behind_;
  v1::View view_;
  std::vector<std::unique_ptr<EventLog::Subscription>> tails_;
  int started_ = 0, made_ = 0, event_number_ = 0, result_number_ = 0;
};

}  // namespace jaque::simulation
