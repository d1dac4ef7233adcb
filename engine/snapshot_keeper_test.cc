// SPDX-License-Identifier: Apache-2.0
#include "engine/snapshot_keeper.h"

#include <vector>

#include "base/limits.h"
#include "base/simulated_clock.h"
#include "base/text.h"
#include "coordination/memory_kv_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "log/memory_event_log.h"

namespace jaque::engine {
namespace {

class SnapshotKeeperTest : public testing::Test {
 protected:
  // A snapshot that is told by its owner, and about so large.
  static std::string Snapshot(const std::string& owner, size_t bytes = 0) {
    v1::ShardSnapshot snapshot;
    snapshot.set_owner(owner);
    snapshot.set_marked(std::string(bytes, 'x'));
    return snapshot.SerializeAsString();
  }

  absl::Status Save(Sequence sequence, const std::string& snapshot) {
    absl::Status result = absl::UnknownError("not answered");
    keeper_.Save(3, sequence, snapshot, [&](const absl::Status& saved) { result = saved; });
    keeper_.Step();
    return result;
  }

  absl::StatusOr<SnapshotKeeper::Loaded> Load() {
    absl::StatusOr<SnapshotKeeper::Loaded> result = absl::UnknownError("not answered");
    keeper_.Load(3, [&](absl::StatusOr<SnapshotKeeper::Loaded> loaded) { result = loaded; });
    keeper_.Step();
    return result;
  }

  std::vector<Sequence> Fill(int count) {
    std::vector<Sequence> sequences;
    for (int i = 0; i < count; ++i) {
      log_.Append(3, sequences.empty() ? 0 : sequences.back(), Cat("b", i), "x",
                  [&](AppendResult result) { sequences.push_back(result.sequence); });
    }
    return sequences;
  }

  Sequence FirstInLog() {
    Sequence first = 0;
    log_.Read(3, 0,
              [&](const LogRecord& record) {
                if (first == 0) first = record.sequence;
                return absl::OkStatus();
              })
        .IgnoreError();
    return first;
  }

  SimulatedClock clock_;
  MemoryKvStore bucket_{&clock_};
  MemoryEventLog log_{&clock_};
  SnapshotKeeper keeper_{&clock_, &bucket_, &log_, absl::Hours(1), /*stepped=*/true};
};

TEST_F(SnapshotKeeperTest, GivesBackTheNewest) {
  EXPECT_EQ(Load()->sequence, 0u);
  ASSERT_TRUE(Save(10, Snapshot("a")).ok());
  ASSERT_TRUE(Save(20, Snapshot("b", 2 * limits::kSnapshotPartBytes)).ok());
  const auto loaded = Load();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->sequence, 20u);
  EXPECT_EQ(loaded->snapshot.owner(), "b");
  EXPECT_EQ(loaded->snapshot.marked().size(), 2 * limits::kSnapshotPartBytes);
  EXPECT_EQ(bucket_.List()->size(), 1u + 3u);  // the head, and no part of the older one
}

TEST_F(SnapshotKeeperTest, AnOwnerThatComesLateChangesNothing) {
  ASSERT_TRUE(Save(20, Snapshot("new")).ok());
  ASSERT_TRUE(Save(10, Snapshot("old")).ok());
  EXPECT_EQ(Load()->snapshot.owner(), "new");
  EXPECT_EQ(bucket_.List()->size(), 2u);
}

TEST_F(SnapshotKeeperTest, TheLogIsTrimmedBelowWhatIsOlderThanTheRetention) {
  const std::vector<Sequence> s = Fill(9);
  ASSERT_TRUE(Save(s[2], Snapshot("a")).ok());
  clock_.Advance(absl::Minutes(50));
  ASSERT_TRUE(Save(s[5], Snapshot("b")).ok());
  EXPECT_EQ(FirstInLog(), s[0]);
  clock_.Advance(absl::Minutes(20));
  ASSERT_TRUE(Save(s[7], Snapshot("c")).ok());  // a has passed it, b has not
  EXPECT_EQ(FirstInLog(), s[3]);
  clock_.Advance(absl::Hours(2));
  ASSERT_TRUE(Save(s[8], Snapshot("d")).ok());
  EXPECT_EQ(FirstInLog(), s[8]);
}

TEST_F(SnapshotKeeperTest, WhatCannotBeReadIsSaid) {
  ASSERT_TRUE(Save(10, Snapshot("a")).ok());
  ASSERT_TRUE(bucket_.Put("3.10.0", "no snapshot").ok());
  EXPECT_TRUE(absl::IsDataLoss(Load().status()));
  ASSERT_TRUE(bucket_.Delete("3.10.0").ok());
  EXPECT_TRUE(absl::IsNotFound(Load().status()));
  ASSERT_TRUE(bucket_.Put("3", "\xff").ok());
  EXPECT_TRUE(absl::IsDataLoss(Load().status()));
}

}  // namespace
}  // namespace jaque::engine
