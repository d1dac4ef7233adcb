// SPDX-License-Identifier: Apache-2.0
// A shard goes from one engine to the next without anybody waiting for a timer, whatever comes in
// between: the clock stands still here.
#include <memory>
#include <string>
#include <vector>

#include "base/simulated_clock.h"
#include "coordination/memory_kv_store.h"
#include "dsl/load.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "jaque/v1/command.pb.h"
#include "log/memory_definition_store.h"
#include "log/memory_event_log.h"
#include "queue/memory_command_bus.h"
#include "queue/memory_event_stream.h"
#include "queue/memory_task_cancels.h"
#include "queue/memory_task_queue.h"
#include "tests/support/faulty_event_log.h"

namespace jaque {
namespace {

// Of these two, rendezvous hashing gives shard 0 to the former.
constexpr char kFormer[] = "e1", kNext[] = "e2";

class HandoverTest : public ::testing::Test {
 protected:
  HandoverTest() {
    AppendFaults slow;
    slow.delayed_request = 100;
    slow_log_ = std::make_unique<FaultyEventLog>(&log_, /*seed=*/1, slow);
    const dsl::LoadResult loaded = dsl::Load(
        "document: {dsl: '1.0.3', namespace: t, name: w, version: '1.0.0'}\n"
        "do: [{a: {set: {n: 1}}}]\n");
    EXPECT_NE(loaded.workflow, nullptr);
    EXPECT_TRUE(definitions_.Put(loaded.workflow).ok());
    former_ = Make(kFormer, &log_);
    next_ = Make(kNext, slow_log_.get());
  }

  std::unique_ptr<Engine> Make(const std::string& id, EventLog* log) {
    EngineOptions options;
    options.engine_id = id;
    options.shards = 1;
    options.standby = true;
    options.stepped = true;
    EngineParts parts;
    parts.clock = &clock_;
    parts.log = log;
    parts.tasks = &tasks_;
    parts.cancels = cancels_.get();
    parts.commands = &commands_;
    parts.events = &events_;
    parts.definitions = &definitions_;
    parts.state = &state_;
    auto engine = MakeEngine(options, parts);
    engine->Start();
    return engine;
  }

  static std::shared_ptr<const Ownership> View(uint64_t epoch,
                                               const std::vector<std::string>& members) {
    v1::View view;
    view.set_epoch(epoch);
    for (const std::string& id : members) {
      v1::ViewMember* member = view.add_members();
      member->set_id(id);
      member->set_weight(1);
      member->set_incarnation(1);
    }
    return std::make_shared<const Ownership>(view, 1);
  }

  static void Run(Engine* engine) {
    while (engine->Step()) {
    }
  }

  void StartAtFormer(const std::string& instance) {
    v1::Command command;
    command.set_id(instance);
    command.set_object_id(instance);
    command.mutable_start_instance()->set_definition("t/w:1.0.0");
    command.mutable_start_instance()->set_input("{}");
    former_->commands()->Submit(command.SerializeAsString(), instance, absl::Hours(1),
                                [](absl::StatusOr<std::string>) {});
    Run(former_.get());
  }

  SimulatedClock clock_;
  MemoryEventLog log_{&clock_};
  std::unique_ptr<FaultyEventLog> slow_log_;
  MemoryTaskQueue tasks_{&clock_};
  std::unique_ptr<TaskCancels> cancels_ = MakeMemoryTaskCancels();
  MemoryCommandBus commands_{&clock_};
  MemoryEventStream events_{&clock_};
  MemoryDefinitionStore definitions_;
  MemoryKvStore state_{&clock_};
  std::unique_ptr<Engine> former_, next_;
};

// The former owner's last words arrive while the opening, which is refused for them, is under way.
TEST_F(HandoverTest, WhatAnOpeningIsRefusedForWasReadMeanwhile) {
  const auto both = View(1, {kFormer, kNext});
  ASSERT_EQ(both->OwnerOf(0), kFormer);
  former_->SetOwnership(both);
  next_->SetOwnership(both);
  Run(former_.get());
  StartAtFormer("before");
  Run(next_.get());

  next_->SetOwnership(View(2, {kNext}));
  Run(next_.get());
  ASSERT_EQ(slow_log_->held(), 1u);
  StartAtFormer("between");
  Run(next_.get());
  ASSERT_TRUE(slow_log_->ReleaseNext());  // refused
  Run(next_.get());
  ASSERT_EQ(slow_log_->held(), 1u) << "it waits for a timer";
  ASSERT_TRUE(slow_log_->ReleaseNext());
  Run(next_.get());
  EXPECT_TRUE(next_->Ready().ok());
}

// A tail that the server has forgotten brings nothing; the refusal says that there is more.
TEST_F(HandoverTest, ATailThatHasGoneSilentIsReadAnew) {
  const auto both = View(1, {kFormer, kNext});
  former_->SetOwnership(both);
  next_->SetOwnership(both);
  Run(former_.get());
  Run(next_.get());
  slow_log_->MuteTails();
  StartAtFormer("unheard");
  next_->SetOwnership(View(2, {kNext}));
  const absl::Time since = clock_.Now();
  for (int i = 0; i < 100 && !next_->Ready().ok(); ++i) {
    Run(next_.get());
    while (slow_log_->ReleaseNext()) Run(next_.get());
    clock_.Advance(absl::Milliseconds(10));
  }
  EXPECT_TRUE(next_->Ready().ok());
  EXPECT_LE(clock_.Now() - since, absl::Milliseconds(200));
}

}  // namespace
}  // namespace jaque
