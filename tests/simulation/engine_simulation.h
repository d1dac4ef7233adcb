// SPDX-License-Identifier: Apache-2.0
// One shard with its executor, performer and listener over the parts in memory and a log that
// misbehaves: appends are refused, lost, answered late or never. Checks that effects and answers
// come after facts, that nothing acknowledged is lost, and that everything ends once. Deterministic
// by seed.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "base/random.h"
#include "base/simulated_clock.h"
#include "engine/executor.h"
#include "engine/listener.h"
#include "engine/performer.h"
#include "engine/shard.h"
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

 private:
  void LoadDefinitions();
  void Follow(const LogRecord& record);
  void Step();
  void Start(const std::string& instance, const std::string& definition);
  void Work(bool healed);
  void SendResult(const v1::TaskRequest& request, bool fail);
  void SendEvent();
  void AdvanceTime();
  void RunExecutor();
  void Heal();
  void CheckReplay();
  void Fail(std::string what);

  Random random_;
  SimulatedClock clock_;
  std::string broken_;
  std::set<std::string> durable_;  // instances, and instance/frame/1 of tasks, as the log has them
  std::set<std::string> ended_;
  std::set<std::string> acknowledged_;  // starts that were answered OK
  MemoryEventLog log_;
  FaultyEventLog faulty_;
  MemoryTaskQueue queue_;
  CheckedTaskQueue tasks_;
  std::unique_ptr<TaskCancels> cancels_;
  MemoryCommandBus commands_;
  MemoryEventStream events_;
  MemoryDefinitionStore definitions_;
  std::vector<std::string> names_;
  engine::Executor executor_;
  engine::Listener listener_;
  engine::Performer performer_;
  std::unique_ptr<engine::Shard> shard_;
  std::unique_ptr<CommandBus::Service> service_;
  std::unique_ptr<EventLog::Subscription> tail_;
  int started_ = 0;
  int event_number_ = 0;
};

}  // namespace jaque::simulation
