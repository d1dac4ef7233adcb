// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <utility>
#include <vector>

#include "base/metrics.h"
#include "base/text.h"
#include "coordination/direct_command_bus.h"
#include "coordination/rendezvous.h"
#include "coordination/router.h"
#include "engine/careful_turn.h"
#include "engine/lane.h"
#include "engine/snapshot_keeper.h"

namespace jaque {
namespace engine {
namespace {

class EngineOfLanes final : public Engine {
 public:
  EngineOfLanes(const EngineOptions& options, const EngineParts& parts)
      : options_(options),
        parts_(parts),
        router_(options.engine_id, parts.commands, &ProcessMetrics(),
                [this](v1::Command command, CommandBus::ReplyFn reply) {
                  Handle(std::move(command), std::move(reply));
                }),
        commands_(options.engine_id, parts.clock, &router_, parts.commands) {
    if (parts.state != nullptr) {
      snapshots_ = std::make_unique<SnapshotKeeper>(parts.clock, parts.state, parts.log,
                                                    options.retention, options.stepped);
    }
    for (int lane = 0; lane < options.executors; ++lane) {
      lanes_.push_back(
          std::make_unique<Lane>(options, parts, &commands_, snapshots_.get(), &turn_, lane));
    }
  }

  void Start() override {
    for (const auto& lane : lanes_) lane->Start();
    service_ = parts_.commands->Serve(
        options_.engine_id,
        [this](std::string bytes, bool from_ingress, CommandBus::ReplyFn reply) {
          router_.Handle(std::move(bytes), from_ingress, std::move(reply));
        });
  }

  void SetOwnership(std::shared_ptr<const Ownership> ownership) override {
    // The lanes first: what the router lets through meanwhile is told not-owned, or waits.
    for (const auto& lane : lanes_) lane->SetOwnership(ownership);
    router_.SetOwnership(ownership);
    ProcessMetrics().shards_owned.Set(
        static_cast<double>(ownership->OwnedBy(options_.engine_id).size()));
  }

  absl::Status Ready() const override {
    if (router_.ownership() == nullptr) {
      return absl::UnavailableError("this engine is in no view yet");
    }
    int owned = 0, open = 0;
    for (const auto& lane : lanes_) {
      owned += lane->owned();
      open += lane->open();
    }
    if (open >= owned) return absl::OkStatus();
    return absl::UnavailableError(Cat(open, " of ", owned, " shards are open"));
  }

  CommandBus* commands() override { return &commands_; }
  void Tick() override { commands_.ExpireOverdue(); }

  bool Step() override {
    bool did = snapshots_ != nullptr && snapshots_->Step();
    for (const auto& lane : lanes_) did = lane->Step() || did;
    return did;
  }

  void Stop() override {
    service_.reset();
    for (const auto& lane : lanes_) lane->Stop();
    router_.Close();
    snapshots_.reset();
  }

 private:
  void Handle(v1::Command command, CommandBus::ReplyFn reply) {
    const uint32_t shard = ShardOfObject(command.object_id(), options_.shards);
    lanes_[shard % options_.executors]->Handle(
        shard, std::move(command), [reply = std::move(reply)](v1::CommandReply answer) mutable {
          reply(answer.SerializeAsString());
        });
  }

  const EngineOptions options_;
  const EngineParts parts_;
  Router router_;
  DirectCommandBus commands_;
  std::unique_ptr<SnapshotKeeper> snapshots_;
  CarefulTurn turn_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::unique_ptr<CommandBus::Service> service_;
};

}  // namespace
}  // namespace engine

std::unique_ptr<Engine> MakeEngine(const EngineOptions& options, const EngineParts& parts) {
  return std::make_unique<engine::EngineOfLanes>(options, parts);
}

}  // namespace jaque
