// SPDX-License-Identifier: Apache-2.0
#include "coordination/log_progress.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace jaque {
namespace {

constexpr absl::Duration kForgotten = absl::Hours(7 * 24);

std::string KeyOf(const std::string& reader, ShardId shard) { return Cat(reader, ".", shard); }

absl::StatusOr<ReaderPosition> Parse(const KvEntry& entry) {
  ReaderPosition position;
  const std::vector<std::string> key = absl::StrSplit(entry.key, '.');
  const std::vector<std::string> value = absl::StrSplit(entry.value, ' ');
  int64_t said = 0;
  if (key.size() != 2 || value.size() != 2 || !absl::SimpleAtoi(key[1], &position.shard) ||
      !absl::SimpleAtoi(value[0], &position.sequence) || !absl::SimpleAtoi(value[1], &said)) {
    return absl::DataLossError(Cat("the progress ", entry.key, " cannot be read"));
  }
  position.reader = key[0];
  position.said_at = absl::FromUnixSeconds(said);
  return position;
}

}  // namespace

LogProgress::LogProgress(const Clock* clock, KvStore* bucket, std::vector<std::string> awaited)
    : clock_(clock), bucket_(bucket), awaited_(std::move(awaited)) {}

absl::Status LogProgress::Put(const std::string& reader, ShardId shard, Sequence sequence) {
  return bucket_->Put(KeyOf(reader, shard), Cat(sequence, " ", absl::ToUnixSeconds(clock_->Now())))
      .status();
}

absl::StatusOr<Sequence> LogProgress::Passed(ShardId shard) {
  Sequence passed = std::numeric_limits<Sequence>::max();
  for (const std::string reader : {kSinkReader, kNotifierReader}) {
    const absl::StatusOr<KvEntry> entry = bucket_->Get(KeyOf(reader, shard));
    if (absl::IsNotFound(entry.status())) {
      if (std::find(awaited_.begin(), awaited_.end(), reader) != awaited_.end()) return 0;
      continue;
    }
    RETURN_IF_ERROR(entry.status());
    ASSIGN_OR_RETURN(const ReaderPosition position, Parse(*entry));
    if (Forgotten(position)) continue;
    passed = std::min(passed, position.sequence);
  }
  return passed;
}

absl::StatusOr<std::vector<ReaderPosition>> LogProgress::Positions() {
  ASSIGN_OR_RETURN(const std::vector<KvEntry> entries, bucket_->List());
  std::vector<ReaderPosition> positions;
  for (const KvEntry& entry : entries) {
    ASSIGN_OR_RETURN(ReaderPosition position, Parse(entry));
    if (!Forgotten(position)) positions.push_back(std::move(position));
  }
  return positions;
}

bool LogProgress::Forgotten(const ReaderPosition& position) const {
  return clock_->Now() - position.said_at > kForgotten;
}

}  // namespace jaque
