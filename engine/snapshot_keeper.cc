// SPDX-License-Identifier: Apache-2.0
#include "engine/snapshot_keeper.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/metrics.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace jaque::engine {
namespace {

std::string HeadKey(ShardId shard) { return Cat(shard); }
std::string PartKey(ShardId shard, Sequence sequence, uint32_t part) {
  return Cat(shard, ".", sequence, ".", part);
}

}  // namespace

SnapshotKeeper::SnapshotKeeper(const Clock* clock, KvStore* bucket, EventLog* log,
                               absl::Duration retention, bool stepped)
    : clock_(clock), bucket_(bucket), log_(log), retention_(retention), executor_(clock) {
  if (!stepped) thread_ = std::make_unique<ExecutorThread>(&executor_);
}

void SnapshotKeeper::Load(ShardId shard, std::function<void(absl::StatusOr<Loaded>)> done) {
  executor_.Post([this, shard, done = std::move(done)] { done(LoadNow(shard)); });
}

void SnapshotKeeper::Save(ShardId shard, Sequence sequence, std::string snapshot,
                          std::function<void(absl::Status)> done) {
  executor_.Post([this, shard, sequence, snapshot = std::move(snapshot), done = std::move(done)] {
    done(SaveNow(shard, sequence, snapshot));
  });
}

absl::StatusOr<v1::SnapshotHead> SnapshotKeeper::ReadHead(ShardId shard, uint64_t* revision) {
  *revision = 0;
  v1::SnapshotHead head;
  const auto entry = bucket_->Get(HeadKey(shard));
  if (absl::IsNotFound(entry.status())) return head;
  RETURN_IF_ERROR(entry.status());
  *revision = entry->revision;
  if (!head.ParseFromString(entry->value)) {
    return absl::DataLossError(Cat("the snapshot's head of shard ", shard, " cannot be read"));
  }
  return head;
}

absl::StatusOr<SnapshotKeeper::Loaded> SnapshotKeeper::LoadNow(ShardId shard) {
  // A part may go while it is read: then there is a newer head.
  constexpr int kAttempts = 5;
  absl::Status last;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    uint64_t revision = 0;
    ASSIGN_OR_RETURN(const v1::SnapshotHead head, ReadHead(shard, &revision));
    Loaded loaded;
    if (head.parts() == 0) return loaded;
    std::string bytes;
    last = absl::OkStatus();
    for (uint32_t part = 0; part < head.parts() && last.ok(); ++part) {
      const auto entry = bucket_->Get(PartKey(shard, head.sequence(), part));
      last = entry.status();
      if (last.ok()) bytes += entry->value;
    }
    if (absl::IsNotFound(last)) continue;
    RETURN_IF_ERROR(last);
    if (bytes.size() != head.bytes() || !loaded.snapshot.ParseFromString(bytes)) {
      return absl::DataLossError(Cat("the snapshot of shard ", shard, " cannot be read"));
    }
    loaded.sequence = head.sequence();
    return loaded;
  }
  return last;
}

Sequence SnapshotKeeper::Retire(const v1::SnapshotHead& old, v1::SnapshotHead* head) const {
  *head->mutable_earlier() = old.earlier();
  if (old.parts() > 0) {
    v1::SnapshotMark* mark = head->add_earlier();
    mark->set_sequence(old.sequence());
    mark->set_at_micros(old.at_micros());
  }
  const int64_t before = absl::ToUnixMicros(clock_->Now() - retention_);
  Sequence through = 0;
  int dropped = 0;
  for (const v1::SnapshotMark& mark : head->earlier()) {
    if (mark.at_micros() > before && head->earlier_size() - dropped <= limits::kSnapshotMarks) {
      break;
    }
    if (mark.at_micros() <= before) through = mark.sequence();
    ++dropped;
  }
  head->mutable_earlier()->DeleteSubrange(0, dropped);
  return through;
}

absl::Status SnapshotKeeper::SaveNow(ShardId shard, Sequence sequence,
                                     const std::string& snapshot) {
  uint64_t revision = 0;
  ASSIGN_OR_RETURN(const v1::SnapshotHead old, ReadHead(shard, &revision));
  if (old.sequence() >= sequence) return absl::OkStatus();  // a later owner was faster
  v1::SnapshotHead head;
  head.set_sequence(sequence);
  head.set_bytes(snapshot.size());
  head.set_at_micros(absl::ToUnixMicros(clock_->Now()));
  uint32_t parts = 0;
  for (size_t at = 0; at < snapshot.size() || parts == 0; at += limits::kSnapshotPartBytes) {
    RETURN_IF_ERROR(bucket_
                        ->Put(PartKey(shard, sequence, parts++),
                              snapshot.substr(at, limits::kSnapshotPartBytes))
                        .status());
  }
  head.set_parts(parts);
  const Sequence through = Retire(old, &head);
  const auto written = bucket_->Update(HeadKey(shard), head.SerializeAsString(), revision);
  const v1::SnapshotHead& superseded = written.ok() ? old : head;
  for (uint32_t part = 0; part < superseded.parts(); ++part) {
    RETURN_IF_ERROR(bucket_->Delete(PartKey(shard, superseded.sequence(), part)));
  }
  if (absl::IsAborted(written.status())) return absl::OkStatus();  // a later owner was faster
  RETURN_IF_ERROR(written.status());
  ProcessMetrics().snapshots.Increment();
  return through > 0 ? log_->Trim(shard, through) : absl::OkStatus();
}

}  // namespace jaque::engine
