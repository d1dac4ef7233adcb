// SPDX-License-Identifier: Apache-2.0
#include "sink/sink.h"

#include <algorithm>
#include <utility>

#include "base/logging.h"
#include "base/metrics.h"
#include "base/text.h"
#include "coordination/rendezvous.h"
#include "sink/store_output.h"
#include "store/positions.h"

namespace jaque {
namespace {

constexpr absl::Duration kIdle = absl::Milliseconds(200);
constexpr absl::Duration kDelete = absl::Seconds(1);
constexpr absl::Duration kTell = absl::Seconds(2);
constexpr int kLastTurns = 20;
constexpr absl::Duration kRepeat = absl::Minutes(10);  // also what has not changed

}  // namespace

std::vector<ShardId> ShardsOfSink(const std::vector<MemberStatus>& members, const std::string& id,
                                  uint32_t shards) {
  std::vector<RendezvousMember> alive;
  for (const MemberStatus& member : members) {
    if (member.state == MemberState::kDead) continue;
    alive.push_back({member.member.id(), member.member.weight()});
  }
  std::vector<ShardId> owned;
  for (ShardId shard = 0; shard < shards; ++shard) {
    const int owner = OwnerOfShard(alive, shard);
    if (owner < 0 || alive[owner].id == id) owned.push_back(shard);
  }
  return owned;
}

Sink::Sink(const SinkOptions& options, const SinkParts& parts,
           std::vector<std::unique_ptr<Output>> exporters)
    : options_(options),
      parts_(parts),
      store_output_(
          std::make_unique<StoreOutput>(parts.clock, parts.definitions, parts.store.get())),
      exporters_(std::move(exporters)),
      store_(std::make_unique<Follower>(parts.clock, parts.log, parts.store.get(),
                                        store_output_.get(), parts.owned)) {
  for (const std::unique_ptr<Output>& exporter : exporters_) {
    Follower::PassedBy before;
    if (exporter->after_store()) before = [this] { return store_->Passed(); };
    followers_.push_back(std::make_unique<Follower>(
        parts.clock, parts.log, parts.store.get(), exporter.get(), parts.owned, std::move(before)));
  }
}

Sink::~Sink() { Stop(); }

void Sink::Start() {
  threads_.emplace_back([this] { RunStore(); });
  for (const auto& follower : followers_) {
    threads_.emplace_back([this, exporter = follower.get()] { RunExporter(exporter); });
  }
}

void Sink::Stop() {
  stopped_ = true;
  store_->Wake();
  for (const auto& exporter : exporters_) exporter->Stop();
  for (const auto& follower : followers_) follower->Wake();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool Sink::Step() {
  bool busy = StepStore();
  for (const auto& follower : followers_) busy = follower->Step() || busy;
  return busy;
}

void Sink::RunStore() {
  while (!stopped_) {
    if (!StepStore()) store_->Wait(kIdle);
  }
  // What has been read is still stored.
  for (int turn = 0; turn < kLastTurns && store_->Step(); ++turn) continue;
  TellProgress();
}

void Sink::RunExporter(Follower* follower) {
  while (!stopped_) {
    if (!follower->Step()) follower->Wait(kIdle);
  }
}

bool Sink::StepStore() {
  if (!begun_) BeginAnew();
  if (!begun_) return false;
  const bool busy = store_->Step();
  if (busy) {
    // Some may have waited for it.
    for (const auto& follower : followers_) follower->Wake();
  }
  const absl::Duration now = parts_.clock->Monotonic();
  if (now >= delete_at_) DeleteOld();
  if (now >= tell_at_) {
    tell_at_ = now + kTell;
    TellProgress();
  }
  ProcessMetrics().sink_lag_seconds.Set(absl::ToDoubleSeconds(store_->lag()));
  ProcessMetrics().sink_buffered_bytes.Set(static_cast<double>(store_->buffered_bytes()));
  return busy;
}

void Sink::BeginAnew() {
  if (options_.fresh_log) {
    const absl::Status status =
        store::ForgetPositions(parts_.store.get(), absl::ToUnixMicros(parts_.clock->Now()));
    if (!status.ok()) {
      LogWarn("the store cannot be written", {{"why", Message(status)}});
      return;
    }
  }
  begun_ = true;
}

// One process does it: the one that has the first shard.
void Sink::DeleteOld() {
  const absl::Duration now = parts_.clock->Monotonic();
  delete_at_ = now + kDelete;
  const std::vector<ShardId> owned = parts_.owned();
  if (owned.empty() || owned.front() != 0) return;
  bool more = false;
  const absl::StatusOr<size_t> deleted = store::DeleteSome(
      parts_.store.get(), options_.retention, absl::ToUnixMicros(parts_.clock->Now()), &more);
  if (!deleted.ok()) return;  // the next transaction says the same, and is counted
  ProcessMetrics().sink_deleted.Increment(static_cast<double>(*deleted));
  if (more) delete_at_ = now;
}

void Sink::TellProgress() {
  std::map<ShardId, Sequence> passed = store_->Passed();
  for (const auto& follower : followers_) {
    const std::map<ShardId, Sequence> theirs = follower->Passed();
    for (auto& [shard, sequence] : passed) {
      const auto found = theirs.find(shard);
      sequence = std::min(sequence, found == theirs.end() ? 0 : found->second);
    }
  }
  const absl::Duration now = parts_.clock->Monotonic();
  const bool all = now >= repeat_at_;
  if (all) repeat_at_ = now + kRepeat;
  for (const auto& [shard, sequence] : passed) {
    const auto told = told_.find(shard);
    if (!all && told != told_.end() && told->second == sequence) continue;
    const absl::Status put = parts_.progress->Put(kSinkReader, shard, sequence);
    if (!put.ok()) return;  // the bucket is away
    told_[shard] = sequence;
    if (!options_.trim_log) continue;
    parts_.log->Trim(shard, sequence).IgnoreError();  // the log asks the other readers
  }
}

}  // namespace jaque
