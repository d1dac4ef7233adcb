// SPDX-License-Identifier: Apache-2.0
#include "sink/follower.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/limits.h"
#include "base/logging.h"
#include "base/metrics.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "store/positions.h"

namespace jaque {
namespace {

constexpr absl::Duration kLook = absl::Milliseconds(500);  // at what is owned
constexpr size_t kBytesAtOnce = 4 << 20;

}  // namespace

Follower::Follower(const Clock* clock, EventLog* log, store::Database* store, Output* output,
                   OwnedShards owned, PassedBy before)
    : clock_(clock),
      store_(store),
      output_(output),
      owned_(std::move(owned)),
      before_(std::move(before)),
      reader_(clock, log) {}

bool Follower::Step() {
  if (clock_->Monotonic() >= look_at_) {
    look_at_ = clock_->Monotonic() + kLook;
    const absl::Status followed = FollowOwned();
    if (!followed.ok()) {
      Failed(followed);
      return false;
    }
  }
  const std::vector<SinkBatch> batches = TakeBatches();
  if (batches.empty()) return false;
  SinkPositions positions = positions_;
  const absl::Status taken = output_->Take(batches, &positions);
  if (!taken.ok()) {
    Failed(taken);
    return false;
  }
  if (failing_since_ != absl::InfiniteDuration()) {
    failing_since_ = absl::InfiniteDuration();
    LogInfo("the sink goes on", {{"output", output_->name()}});
  }
  positions_ = std::move(positions);
  NotePassed();
  return true;
}

absl::Status Follower::FollowOwned() {
  const std::vector<ShardId> owned = owned_();
  const std::set<ShardId> wanted(owned.begin(), owned.end());
  std::erase_if(positions_, [&](const auto& entry) {
    if (wanted.contains(entry.first)) return false;
    reader_.Leave(entry.first);
    std::erase_if(held_, [&](const SinkBatch& batch) { return batch.shard == entry.first; });
    return true;
  });
  if (positions_.size() != wanted.size()) {
    ASSIGN_OR_RETURN(const SinkPositions stored, store::ReadPositions(store_, output_->name()));
    for (const ShardId shard : wanted) {
      if (positions_.contains(shard)) continue;
      const auto found = stored.find(shard);
      store::ShardPosition& position = positions_[shard];
      if (found != stored.end()) position = found->second;
      position.shard = shard;
      reader_.Follow(shard, position.sequence);
    }
  }
  NotePassed();
  return absl::OkStatus();
}

std::vector<SinkBatch> Follower::TakeBatches() {
  if (before_ == nullptr) return Parse(reader_.Take(kBytesAtOnce));
  if (held_.empty()) held_ = Parse(reader_.Take(kBytesAtOnce));
  if (held_.empty()) return {};
  const std::map<ShardId, Sequence> passed = before_();
  const auto waits = std::stable_partition(held_.begin(), held_.end(), [&](const SinkBatch& batch) {
    const auto found = passed.find(batch.shard);
    return found != passed.end() && batch.sequence <= found->second;
  });
  std::vector<SinkBatch> batches(std::make_move_iterator(held_.begin()),
                                 std::make_move_iterator(waits));
  held_.erase(held_.begin(), waits);
  return batches;
}

void Follower::Wait(absl::Duration patience) {
  if (held_.empty()) return reader_.Wait(patience);
  reader_.WaitForWake(patience);
}

std::vector<SinkBatch> Follower::Parse(std::vector<TailReader::Record> records) const {
  std::vector<SinkBatch> batches;
  batches.reserve(records.size());
  for (const TailReader::Record& record : records) {
    SinkBatch& batch = batches.emplace_back();
    batch.shard = record.shard;
    batch.sequence = record.sequence;
    if (!batch.batch.ParseFromString(record.bytes)) {
      // Nobody can read it; it says nothing.
      LogError("a record of the log is no batch of events",
               {{"shard", record.shard}, {"sequence", record.sequence}});
      batch.batch.Clear();
    }
  }
  return batches;
}

void Follower::LeaveAll() {
  for (const auto& [shard, position] : positions_) reader_.Leave(shard);
  positions_.clear();
  held_.clear();
  NotePassed();
}

void Follower::Failed(const absl::Status& status) {
  // Where the store is now is not known: it is asked, and read on from there.
  LeaveAll();
  look_at_ = clock_->Monotonic() + absl::Milliseconds(limits::kSinkRetryMillis);
  if (absl::IsAborted(status)) return;    // another process was faster
  if (absl::IsCancelled(status)) return;  // it stops
  ProcessMetrics().sink_errors.Increment();
  if (failing_since_ != absl::InfiniteDuration()) return;
  failing_since_ = clock_->Monotonic();
  LogWarn("the sink cannot go on; it tries again until it can",
          {{"output", output_->name()}, {"why", Message(status)}});
}

std::map<ShardId, Sequence> Follower::Passed() {
  absl::MutexLock lock(&mutex_);
  return passed_;
}

absl::Duration Follower::lag() {
  const absl::Duration since = std::min(reader_.oldest_read_at(), failing_since_);
  return since == absl::InfiniteDuration() ? absl::ZeroDuration() : clock_->Monotonic() - since;
}

void Follower::NotePassed() {
  absl::MutexLock lock(&mutex_);
  passed_.clear();
  for (const auto& [shard, position] : positions_) passed_[shard] = position.sequence;
}

}  // namespace jaque
