// SPDX-License-Identifier: Apache-2.0
#include "engine/lane.h"

#include <utility>

#include "absl/synchronization/notification.h"

namespace jaque::engine {
namespace {

// An append of unknown outcome is tried for longer than this; then the next owner finds out.
constexpr absl::Duration kStopPatience = absl::Seconds(3);
constexpr absl::Duration kStopPoll = absl::Milliseconds(5);

}  // namespace

Lane::Lane(const EngineOptions& options, const EngineParts& parts, CommandBus* commands,
           SnapshotKeeper* snapshots, CarefulTurn* turn, int number)
    : options_(options),
      clock_(parts.clock),
      number_(number),
      executor_(parts.clock),
      listener_(&executor_, parts.events),
      performer_({options.engine_id, &executor_, parts.tasks, parts.cancels, commands, parts.events,
                  &listener_}) {
  for (uint32_t shard = number; shard < options.shards; shard += options.executors) {
    ShardParts shard_parts;
    shard_parts.id = shard;
    shard_parts.engine_id = options.engine_id;
    shard_parts.seed = options.seed ^ (0x9e3779b97f4a7c15ULL * (shard + 1));
    shard_parts.executor = &executor_;
    shard_parts.log = parts.log;
    shard_parts.definitions = parts.definitions;
    shard_parts.snapshots = snapshots;
    shard_parts.turn = turn;
    shard_parts.snapshot_bytes = options.snapshot_bytes;
    shard_parts.performer = &performer_;
    shard_parts.clock = parts.clock;
    shards_.push_back(std::make_unique<Shard>(std::move(shard_parts)));
  }
  executor_.SetAfterRound([this] { Flush(); });
}

void Lane::Start() {
  std::vector<Shard*> shards;
  for (const auto& shard : shards_) shards.push_back(shard.get());
  listener_.Open(std::move(shards));
  if (!options_.stepped) thread_ = std::make_unique<ExecutorThread>(&executor_);
}

void Lane::SetOwnership(std::shared_ptr<const Ownership> ownership) {
  executor_.Post([this, ownership = std::move(ownership)] {
    int owned = 0;
    for (const auto& shard : shards_) {
      if (ownership->OwnerOf(shard->id()) == options_.engine_id) {
        ++owned;
        shard->Own(ownership);
      } else if (options_.standby && ownership->StandbyOf(shard->id()) == options_.engine_id) {
        shard->StandBy();
      } else {
        shard->Leave();
      }
    }
    owned_ = owned;
  });
}

void Lane::Handle(uint32_t shard, v1::Command command, Shard::ReplyFn reply) {
  executor_.Post([this, index = shard / options_.executors, command = std::move(command),
                  reply = std::move(reply)]() mutable {
    shards_[index]->Handle(std::move(command), listener_.position(), std::move(reply));
  });
}

// Shards that handled commands of their own (timers, confirmations) are flushed with the others: a
// flush of an idle shard costs two comparisons.
void Lane::Flush() {
  int open = 0;
  for (const auto& shard : shards_) {
    shard->Flush();
    if (shard->phase() == Shard::Phase::kOpen) ++open;
  }
  open_ = open;
}

bool Lane::Idle() const {
  for (const auto& shard : shards_) {
    if (shard->phase() != Shard::Phase::kIdle) return false;
  }
  return true;
}

void Lane::Stop() {
  if (thread_ == nullptr) return;
  absl::Notification idle;
  const absl::Duration deadline = clock_->Monotonic() + kStopPatience;
  // Looks again until the appends in flight have ended.
  std::function<void()> look = [&] {
    if (Idle() || clock_->Monotonic() > deadline) return idle.Notify();
    executor_.At(executor_.Now() + absl::ToInt64Microseconds(kStopPoll), [&] { look(); });
  };
  executor_.Post([&] {
    listener_.Close();
    for (const auto& shard : shards_) shard->Leave();
    look();
  });
  idle.WaitForNotification();
  thread_.reset();
}

}  // namespace jaque::engine
