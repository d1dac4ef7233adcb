// SPDX-License-Identifier: Apache-2.0
#include "coordination/log_progress.h"

#include "base/simulated_clock.h"
#include "coordination/memory_kv_store.h"
#include "coordination/read_event_log.h"
#include "gtest/gtest.h"
#include "log/memory_event_log.h"

namespace jaque {
namespace {

class LogProgressTest : public ::testing::Test {
 protected:
  SimulatedClock clock_;
  MemoryKvStore bucket_{&clock_};
  LogProgress progress_{&clock_, &bucket_};
};

TEST_F(LogProgressTest, TheSlowestReaderCounts) {
  EXPECT_EQ(*progress_.Passed(3), UINT64_MAX);
  ASSERT_TRUE(progress_.Put(kSinkReader, 3, 20).ok());
  ASSERT_TRUE(progress_.Put(kNotifierReader, 3, 7).ok());
  EXPECT_EQ(*progress_.Passed(3), 7);
  EXPECT_EQ(*progress_.Passed(4), UINT64_MAX);
}

TEST_F(LogProgressTest, AnAwaitedReaderCountsFromTheBeginning) {
  LogProgress progress(&clock_, &bucket_, {kSinkReader});
  EXPECT_EQ(*progress.Passed(3), 0);
  ASSERT_TRUE(progress.Put(kSinkReader, 3, 20).ok());
  EXPECT_EQ(*progress.Passed(3), 20);
}

TEST_F(LogProgressTest, AReaderThatIsSilentForAWeekIsForgotten) {
  ASSERT_TRUE(progress_.Put(kSinkReader, 3, 20).ok());
  clock_.Advance(absl::Hours(7 * 24 - 1));
  EXPECT_EQ(*progress_.Passed(3), 20);
  clock_.Advance(absl::Hours(2));
  EXPECT_EQ(*progress_.Passed(3), UINT64_MAX);
}

TEST_F(LogProgressTest, ListsWhatReadersHaveSaid) {
  ASSERT_TRUE(progress_.Put(kNotifierReader, 3, 7).ok());
  clock_.Advance(absl::Hours(7 * 24 - 1));
  ASSERT_TRUE(progress_.Put(kSinkReader, 12, 20).ok());
  auto positions = progress_.Positions();
  ASSERT_TRUE(positions.ok()) << positions.status();
  ASSERT_EQ(positions->size(), 2u);
  EXPECT_EQ(positions->at(0).reader, kNotifierReader);
  EXPECT_EQ(positions->at(0).shard, 3u);
  EXPECT_EQ(positions->at(0).sequence, 7u);
  EXPECT_EQ(positions->at(1).reader, kSinkReader);
  EXPECT_EQ(positions->at(1).shard, 12u);
  clock_.Advance(absl::Hours(2));
  positions = progress_.Positions();
  ASSERT_TRUE(positions.ok()) << positions.status();
  ASSERT_EQ(positions->size(), 1u);
  EXPECT_EQ(positions->at(0).reader, kSinkReader);
}

TEST_F(LogProgressTest, TheLogIsKeptForThoseWhoHaveNotReadIt) {
  ReadEventLog log(std::make_unique<MemoryEventLog>(&clock_), &progress_);
  Sequence last = 0;
  for (const char* id : {"a", "b", "c", "d"}) {
    log.Append(3, last, id, "x", [&](AppendResult result) { last = result.sequence; });
  }
  const auto first = [&] {
    Sequence found = 0;
    EXPECT_TRUE(log.Read(3, 0,
                         [&](const LogRecord& record) {
                           if (found == 0) found = record.sequence;
                           return absl::OkStatus();
                         })
                    .ok());
    return found;
  };
  ASSERT_TRUE(progress_.Put(kSinkReader, 3, 2).ok());
  ASSERT_TRUE(log.Trim(3, 3).ok());
  EXPECT_EQ(first(), 3);
  ASSERT_TRUE(progress_.Put(kSinkReader, 3, 3).ok());
  ASSERT_TRUE(log.Trim(3, 3).ok());
  EXPECT_EQ(first(), 4);
}

}  // namespace
}  // namespace jaque
