// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/engine_simulation.h"

#include <utility>

#include "base/text.h"
#include "dsl/load.h"
#include "engine/invariants.h"
#include "engine/replay.h"
#include "engine/snapshot.h"
#include "tests/simulation/random_workflow.h"

namespace jaque::simulation {
namespace {

AppendFaults Faults() {
  AppendFaults faults;
  faults.conflict = 3;
  faults.unknown_stored = 5;
  faults.unknown_lost = 5;
  faults.unknown_later = 3;
  faults.delayed_request = 10;
  faults.delayed_answer = 20;
  faults.read_failed = 20;
  return faults;
}

}  // namespace

void CheckedTaskQueue::Publish(const std::string& pool, const std::string& id, std::string bytes,
                               absl::AnyInvocable<void(absl::Status)> done) {
  if (!durable_->contains(id) && broken_->empty()) {
    *broken_ = Cat("task ", id, " was dispatched before its start was in the log");
  }
  inner_->Publish(pool, id, std::move(bytes), std::move(done));
}

void CheckedTaskQueue::Pull(
    const std::string& pool, int max, absl::Duration wait,
    absl::AnyInvocable<void(std::vector<std::unique_ptr<TaskDelivery>>)> deliver) {
  inner_->Pull(pool, max, wait, std::move(deliver));
}

EngineSimulation::EngineSimulation(uint64_t seed)
    : random_(seed),
      log_(&clock_),
      faulty_(&log_, seed, Faults()),
      queue_(&clock_),
      tasks_(&queue_, &durable_, &broken_),
      cancels_(MakeMemoryTaskCancels()),
      commands_(&clock_),
      events_(&clock_),
      executor_(&clock_),
      listener_(&executor_, &events_),
      performer_({"e1", &executor_, &tasks_, cancels_.get(), &commands_, &events_, &listener_}) {
  LoadDefinitions();
  engine::ShardParts parts;
  parts.engine_id = "e1";
  parts.seed = seed;
  parts.executor = &executor_;
  parts.log = &faulty_;
  parts.definitions = &definitions_;
  parts.performer = &performer_;
  parts.clock = &clock_;
  shard_ = std::make_unique<engine::Shard>(std::move(parts));
  executor_.SetAfterRound([this] { shard_->Flush(); });
  tail_ = log_.Tail(0, 0, [this](ShardId, const LogRecord& record) { Follow(record); });
  listener_.Open({shard_.get()});
  service_ = commands_.Serve("e1", [this](std::string bytes, bool, CommandBus::ReplyFn reply) {
    executor_.Post([this, bytes = std::move(bytes), reply = std::move(reply)]() mutable {
      v1::Command command;
      command.ParseFromString(bytes);
      shard_->Handle(command, listener_.position(),
                     [reply = std::move(reply)](v1::CommandReply answer) mutable {
                       reply(answer.SerializeAsString());
                     });
    });
  });
  while (!shard_->Open().ok()) {
  }
}

EngineSimulation::~EngineSimulation() {
  service_.reset();
  listener_.Close();
}

void EngineSimulation::Fail(std::string what) {
  if (broken_.empty()) broken_ = std::move(what);
}

void EngineSimulation::LoadDefinitions() {
  std::string child;
  for (int i = 0; i < 3; ++i) {
    const std::string name = Cat("w", i);
    const dsl::LoadResult loaded = dsl::Load(RandomWorkflow(name, child, &random_));
    if (loaded.workflow == nullptr) return Fail(dsl::FormatFinding("made", loaded.findings[0]));
    if (!definitions_.Put(loaded.workflow).ok()) Fail("a definition was refused");
    names_.push_back(loaded.workflow->id());
    child = name;
  }
}

// What the log has: the truth that everything else is measured by.
void EngineSimulation::Follow(const LogRecord& record) {
  v1::LogBatch batch;
  if (!batch.ParseFromArray(record.bytes.data(), static_cast<int>(record.bytes.size()))) {
    return Fail("a record of the log cannot be read");
  }
  for (const v1::Decision& decision : batch.decisions()) {
    for (const v1::Event& event : decision.events()) {
      if (event.has_instance_started() && !durable_.insert(decision.object_id()).second) {
        Fail(Cat(decision.object_id(), " started twice"));
      }
      if (event.has_task_started()) {
        durable_.insert(Cat(decision.object_id(), "/", event.task_started().frame(), "/1"));
      }
      const bool terminal = event.has_instance_completed() || event.has_instance_faulted() ||
                            event.has_instance_cancelled();
      if (terminal && !ended_.insert(decision.object_id()).second) {
        Fail(Cat(decision.object_id(), " ended twice"));
      }
    }
  }
}

std::string EngineSimulation::Run() {
  for (int i = 0; i < 400 && broken_.empty(); ++i) Step();
  if (broken_.empty()) Heal();
  if (broken_.empty()) CheckReplay();
  return broken_;
}

void EngineSimulation::Step() {
  switch (random_.Below(8)) {
    case 0:
      Start(Cat("i", ++started_), names_[random_.Below(names_.size())]);
      break;
    case 1:
      SendEvent();
      break;
    case 2:
      AdvanceTime();
      break;
    case 3:
    case 4:
      faulty_.ReleaseNext();
      break;
    case 5:
      Work(/*healed=*/false);
      break;
    default:
      RunExecutor();
  }
}

void EngineSimulation::Start(const std::string& instance, const std::string& definition) {
  v1::Command command;
  command.set_id(instance);
  command.set_object_id(instance);
  command.mutable_start_instance()->set_definition(definition);
  command.mutable_start_instance()->set_input("{\"n\":1}");
  commands_.Send("e1", command.SerializeAsString(), absl::Seconds(3600),
                 [this, instance](absl::StatusOr<std::string> bytes) {
                   v1::CommandReply reply;
                   if (!bytes.ok() || !reply.ParseFromString(*bytes)) return;
                   if (reply.code() != v1::CommandReply::CODE_OK) return;
                   acknowledged_.insert(instance);
                   if (!durable_.contains(instance))
                     Fail("a start was answered before it was stored");
                 });
}

void EngineSimulation::Work(bool healed) {
  tasks_.Pull("default", 4, absl::ZeroDuration(),
              [this, healed](std::vector<std::unique_ptr<TaskDelivery>> deliveries) {
                for (const auto& delivery : deliveries) {
                  if (!healed && random_.OneIn(5)) continue;  // this worker dies with it
                  v1::TaskMessage message;
                  message.ParseFromString(delivery->bytes());
                  for (const v1::TaskRequest& request : message.tasks()) {
                    SendResult(request, !healed && random_.OneIn(3));
                    if (!healed && random_.OneIn(4)) SendResult(request, true);  // and again
                  }
                  delivery->Ack();
                }
              });
}

void EngineSimulation::SendResult(const v1::TaskRequest& request, bool fail) {
  v1::Command command;
  command.set_object_id(request.instance_id());
  v1::TaskResult* result = command.mutable_task_result();
  result->set_instance_id(request.instance_id());
  result->set_frame(request.frame());
  result->set_attempt(request.attempt());
  if (fail) {
    result->mutable_error()->set_type("https://sim/failed");
    result->mutable_error()->set_status(500);
  } else {
    result->set_output("{\"n\":2}");
  }
  // A worker repeats its result until the engine says that it has it.
  commands_.Send("e1", command.SerializeAsString(), absl::Seconds(3600),
                 [this, request, fail](absl::StatusOr<std::string> bytes) {
                   v1::CommandReply reply;
                   const bool heard = bytes.ok() && reply.ParseFromString(*bytes) &&
                                      reply.code() != v1::CommandReply::CODE_UNAVAILABLE;
                   if (!heard) executor_.Post([this, request, fail] { SendResult(request, fail); });
                 });
}

void EngineSimulation::SendEvent() {
  const std::string id = Cat("e", ++event_number_);
  const std::string json =
      Cat(R"({"specversion":"1.0","source":"urn:sim","id":")", id, R"(","type":")",
          kEventTypes[random_.Below(3)], R"(","data":{"n":1}})");
  events_.Publish(Cat("urn:sim\n", id), json, [](absl::StatusOr<uint64_t>) {});
}

