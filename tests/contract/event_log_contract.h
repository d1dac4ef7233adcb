// SPDX-License-Identifier: Apache-2.0
// What every EventLog does. Backend: log() besides what collector.h says; each test has a fresh
// one.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "log/event_log.h"
#include "tests/contract/collector.h"

namespace jaque {

template <typename Backend>
class EventLogContract : public testing::Test {
 protected:
  void SetUp() override {
    if (!Backend::Missing().empty()) GTEST_SKIP() << "skipped: " << Backend::Missing();
  }

  using Records = std::vector<std::pair<Sequence, std::string>>;

  AppendResult Append(ShardId shard, Sequence expected, const std::string& id,
                      const std::string& bytes) {
    Collector<AppendResult> results;
    log().Append(shard, expected, id, bytes,
                 [&](AppendResult result) { results.Put(std::move(result)); });
    return results.First(backend_);
  }

  // Appends `count` records "0", "1", … and gives their sequences.
  std::vector<Sequence> Fill(ShardId shard, int count) {
    std::vector<Sequence> sequences;
    Sequence last = 0;
    for (int i = 0; i < count; ++i) {
      const AppendResult result =
          Append(shard, last, absl::StrCat("fill-", shard, "-", i), absl::StrCat(i));
      EXPECT_EQ(result.outcome, AppendOutcome::kCommitted) << result.status;
      sequences.push_back(last = result.sequence);
    }
    return sequences;
  }

