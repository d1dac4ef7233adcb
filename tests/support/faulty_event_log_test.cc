// SPDX-License-Identifier: Apache-2.0
#include "tests/support/faulty_event_log.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/simulated_clock.h"
#include "gtest/gtest.h"
#include "log/memory_event_log.h"

namespace jaque {
namespace {

class FaultyEventLogTest : public testing::Test {
 protected:
  std::optional<AppendResult> Append(FaultyEventLog& log) {
    answer_.reset();
    log.Append(0, 0, "id", "x", [this](AppendResult result) { answer_ = std::move(result); });
    return answer_;
  }
  size_t Stored() {
    size_t count = 0;
    EXPECT_TRUE(inner_
                    .Read(0, 0,
                          [&](const LogRecord&) {
                            ++count;
                            return absl::OkStatus();
                          })
                    .ok());
    return count;
  }

  SimulatedClock clock_;
  MemoryEventLog inner_{&clock_};
  std::optional<AppendResult> answer_;
};

TEST_F(FaultyEventLogTest, Conflict) {
  FaultyEventLog log(&inner_, 1, {.conflict = 100});
  EXPECT_EQ(Append(log)->outcome, AppendOutcome::kConflict);
  EXPECT_EQ(Stored(), 0u);
}

TEST_F(FaultyEventLogTest, UnknownStored) {
  FaultyEventLog log(&inner_, 1, {.unknown_stored = 100});
  EXPECT_EQ(Append(log)->outcome, AppendOutcome::kUnknown);
  EXPECT_EQ(Stored(), 1u);
}

TEST_F(FaultyEventLogTest, UnknownLost) {
  FaultyEventLog log(&inner_, 1, {.unknown_lost = 100});
  EXPECT_EQ(Append(log)->outcome, AppendOutcome::kUnknown);
  EXPECT_FALSE(log.ReleaseNext());
  EXPECT_EQ(Stored(), 0u);
}

TEST_F(FaultyEventLogTest, UnknownStoredLater) {
  FaultyEventLog log(&inner_, 1, {.unknown_later = 100});
  EXPECT_EQ(Append(log)->outcome, AppendOutcome::kUnknown);
  EXPECT_EQ(Stored(), 0u);
  EXPECT_TRUE(log.ReleaseNext());
  EXPECT_EQ(Stored(), 1u);
}

TEST_F(FaultyEventLogTest, DelayedRequest) {
  FaultyEventLog log(&inner_, 1, {.delayed_request = 100});
  EXPECT_FALSE(Append(log));
  EXPECT_EQ(Stored(), 0u);
  EXPECT_TRUE(log.ReleaseNext());
  EXPECT_EQ(answer_->outcome, AppendOutcome::kCommitted);
  EXPECT_EQ(Stored(), 1u);
}

TEST_F(FaultyEventLogTest, DelayedAnswer) {
  FaultyEventLog log(&inner_, 1, {.delayed_answer = 100});
  EXPECT_FALSE(Append(log));
  EXPECT_EQ(Stored(), 1u);
  EXPECT_TRUE(log.ReleaseNext());
  EXPECT_EQ(answer_->outcome, AppendOutcome::kCommitted);
}

TEST_F(FaultyEventLogTest, ReadBreaksOffUntilHealed) {
  FaultyEventLog log(&inner_, 1, {.read_failed = 100});
  ASSERT_EQ(Append(log)->outcome, AppendOutcome::kCommitted);
  const auto visit = [](const LogRecord&) { return absl::OkStatus(); };
  EXPECT_TRUE(absl::IsUnavailable(log.Read(0, 0, visit)));
  log.Heal();
  EXPECT_TRUE(log.Read(0, 0, visit).ok());
}

TEST_F(FaultyEventLogTest, OneSeedGivesTheSameFaults) {
  const auto run = [this](uint64_t seed) {
    MemoryEventLog inner(&clock_);
    FaultyEventLog log(
        &inner, seed,
        {.conflict = 20, .unknown_stored = 20, .unknown_lost = 20, .unknown_later = 20});
    std::string outcomes;
    for (int i = 0; i < 100; ++i) {
      log.Append(0, 0, absl::StrCat(i), "x", [&](AppendResult result) {
        absl::StrAppend(&outcomes, static_cast<int>(result.outcome));
      });
    }
    return outcomes;
  };
  EXPECT_EQ(run(7), run(7));
  EXPECT_NE(run(7), run(8));
}

}  // namespace
}  // namespace jaque
