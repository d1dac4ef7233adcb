// SPDX-License-Identifier: Apache-2.0
#include "log/tail_reader.h"

#include <algorithm>
#include <utility>

namespace jaque {

TailReader::~TailReader() {
  std::map<ShardId, Shard> shards;
  {
    absl::MutexLock lock(&mutex_);
    shards.swap(shards_);
  }
  shards.clear();  // waits for calls under way, which take the mutex
}

void TailReader::Follow(ShardId shard, Sequence after) {
  Leave(shard);
  {
    absl::MutexLock lock(&mutex_);
    shards_[shard].last = shards_[shard].taken = after;
  }
  TakeTail(shard);
}

void TailReader::Leave(ShardId shard) {
  std::unique_ptr<EventLog::Subscription> tail;  // goes after the lock: see the destructor
  {
    absl::MutexLock lock(&mutex_);
    const auto found = shards_.find(shard);
    if (found == shards_.end()) return;
    tail = std::move(found->second.tail);
    shards_.erase(found);
    const auto kept = std::remove_if(records_.begin(), records_.end(),
                                     [&](const Record& record) { return record.shard == shard; });
    records_.erase(kept, records_.end());
    bytes_ = 0;
    for (const Record& record : records_) bytes_ += record.bytes.size();
  }
}

void TailReader::TakeTail(ShardId shard) {
  Sequence after = 0;
  uint64_t turn = 0;
  {
    absl::MutexLock lock(&mutex_);
    Shard& entry = shards_[shard];
    after = entry.last;
    turn = entry.turn = ++turns_;
    entry.full = false;
  }
  auto tail = log_->Tail(
      shard, after,
      [this, turn](ShardId from, const LogRecord& record) { OnRecord(from, turn, record); },
      [this, shard, turn] { OnCaughtUp(shard, turn); });
  absl::MutexLock lock(&mutex_);
  shards_[shard].tail = std::move(tail);
}

void TailReader::OnRecord(ShardId shard, uint64_t turn, const LogRecord& record) {
  absl::MutexLock lock(&mutex_);
  const auto found = shards_.find(shard);
  if (found == shards_.end() || found->second.turn != turn || found->second.full) return;
  if (bytes_ >= max_bytes_) {
    found->second.full = true;
    return;
  }
  found->second.last = record.sequence;
  bytes_ += record.bytes.size();
  records_.push_back({shard, record.sequence, std::string(record.bytes), clock_->Monotonic()});
}

void TailReader::OnCaughtUp(ShardId shard, uint64_t turn) {
  absl::MutexLock lock(&mutex_);
  const auto found = shards_.find(shard);
  if (found == shards_.end() || found->second.turn != turn || found->second.full) return;
  if (!found->second.stored.has_value()) found->second.stored = found->second.last;
}

bool TailReader::CaughtUp(ShardId shard) {
  absl::MutexLock lock(&mutex_);
  const auto found = shards_.find(shard);
  return found != shards_.end() && found->second.stored.has_value() &&
         found->second.taken >= *found->second.stored;
}

std::vector<ShardId> TailReader::FullShards() {
  absl::MutexLock lock(&mutex_);
  std::vector<ShardId> full;
  if (bytes_ > max_bytes_ / 2) return full;
  for (const auto& [shard, entry] : shards_) {
    if (entry.full) full.push_back(shard);
  }
  return full;
}

std::vector<TailReader::Record> TailReader::Take(size_t bytes) {
  for (const ShardId shard : FullShards()) {
    std::unique_ptr<EventLog::Subscription> old;
    {
      absl::MutexLock lock(&mutex_);
      old = std::move(shards_[shard].tail);
    }
    old.reset();
    TakeTail(shard);
  }
  absl::MutexLock lock(&mutex_);
  std::vector<Record> taken;
  size_t sum = 0;
  while (!records_.empty() && sum < bytes) {
    sum += records_.front().bytes.size();
    bytes_ -= records_.front().bytes.size();
    shards_[records_.front().shard].taken = records_.front().sequence;
    taken.push_back(std::move(records_.front()));
    records_.pop_front();
  }
  return taken;
}

void TailReader::Wait(absl::Duration patience) {
  absl::MutexLock lock(&mutex_);
  const auto ready = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return awake_ || !records_.empty();
  };
  mutex_.AwaitWithTimeout(absl::Condition(&ready), patience);
  awake_ = false;
}

void TailReader::WaitForWake(absl::Duration patience) {
  absl::MutexLock lock(&mutex_);
  mutex_.AwaitWithTimeout(absl::Condition(&awake_), patience);
  awake_ = false;
}

void TailReader::Wake() {
  absl::MutexLock lock(&mutex_);
  awake_ = true;
}

size_t TailReader::buffered_bytes() {
  absl::MutexLock lock(&mutex_);
  return bytes_;
}

absl::Duration TailReader::oldest_read_at() {
  absl::MutexLock lock(&mutex_);
  return records_.empty() ? absl::InfiniteDuration() : records_.front().read_at;
}

}  // namespace jaque