  Records Read(ShardId shard, Sequence after = 0) {
    Records records;
    const absl::Status status = log().Read(shard, after, [&](const LogRecord& record) {
      records.emplace_back(record.sequence, std::string(record.bytes));
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return records;
  }

  EventLog& log() { return backend_.log(); }

  Backend backend_;
};

TYPED_TEST_SUITE_P(EventLogContract);

TYPED_TEST_P(EventLogContract, ReadsWhatWasAppendedInOrder) {
  const std::vector<Sequence> s = this->Fill(3, 3);
  EXPECT_LT(0u, s[0]);
  EXPECT_LT(s[0], s[1]);
  EXPECT_LT(s[1], s[2]);
  EXPECT_THAT(this->Read(3),
              testing::ElementsAre(testing::Pair(s[0], "0"), testing::Pair(s[1], "1"),
                                   testing::Pair(s[2], "2")));
  EXPECT_THAT(this->Read(3, s[1]), testing::ElementsAre(testing::Pair(s[2], "2")));
  EXPECT_THAT(this->Read(3, s[2]), testing::IsEmpty());
  EXPECT_THAT(this->Read(4), testing::IsEmpty());
}

TYPED_TEST_P(EventLogContract, RefusesAnAppendThatExpectsAnotherSequence) {
  const std::vector<Sequence> s = this->Fill(0, 2);
  for (const Sequence expected : {Sequence{0}, s[0], s[1] + 1}) {
    const AppendResult result =
        this->Append(0, expected, absl::StrCat("stale-", expected), "stale");
    EXPECT_EQ(result.outcome, AppendOutcome::kConflict) << expected;
    EXPECT_FALSE(result.status.ok());
  }
  EXPECT_EQ(this->Append(1, 7, "empty", "x").outcome, AppendOutcome::kConflict);
  EXPECT_EQ(this->Read(0).size(), 2u);
  EXPECT_THAT(this->Read(1), testing::IsEmpty());
  EXPECT_EQ(this->Append(0, s[1], "next", "2").outcome, AppendOutcome::kCommitted);
}

TYPED_TEST_P(EventLogContract, TheSameBatchAgainIsAnsweredWithTheFirst) {
  const AppendResult first = this->Append(5, 0, "batch", "a");
  const AppendResult second = this->Append(5, first.sequence, "other", "b");
  const AppendResult again = this->Append(5, 0, "batch", "a");
  EXPECT_EQ(again.outcome, AppendOutcome::kCommitted) << again.status;
  EXPECT_EQ(again.sequence, first.sequence);
  EXPECT_THAT(this->Read(5), testing::ElementsAre(testing::Pair(first.sequence, "a"),
                                                  testing::Pair(second.sequence, "b")));
}

TYPED_TEST_P(EventLogContract, AShardKnowsOnlyItsOwnBatchIdsAndSequences) {
  const AppendResult a = this->Append(1, 0, "same id", "a");
  const AppendResult b = this->Append(2, 0, "same id", "b");
  EXPECT_EQ(a.outcome, AppendOutcome::kCommitted) << a.status;
  EXPECT_EQ(b.outcome, AppendOutcome::kCommitted) << b.status;
  EXPECT_THAT(this->Read(1), testing::ElementsAre(testing::Pair(a.sequence, "a")));
  EXPECT_THAT(this->Read(2), testing::ElementsAre(testing::Pair(b.sequence, "b")));
}

TYPED_TEST_P(EventLogContract, AConflictLeavesItsIdUnused) {
  EXPECT_EQ(this->Append(0, 9, "id", "x").outcome, AppendOutcome::kConflict);
  EXPECT_EQ(this->Append(0, 0, "id", "x").outcome, AppendOutcome::kCommitted);
  EXPECT_EQ(this->Read(0).size(), 1u);
}

TYPED_TEST_P(EventLogContract, ReadStopsWithTheFirstBadStatus) {
  this->Fill(0, 3);
  int visited = 0;
  const absl::Status status = this->log().Read(0, 0, [&](const LogRecord&) {
    return ++visited == 2 ? absl::DataLossError("enough") : absl::OkStatus();
  });
  EXPECT_EQ(status, absl::DataLossError("enough"));
  EXPECT_EQ(visited, 2);
}

TYPED_TEST_P(EventLogContract, TrimForgetsButTheNewest) {
  const std::vector<Sequence> s = this->Fill(0, 4);
  this->Fill(1, 2);
  ASSERT_TRUE(this->log().Trim(0, s[1]).ok());
  EXPECT_THAT(this->Read(0),
              testing::ElementsAre(testing::Pair(s[2], "2"), testing::Pair(s[3], "3")));
  ASSERT_TRUE(this->log().Trim(0, s[3] + 1'000).ok());
  EXPECT_THAT(this->Read(0), testing::ElementsAre(testing::Pair(s[3], "3")));
  EXPECT_EQ(this->Append(0, s[3], "next", "4").outcome, AppendOutcome::kCommitted);
  EXPECT_EQ(this->Read(1).size(), 2u);
  EXPECT_TRUE(this->log().Trim(9, 5).ok());  // an empty shard
}

TYPED_TEST_P(EventLogContract, TailBringsStoredRecordsThenNewOnes) {
  const std::vector<Sequence> s = this->Fill(0, 3);
  this->Fill(1, 2);
  Collector<std::pair<Sequence, std::string>> seen;
  auto tail = this->log().Tail(0, s[0], [&](ShardId shard, const LogRecord& record) {
    EXPECT_EQ(shard, 0u);
    seen.Put({record.sequence, std::string(record.bytes)});
  });
  const AppendResult next = this->Append(0, s[2], "next", "3");
  this->Append(1, 0, "conflict", "never seen");
  ASSERT_TRUE(seen.Await(this->backend_, 3));
  EXPECT_THAT(seen.Take(), testing::ElementsAre(testing::Pair(s[1], "1"), testing::Pair(s[2], "2"),
                                                testing::Pair(next.sequence, "3")));
}

TYPED_TEST_P(EventLogContract, ATailTellsWhenItHasCaughtUp) {
  const std::vector<Sequence> s = this->Fill(0, 3);
  Collector<std::string> seen, empty;
  auto tail = this->log().Tail(
      0, s[0], [&](ShardId, const LogRecord& record) { seen.Put(std::string(record.bytes)); },
      [&] { seen.Put("caught up"); });
  auto of_nothing = this->log().Tail(
      7, 0, [&](ShardId, const LogRecord&) { empty.Put("a record"); },
      [&] { empty.Put("caught up"); });
  ASSERT_TRUE(seen.Await(this->backend_, 3));
  ASSERT_TRUE(empty.Await(this->backend_, 1));
  this->Append(0, s[2], "next", "3");
  ASSERT_TRUE(seen.Await(this->backend_, 4));
  EXPECT_THAT(seen.Take(), testing::ElementsAre("1", "2", "caught up", "3"));
  EXPECT_THAT(empty.Take(), testing::ElementsAre("caught up"));
}

TYPED_TEST_P(EventLogContract, ConfirmsTheLastSequence) {
  const std::vector<Sequence> s = this->Fill(2, 2);
  const auto confirm = [this](ShardId shard, Sequence expected) {
    Collector<AppendResult> results;
    this->log().Confirm(shard, expected,
                        [&](AppendResult result) { results.Put(std::move(result)); });
    return results.First(this->backend_).outcome;
  };
  EXPECT_EQ(confirm(2, s[1]), AppendOutcome::kCommitted);
  EXPECT_EQ(confirm(2, s[0]), AppendOutcome::kConflict);
  EXPECT_EQ(confirm(2, 0), AppendOutcome::kConflict);
  EXPECT_EQ(confirm(3, 0), AppendOutcome::kCommitted);
  EXPECT_EQ(this->Read(2).size(), 2u);
}

TYPED_TEST_P(EventLogContract, ATailEndsWithItsHandle) {
  const std::vector<Sequence> s = this->Fill(0, 1);
  Collector<Sequence> ended, going_on;
  auto first =
      this->log().Tail(0, 0, [&](ShardId, const LogRecord& record) { ended.Put(record.sequence); });
  auto second = this->log().Tail(
      0, 0, [&](ShardId, const LogRecord& record) { going_on.Put(record.sequence); });
  ASSERT_TRUE(ended.Await(this->backend_, 1));
  first.reset();
  this->Append(0, s[0], "next", "1");
  ASSERT_TRUE(going_on.Await(this->backend_, 2));
  EXPECT_EQ(ended.size(), 1u);
}

TYPED_TEST_P(EventLogContract, OfRacingWritersOneWinsEachTime) {
  constexpr int kWriters = 4, kRecords = 50;
  Collector<Sequence> committed;
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([this, w, &committed] {
      Sequence expected = 0;
      for (int i = 0; committed.size() < kRecords && i < 100 * kRecords; ++i) {
        const AppendResult result =
            this->Append(0, expected, absl::StrCat(w, "/", i), absl::StrCat(w));
        if (result.outcome == AppendOutcome::kCommitted) {
          committed.Put(expected = result.sequence);
        } else {
          EXPECT_EQ(result.outcome, AppendOutcome::kConflict) << result.status;
          expected = this->Read(0).back().first;
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  std::vector<Sequence> stored;
  for (const auto& [sequence, bytes] : this->Read(0)) stored.push_back(sequence);
  EXPECT_TRUE(std::is_sorted(stored.begin(), stored.end()));
  EXPECT_THAT(committed.Take(), testing::UnorderedElementsAreArray(stored));
}

TYPED_TEST_P(EventLogContract, KeepsAnyBytes) {
  std::string big(900 << 10, '\0');
  for (size_t i = 0; i < big.size(); ++i) big[i] = static_cast<char>(i * 31);
  const AppendResult a = this->Append(0, 0, "big", big);
  ASSERT_EQ(a.outcome, AppendOutcome::kCommitted) << a.status;
  const AppendResult b = this->Append(0, a.sequence, "empty", "");
  ASSERT_EQ(b.outcome, AppendOutcome::kCommitted) << b.status;
  EXPECT_THAT(this->Read(0),
              testing::ElementsAre(testing::Pair(a.sequence, big), testing::Pair(b.sequence, "")));
}

REGISTER_TYPED_TEST_SUITE_P(EventLogContract, ReadsWhatWasAppendedInOrder,
                            RefusesAnAppendThatExpectsAnotherSequence,
                            TheSameBatchAgainIsAnsweredWithTheFirst,
                            AShardKnowsOnlyItsOwnBatchIdsAndSequences, AConflictLeavesItsIdUnused,
                            ReadStopsWithTheFirstBadStatus, TrimForgetsButTheNewest,
                            TailBringsStoredRecordsThenNewOnes, ATailTellsWhenItHasCaughtUp,
                            ConfirmsTheLastSequence, ATailEndsWithItsHandle,
                            OfRacingWritersOneWinsEachTime, KeepsAnyBytes);

}  // namespace jaque
