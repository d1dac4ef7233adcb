// SPDX-License-Identifier: Apache-2.0
#include "notifier/shard_progress.h"

#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "expression/json.h"
#include "fmt/format.h"

namespace jaque::notifier {
namespace {

std::string HeadKey(ShardId shard) { return fmt::format("position/{:05}", shard); }
std::string PartKey(ShardId shard, Sequence at, uint32_t part) {
  return fmt::format("memory/{:05}/{}/{}", shard, at, part);
}

}  // namespace

absl::StatusOr<Progress> ShardProgress::Load(ShardId shard) {
  Progress progress;
  const auto head = bucket_->Get(HeadKey(shard));
  if (absl::IsNotFound(head.status())) return progress;
  RETURN_IF_ERROR(head.status());
  ASSIGN_OR_RETURN(const Value value, ParseJson(head->value));
  const auto number = [&](std::string_view key) {
    const Value* const found = value.is_object() ? value.Find(key) : nullptr;
    return static_cast<uint64_t>(found != nullptr && found->is_number() ? found->AsInt().value_or(0)
                                                                        : 0);
  };
  progress.revision = head->revision;
  progress.told = number("told");
  progress.remembered = number("remembered");
  progress.epoch = number("epoch");
  progress.parts = static_cast<uint32_t>(number("parts"));
  for (uint32_t part = 0; part < progress.parts; ++part) {
    ASSIGN_OR_RETURN(const KvEntry entry, bucket_->Get(PartKey(shard, progress.remembered, part)));
    progress.memory += entry.value;
  }
  return progress;
}

absl::Status ShardProgress::Save(ShardId shard, Progress* progress, bool memory_changed) {
  Sequence old_place = 0;
  uint32_t old_parts = 0;
  if (memory_changed) {
    // Of another place than what the head names, so that a reader finds one or the other whole.
    const auto head = Load(shard);
    if (head.ok()) {
      old_place = head->remembered;
      old_parts = head->parts;
    }
    progress->parts = 0;
    for (size_t at = 0; at < progress->memory.size(); at += limits::kSnapshotPartBytes) {
      RETURN_IF_ERROR(bucket_
                          ->Put(PartKey(shard, progress->remembered, progress->parts++),
                                progress->memory.substr(at, limits::kSnapshotPartBytes))
                          .status());
    }
  }
  const auto integer = [](uint64_t number) { return Value::Int(static_cast<int64_t>(number)); };
  const std::string head = ToJson(Value::Object({{"told", integer(progress->told)},
                                                 {"remembered", integer(progress->remembered)},
                                                 {"epoch", integer(progress->epoch)},
                                                 {"parts", integer(progress->parts)}}));
  ASSIGN_OR_RETURN(progress->revision, bucket_->Update(HeadKey(shard), head, progress->revision));
  if (!memory_changed) return absl::OkStatus();
  if (old_place != progress->remembered) {
    for (uint32_t part = 0; part < old_parts; ++part) {
      RETURN_IF_ERROR(bucket_->Delete(PartKey(shard, old_place, part)));
    }
  }
  if (seen_ == nullptr) return absl::OkStatus();
  return seen_->Put(kNotifierReader, shard, progress->remembered);
}

}  // namespace jaque::notifier
