// SPDX-License-Identifier: Apache-2.0
#include "coordination/log_lag.h"

#include <string>

#include "base/simulated_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "jaque/v1/event.pb.h"
#include "log/memory_event_log.h"

namespace jaque {
namespace {

using testing::ElementsAre;
using testing::Pair;

class LogLagTest : public ::testing::Test {
 protected:
  // The sequence of a batch that is decided now.
  Sequence Append(ShardId shard, Sequence expected) {
    v1::LogBatch batch;
    batch.add_decisions()->set_at_micros(absl::ToUnixMicros(clock_.Now()));
    Sequence sequence = 0;
    log_.Append(shard, expected, std::to_string(++ids_), batch.SerializeAsString(),
                [&](AppendResult result) { sequence = result.sequence; });
    return sequence;
  }

  SimulatedClock clock_;
  MemoryEventLog log_{&clock_};
  int ids_ = 0;
};

TEST_F(LogLagTest, TheFirstBatchThatIsNotPassedCounts) {
  const Sequence first = Append(0, 0);
  clock_.Advance(absl::Seconds(5));
  const Sequence second = Append(0, first);
  const Sequence other = Append(3, 0);
  clock_.Advance(absl::Seconds(2));
  const auto lags = [this](Sequence of_0, Sequence of_3) {
    return LogLags(clock_, &log_, {{0, of_0}, {3, of_3}}).value();
  };
  EXPECT_THAT(lags(second, other),
              ElementsAre(Pair(0, absl::ZeroDuration()), Pair(3, absl::ZeroDuration())));
  EXPECT_THAT(lags(first, other),
              ElementsAre(Pair(0, absl::Seconds(2)), Pair(3, absl::ZeroDuration())));
  EXPECT_THAT(lags(0, 0), ElementsAre(Pair(0, absl::Seconds(7)), Pair(3, absl::Seconds(2))));
}

TEST_F(LogLagTest, AnEmptyShardHasNoLag) {
  EXPECT_THAT(LogLags(clock_, &log_, {{1, 0}}).value(), ElementsAre(Pair(1, absl::ZeroDuration())));
  EXPECT_TRUE(LogLags(clock_, &log_, {})->empty());
}

}  // namespace
}  // namespace jaque
