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
    const std::vector<std::string> parts = absl::StrSplit(entry->value, ' ');
    Sequence sequence = 0;
    int64_t said = 0;
    if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &sequence) ||
        !absl::SimpleAtoi(parts[1], &said)) {
      return absl::DataLossError(Cat("the progress of ", reader, " cannot be read"));
    }
    if (clock_->Now() - absl::FromUnixSeconds(said) > kForgotten) continue;
    passed = std::min(passed, sequence);
  }
  return passed;
}

}  // namespace jaque
