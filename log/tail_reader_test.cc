// SPDX-License-Identifier: Apache-2.0
#include "log/tail_reader.h"

#include <numeric>

#include "base/simulated_clock.h"
#include "base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "log/memory_event_log.h"

namespace jaque {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TailReaderTest : public ::testing::Test {
 protected:
  void Append(ShardId shard, int count) {
    for (int i = 0; i < count; ++i, ++last_[shard]) {
      log_.Append(
          shard, last_[shard], Cat(shard, "-", last_[shard]), std::string(40, 'x'),
          [](const AppendResult& result) { EXPECT_EQ(result.outcome, AppendOutcome::kCommitted); });
    }
  }
  static std::vector<Sequence> Take(TailReader* reader, size_t bytes) {
    std::vector<Sequence> taken;
    for (const TailReader::Record& record : reader->Take(bytes)) taken.push_back(record.sequence);
    return taken;
  }

  SimulatedClock clock_;
  MemoryEventLog log_{&clock_};
  std::map<ShardId, Sequence> last_;
};

TEST_F(TailReaderTest, OneThatIsFullReadsTheRestLater) {
  TailReader reader(&clock_, &log_, /*max_bytes=*/200);
  reader.Follow(0, 0);
  Append(0, 50);
  EXPECT_LT(reader.buffered_bytes(), 400);
  std::vector<Sequence> taken;
  while (true) {
    const std::vector<Sequence> more = Take(&reader, 100);
    if (more.empty()) break;
    taken.insert(taken.end(), more.begin(), more.end());
  }
  std::vector<Sequence> all(50);
  std::iota(all.begin(), all.end(), 1);
  EXPECT_EQ(taken, all);
}

TEST_F(TailReaderTest, IsCaughtUpWhenWhatWasThereHasBeenTaken) {
  Append(0, 3);
  TailReader reader(&clock_, &log_, /*max_bytes=*/80);
  EXPECT_FALSE(reader.CaughtUp(0));
  reader.Follow(0, 0);
  reader.Follow(1, 0);
  EXPECT_TRUE(reader.CaughtUp(1));  // there was nothing
  EXPECT_THAT(Take(&reader, 80), ElementsAre(1, 2));
  EXPECT_FALSE(reader.CaughtUp(0));  // it was full
  EXPECT_THAT(Take(&reader, 80), ElementsAre(3));
  EXPECT_TRUE(reader.CaughtUp(0));
  Append(0, 1);
  EXPECT_TRUE(reader.CaughtUp(0));
  reader.Leave(0);
  EXPECT_FALSE(reader.CaughtUp(0));
}

TEST_F(TailReaderTest, WhatIsLeftComesNoMore) {
  TailReader reader(&clock_, &log_);
  reader.Follow(0, 0);
  Append(0, 2);
  reader.Leave(0);
  Append(0, 1);
  EXPECT_THAT(Take(&reader, 1'000), IsEmpty());
  reader.Follow(0, 1);
  EXPECT_THAT(Take(&reader, 1'000), ElementsAre(2, 3));
}

}  // namespace
}  // namespace jaque
