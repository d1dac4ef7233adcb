// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "base/status_macros.h"
#include "coordination/rendezvous.h"
#include "engine/executor.h"
#include "engine/listener.h"
#include "engine/performer.h"
#include "engine/shard.h"

namespace jaque {
namespace engine {
namespace {

// An executor and the shards that live on it.
class Lane {
 public:
  Lane(const EngineOptions& options, const EngineParts& parts, int number)
      : executor_(parts.clock),
        listener_(&executor_, parts.events),
        performer_({options.engine_id, &executor_, parts.tasks, parts.cancels, parts.commands,
                    parts.events, &listener_}) {
    for (uint32_t shard = number; shard < options.shards; shard += options.executors) {
      ShardParts shard_parts;
      shard_parts.id = shard;
      shard_parts.engine_id = options.engine_id;
      shard_parts.seed = options.seed ^ (0x9e3779b97f4a7c15ULL * (shard + 1));
      shard_parts.executor = &executor_;
      shard_parts.log = parts.log;
      shard_parts.definitions = parts.definitions;
      shard_parts.performer = &performer_;
      shard_parts.clock = parts.clock;
      shards_.push_back(std::make_unique<Shard>(std::move(shard_parts)));
    }
    executor_.SetAfterRound([this] { Flush(); });
  }

  absl::Status Start() {
    std::vector<Shard*> shards;
    for (const auto& shard : shards_) shards.push_back(shard.get());
    listener_.Open(shards);
    for (Shard* shard : shards) RETURN_IF_ERROR(shard->Open());
    thread_ = std::make_unique<ExecutorThread>(&executor_);
    return absl::OkStatus();
  }

  void Stop() {
    absl::Notification closed;
    executor_.Post([&] {
      listener_.Close();
      closed.Notify();
    });
    if (thread_ != nullptr) closed.WaitForNotification();
    thread_.reset();
  }

  void Handle(uint32_t index, v1::Command command, Shard::ReplyFn reply) {
    executor_.Post([this, index, command = std::move(command), reply = std::move(reply)]() mutable {
      shards_[index]->Handle(command, listener_.position(), std::move(reply));
    });
  }

 private:
  // Shards that handled commands of their own (timers, confirmations) are flushed with the others:
  // a flush of an idle shard costs two comparisons.
  void Flush() {
    for (const auto& shard : shards_) shard->Flush();
  }

  Executor executor_;
  Listener listener_;
  Performer performer_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::unique_ptr<ExecutorThread> thread_;
};

class EngineOfLanes final : public Engine {
 public:
  EngineOfLanes(const EngineOptions& options, const EngineParts& parts)
      : options_(options), parts_(parts) {
    for (int lane = 0; lane < options.executors; ++lane) {
      lanes_.push_back(std::make_unique<Lane>(options, parts, lane));
    }
  }

  absl::Status Start() override {
    for (const auto& lane : lanes_) RETURN_IF_ERROR(lane->Start());
    service_ = parts_.commands->Serve(options_.engine_id,
                                      [this](std::string bytes, bool, CommandBus::ReplyFn reply) {
                                        Serve(std::move(bytes), std::move(reply));
                                      });
    return absl::OkStatus();
  }

  void Stop() override {
    service_.reset();
    for (const auto& lane : lanes_) lane->Stop();
  }

 private:
  void Serve(std::string bytes, CommandBus::ReplyFn reply) {
    v1::Command command;
    if (!command.ParseFromString(bytes)) {
      return reply(absl::InvalidArgumentError("this is no command"));
    }
    const uint32_t shard = ShardOfObject(command.object_id(), options_.shards);
    lanes_[shard % options_.executors]->Handle(
        shard / options_.executors, std::move(command),
        [reply = std::move(reply)](v1::CommandReply answer) mutable {
          reply(answer.SerializeAsString());
        });
  }

  const EngineOptions options_;
  const EngineParts parts_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::unique_ptr<CommandBus::Service> service_;
};

}  // namespace
}  // namespace engine

std::unique_ptr<Engine> MakeEngine(const EngineOptions& options, const EngineParts& parts) {
  return std::make_unique<engine::EngineOfLanes>(options, parts);
}

}  // namespace jaque
