// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/engine_simulation.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "coordination/rendezvous.h"
#include "dsl/load.h"
#include "engine/invariants.h"
#include "engine/replay.h"
#include "engine/snapshot.h"
#include "engine/snapshot_keeper.h"
#include "tests/simulation/random_workflow.h"

namespace jaque::simulation {
namespace {

constexpr uint32_t kShards = 4;

AppendFaults Faults() {
  AppendFaults faults;
  faults.conflict = 3;
  faults.unknown_stored = 5;
  faults.unknown_lost = 5;
  faults.unknown_later = 3;
  faults.delayed_request = 10;
  faults.delayed_answer = 20;
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
      queue_(&clock_),
      tasks_(&queue_, &durable_, &broken_),
      cancels_(MakeMemoryTaskCancels()),
      commands_(&clock_),
      events_(&clock_),
      state_(&clock_) {
  LoadDefinitions();
  for (ShardId shard = 0; shard < kShards; ++shard) {
    tails_.push_back(
        log_.Tail(shard, 0, [this](ShardId of, const LogRecord& record) { Follow(of, record); }));
  }
  const uint64_t count = 1 + random_.Below(3);
  for (uint64_t i = 0; i < count; ++i) AddMember();
  MakeView(/*of_all=*/true);
  for (Member& member : members_) Tell(&member);
}

EngineSimulation::~EngineSimulation() = default;

void EngineSimulation::Fail(std::string what) {
  if (broken_.empty()) broken_ = std::move(what);
}

void EngineSimulation::AddMember() {
  Member& member = members_.emplace_back();
  member.id = Cat("e", ++made_);
  member.log = std::make_unique<FaultyEventLog>(&log_, random_.Next(), Faults());
  EngineOptions options;
  options.engine_id = member.id;
  options.shards = kShards;
  options.executors = 2;
  options.seed = random_.Next();
  options.standby = random_.OneIn(2);
  options.stepped = true;
  // Snapshots often, and a log that is trimmed below them at times.
  options.snapshot_bytes = 2'000 + random_.Below(20'000);
  options.retention = absl::Seconds(random_.Below(2) * 1'000'000);
  EngineParts parts;
  parts.clock = &clock_;
  parts.log = member.log.get();
  parts.tasks = &tasks_;
  parts.cancels = cancels_.get();
  parts.commands = &commands_;
  parts.events = &events_;
  parts.definitions = &definitions_;
  parts.state = &state_;
  member.engine = MakeEngine(options, parts);
  member.engine->Start();
}

void EngineSimulation::Crash(size_t index) {
  members_[index].engine.reset();
  left_behind_.push_back(std::move(members_[index].log));
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(index));
}

void EngineSimulation::MakeView(bool of_all) {
  std::vector<std::string> ids;
  for (const Member& member : members_) {
    if (of_all || !(member.standing_still || random_.OneIn(4))) ids.push_back(member.id);
  }
  if (ids.empty()) return;
  std::sort(ids.begin(), ids.end());
  view_.clear_members();
  view_.set_epoch(view_.epoch() + 1);
  for (const std::string& id : ids) {
    v1::ViewMember* member = view_.add_members();
    member->set_id(id);
    member->set_weight(1);
    member->set_incarnation(1);
  }
}

void EngineSimulation::Tell(Member* member) {
  member->engine->SetOwnership(std::make_shared<const Ownership>(view_, kShards));
}

void EngineSimulation::ChangeMembers() {
  Member& one = members_[random_.Below(members_.size())];
  switch (random_.Below(5)) {
    case 0:
      if (made_ > 12) return;
      AddMember();
      if (members_.size() > 3 || random_.OneIn(3)) Crash(random_.Below(members_.size()));
      return MakeView(/*of_all=*/false);
    case 1:
      one.standing_still = !one.standing_still;
      return;
    case 2:
      return MakeView(/*of_all=*/false);
    default:
      if (!one.standing_still) Tell(&one);
  }
}

// What the log has: the truth that everything else is measured by.
void EngineSimulation::Follow(ShardId shard, const LogRecord& record) {
  v1::LogBatch batch;
  if (!batch.ParseFromArray(record.bytes.data(), static_cast<int>(record.bytes.size()))) {
    return Fail("a record of the log cannot be read");
  }
  if (batch.epoch() < epochs_[shard]) {
    Fail(Cat("shard ", shard, " has a batch of epoch ", batch.epoch(), " after ", epochs_[shard]));
  }
  epochs_[shard] = batch.epoch();
  for (const v1::Decision& decision : batch.decisions()) {
    for (const v1::Event& event : decision.events()) Note(decision.object_id(), event);
  }
}

void EngineSimulation::Note(const std::string& instance, const v1::Event& event) {
  switch (event.kind_case()) {
    case v1::Event::kShardOpened:
      ++opened_;
      return;
    case v1::Event::kInstanceStarted:
      if (!durable_.insert(instance).second) Fail(Cat(instance, " started twice"));
      return;
    case v1::Event::kInstanceQuarantined:
      quarantined_.insert(instance);
      return;
    case v1::Event::kTaskStarted:
      durable_.insert(Cat(instance, "/", event.task_started().frame(), "/1"));
      return;
    case v1::Event::kInstanceCompleted:
    case v1::Event::kInstanceFaulted:
    case v1::Event::kInstanceCancelled:
      if (!ended_.emplace(instance, event.kind_case()).second) Fail(Cat(instance, " ended twice"));
      return;
    default:
      return;
  }
}

std::string EngineSimulation::Run() {
  for (int i = 0; i < 500 && broken_.empty(); ++i) Step();
  if (broken_.empty()) Heal();
  if (broken_.empty()) CheckStates();
  return broken_;
}

void EngineSimulation::Step() {
  switch (random_.Below(10)) {
    case 0:
      return Start(Cat("i", ++started_), names_[random_.Below(names_.size())]);
    case 1:
      return SendEvent();
    case 2:
      return AdvanceTime();
    case 3:
    case 4:
      return Release();
    case 5:
      return Work(/*healed=*/false);
    case 6:
      return ChangeMembers();
    default:
      return StepOne();
  }
}

void EngineSimulation::StepOne() {
  Member& member = members_[random_.Below(members_.size())];
  if (!member.standing_still) member.engine->Step();
}

void EngineSimulation::Release() {
  const size_t which = random_.Below(members_.size() + left_behind_.size());
  if (which < members_.size()) {
    members_[which].log->ReleaseNext();
  } else {
    left_behind_[which - members_.size()]->ReleaseNext();
  }
}

void EngineSimulation::Start(const std::string& instance, const std::string& definition) {
  v1::Command command;
  command.set_id(instance);
  command.set_object_id(instance);
  command.mutable_start_instance()->set_definition(definition);
  command.mutable_start_instance()->set_input("{\"n\":1}");
  commands_.Submit(command.SerializeAsString(), instance, absl::Hours(1000),
                   [this, instance](absl::StatusOr<std::string> bytes) {
                     v1::CommandReply reply;
                     if (!bytes.ok() || !reply.ParseFromString(*bytes)) return;
                     if (reply.code() != v1::CommandReply::CODE_OK) return;
                     acknowledged_.insert(instance);
                     if (!durable_.contains(instance))
                       Fail("a start was answered before it was stored");
                   });
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
  // A worker repeats its result until an engine says that it has it.
  const std::string id = Cat("r", ++result_number_);
  command.set_id(id);
  commands_.Submit(command.SerializeAsString(), id, absl::Hours(1000),
                   [this, request, fail](absl::StatusOr<std::string> bytes) {
                     if (!bytes.ok()) SendResult(request, fail);
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
  for (const Member& member : members_) member.engine->Tick();
}

// What is quarantined stands still, and so does who waits for it; that is looked at elsewhere.
bool EngineSimulation::AllEnded() const {
  if (!quarantined_.empty()) return true;
  for (const std::string& name : durable_) {
    if (name.find('/') == std::string::npos && !ended_.contains(name)) return false;
  }
  return std::all_of(acknowledged_.begin(), acknowledged_.end(),
                     [this](const std::string& id) { return ended_.contains(id); });
}

void EngineSimulation::Heal() {
  for (Member& member : members_) {
    member.standing_still = false;
    member.log->Heal();
  }
  for (const auto& log : left_behind_) log->Heal();
  MakeView(/*of_all=*/true);
  for (Member& member : members_) Tell(&member);
  for (int i = 0; i < 5'000; ++i) {
    for (const Member& member : members_) {
      while (member.log->ReleaseNext()) {
      }
      while (member.engine->Step()) {
      }
    }
    for (const auto& log : left_behind_) {
      while (log->ReleaseNext()) {
      }
    }
    Work(/*healed=*/true);
    AdvanceTime();
    if (!broken_.empty()) return;
    const bool ready = std::all_of(members_.begin(), members_.end(), [](const Member& member) {
      return member.engine->Ready().ok();
    });
    if (i > 100 && ready && AllEnded()) return;
  }
  for (const std::string& id : durable_) {
    if (id.find('/') == std::string::npos && !ended_.contains(id)) {
      return Fail(Cat("after healing, ", id, " does not end"));
    }
  }
  Fail("after healing, the engines do not come to rest");
}

// What the engines say of the instances is what the log says.
void EngineSimulation::CheckStates() {
  for (ShardId shard = 0; shard < kShards; ++shard) {
    engine::ShardState replayed;
    Sequence last = 0;
    engine::SnapshotKeeper keeper(&clock_, &state_, &log_, absl::InfiniteDuration(), true);
    keeper.Load(shard, [&](absl::StatusOr<engine::SnapshotKeeper::Loaded> loaded) {
      if (!loaded.ok()) return Fail(std::string(Message(loaded.status())));
      last = loaded->sequence;
      if (last == 0) return;
      ++snapshots_;
      replayed = *engine::RestoreSnapshot(loaded->snapshot, &definitions_);
    });
    keeper.Step();
    const absl::Status read = engine::Replay(&log_, shard, &definitions_, &replayed, &last);
    if (!read.ok()) return Fail(std::string(Message(read)));
    const absl::Status valid = engine::CheckInvariants(replayed);
    if (!valid.ok()) return Fail(std::string(Message(valid)));
    for (const auto& [id, ended] : replayed.ended) {
      v1::Command command;
      command.set_object_id(id);
      command.mutable_describe_instance();
      v1::CommandReply reply;
      bool answered = false;
      members_[0].engine->commands()->Submit(
          command.SerializeAsString(), Cat("d", id), absl::Hours(1),
          [&](absl::StatusOr<std::string> bytes) {
            answered = bytes.ok() && reply.ParseFromString(*bytes);
          });
      for (int i = 0; i < 20 && !answered; ++i) {
        for (const Member& member : members_) member.engine->Step();
      }
      if (!answered || reply.instance().status() != ended.status ||
          reply.instance().output() != ended.output) {
        return Fail(Cat("the owner of ", id, " says something else than the log"));
      }
    }
  }
}

}  // namespace jaque::simulation
