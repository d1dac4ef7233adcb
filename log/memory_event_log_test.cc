// SPDX-License-Identifier: Apache-2.0
// What only the memory sibling does; the rest is the contract's (tests/contract).
#include "log/memory_event_log.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/simulated_clock.h"
#include "gtest/gtest.h"

namespace jaque {
namespace {

Sequence MustAppend(EventLog& log, Sequence expected, const std::string& id) {
  Sequence sequence = 0;
  log.Append(0, expected, id, "x", [&](AppendResult result) {
    EXPECT_EQ(result.outcome, AppendOutcome::kCommitted) << result.status;
    sequence = result.sequence;
  });
  return sequence;
}

size_t Count(EventLog& log) {
  size_t count = 0;
  EXPECT_TRUE(log.Read(0, 0,
                       [&](const LogRecord&) {
                         ++count;
                         return absl::OkStatus();
                       })
                  .ok());
  return count;
}

TEST(MemoryEventLog, KeepsAsManyRecordsAsItMay) {
  SimulatedClock clock;
  MemoryEventLog log(&clock, {.retained = 3});
  Sequence last = 0;
  for (int i = 0; i < 10; ++i) last = MustAppend(log, last, absl::StrCat(i));
  EXPECT_EQ(Count(log), 3u);
}

TEST(MemoryEventLog, KeepsTheNewestRecordWhateverItMay) {
  SimulatedClock clock;
  MemoryEventLog log(&clock, {.retained = 0});
  Sequence last = 0;
  for (int i = 0; i < 10; ++i) last = MustAppend(log, last, absl::StrCat(i));
  EXPECT_EQ(Count(log), 1u);
}

TEST(MemoryEventLog, ForgetsBatchIdsAfterTheWindow) {
  SimulatedClock clock;
  MemoryEventLog log(&clock, {.dedup_window = absl::Seconds(10)});
  const Sequence first = MustAppend(log, 0, "id");
  EXPECT_EQ(MustAppend(log, first, "id"), first);
  clock.Advance(absl::Seconds(10));
  EXPECT_GT(MustAppend(log, first, "id"), first);
}

TEST(MemoryEventLog, CallbacksMayUseTheLog) {
  SimulatedClock clock;
  MemoryEventLog log(&clock);
  int seen = 0;
  std::unique_ptr<EventLog::Subscription> tail;
  tail = log.Tail(0, 0, [&](ShardId, const LogRecord& record) {
    EXPECT_GE(Count(log), record.sequence);
    if (++seen == 3) tail.reset();
  });
  log.Append(0, 0, "a", "x", [&](AppendResult a) {
    log.Append(0, a.sequence, "b", "x", [&](AppendResult b) {
      EXPECT_EQ(Count(log), 2u);
      MustAppend(log, b.sequence, "c");
    });
  });
  EXPECT_EQ(seen, 3);
  EXPECT_EQ(tail, nullptr);
}

}  // namespace
}  // namespace jaque