void EngineSimulation::AdvanceTime() {
  clock_.Advance(absl::Milliseconds(random_.Below(3000)));
  queue_.ExpireOverdue();
  commands_.ExpireOverdue();
}

void EngineSimulation::RunExecutor() {
  executor_.RunOnce();
  const absl::Status valid = engine::CheckInvariants(shard_->state());
  if (!valid.ok()) Fail(std::string(Message(valid)));
}

void EngineSimulation::Heal() {
  faulty_.Heal();
  for (int i = 0; i < 20'000 && broken_.empty(); ++i) {
    while (faulty_.ReleaseNext()) {
    }
    RunExecutor();
    Work(/*healed=*/true);
    AdvanceTime();
    // Every start that was acknowledged, and every child, has come to its end.
    if (i > 100 && shard_->state().instances.empty() && faulty_.held() == 0 &&
        !executor_.RunOnce()) {
      for (const std::string& instance : acknowledged_) {
        if (!ended_.contains(instance)) Fail(Cat(instance, " was acknowledged, and is lost"));
      }
      return;
    }
  }
  if (!shard_->state().instances.empty()) {
    Fail(Cat("after healing, ", shard_->state().instances.begin()->first, " does not end"));
  } else {
    Fail("after healing, the executor does not come to rest");
  }
}

void EngineSimulation::CheckReplay() {
  engine::ShardState replayed;
  Sequence last = 0;
  const absl::Status read = engine::Replay(&log_, 0, &definitions_, &replayed, &last);
  if (!read.ok()) return Fail(std::string(Message(read)));
  if (engine::TakeSnapshot(replayed).SerializeAsString() !=
      engine::TakeSnapshot(shard_->state()).SerializeAsString()) {
    Fail("the state after replay differs from the live one");
  }
}

}  // namespace jaque::simulation
