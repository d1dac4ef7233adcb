// SPDX-License-Identifier: Apache-2.0
#include "sink/sink.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "base/simulated_clock.h"
#include "base/text.h"
#include "coordination/memory_kv_store.h"
#include "coordination/read_event_log.h"
#include "expression/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "log/memory_definition_store.h"
#include "log/memory_event_log.h"
#include "sink/export_output.h"
#include "sink/ndjson_exporter.h"
#include "store/sql_store.h"
#include "tests/support/temp_folder.h"

namespace jaque {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A database that is away when a test says so.
class Fragile final : public store::Database {
 public:
  explicit Fragile(std::shared_ptr<store::Database> database) : database_(std::move(database)) {}
  const store::Dialect& dialect() const override { return database_->dialect(); }
  absl::Status Read(const store::Statement& statement,
                    absl::FunctionRef<void(const store::Row&)> visit) override {
    if (away) return absl::UnavailableError("away");
    return database_->Read(statement, visit);
  }
  absl::StatusOr<int64_t> Write(const std::vector<store::Statement>& statements) override {
    if (away) return absl::UnavailableError("away");
    ++writes;
    auto result = database_->Write(statements);
    if (answers_lost) return absl::UnavailableError("the answer is lost");
    return result;
  }
  bool away = false, answers_lost = false;
  int writes = 0;

 private:
  const std::shared_ptr<store::Database> database_;
};

class SinkTest : public ::testing::Test {
 protected:
  SinkTest() {
    auto opened = store::OpenDatabase("sqlite:" + folder_.path() + "/store.db");
    EXPECT_TRUE(opened.ok()) << opened.status();
    database_ = std::make_shared<Fragile>(*opened);
    store_ = store::MakeStore(*opened);
  }

  std::unique_ptr<Sink> Make(SinkOptions options = {}) {
    options.shards = 2;
    SinkParts parts;
    parts.clock = &clock_;
    parts.log = &log_;
    parts.definitions = &definitions_;
    parts.store = database_;
    parts.progress = &progress_;
    parts.owned = [this] { return owned_; };
    return std::make_unique<Sink>(options, parts);
  }

  void Append(ShardId shard, const std::string& id, bool end = false) {
    v1::LogBatch batch;
    batch.set_epoch(1);
    batch.set_after(last_[shard]);
    v1::Decision* decision = batch.add_decisions();
    decision->set_object_id(id);
    decision->set_at_micros(absl::ToUnixMicros(clock_.Now()));
    decision->add_events()->mutable_instance_started()->set_definition("test/steps:1.0.0");
    if (end) decision->add_events()->mutable_instance_completed();
    log_.Append(shard, last_[shard], Cat(shard, "-", id), batch.SerializeAsString(),
                [&](AppendResult result) { last_[shard] = result.sequence; });
  }
  // Turns until there is nothing to do, time passing.
  void Run(Sink* sink) {
    for (int i = 0; i < 10; ++i) {
      while (sink->Step()) continue;
      clock_.Advance(absl::Seconds(1));
    }
  }
  std::vector<std::string> Ids() {
    std::vector<std::string> ids;
    const auto page = store_->ListInstances({}, {});
    EXPECT_TRUE(page.ok()) << page.status();
    for (const store::InstanceRow& row : page->items) ids.push_back(row.id);
    return ids;
  }
  size_t RecordsOf(ShardId shard) {
    size_t count = 0;
    log_.Read(shard, 0,
              [&](const LogRecord&) {
                ++count;
                return absl::OkStatus();
              })
        .IgnoreError();
    return count;
  }

  testing::TempFolder folder_;
  SimulatedClock clock_;
  MemoryDefinitionStore definitions_;
  MemoryKvStore bucket_{&clock_};
  LogProgress progress_{&clock_, &bucket_, {kSinkReader}};
  ReadEventLog log_{std::make_unique<MemoryEventLog>(&clock_), &progress_};
  std::shared_ptr<Fragile> database_;
  std::unique_ptr<store::Store> store_;
  std::vector<ShardId> owned_ = {0, 1};
  std::map<ShardId, Sequence> last_;
};

TEST_F(SinkTest, BringsWhatIsThereAndWhatComes) {
  Append(0, "a");
  const auto sink = Make();
  Run(sink.get());
  EXPECT_THAT(Ids(), ElementsAre("a"));
  Append(1, "b");
  Run(sink.get());
  EXPECT_THAT(Ids(), SizeIs(2));
}

TEST_F(SinkTest, AStoreThatIsAwayLosesNothing) {
  const auto sink = Make();
  Append(0, "a");
  Run(sink.get());
  database_->away = true;
  Append(0, "b");
  Append(1, "c");
  Run(sink.get());
  EXPECT_THAT(Ids(), SizeIs(1));
  database_->away = false;
  Run(sink.get());
  EXPECT_THAT(Ids(), SizeIs(3));
}

TEST_F(SinkTest, ATransactionWhoseAnswerIsLostIsNotRepeated) {
  const auto sink = Make();
  database_->answers_lost = true;
  Append(0, "a");
  Run(sink.get());
  const int writes = database_->writes;
  Append(0, "b");
  Run(sink.get());
  EXPECT_EQ(database_->writes, writes + 1);
  database_->answers_lost = false;
  Run(sink.get());
  EXPECT_THAT(Ids(), SizeIs(2));
  EXPECT_EQ(store_->History("a", 0, 10)->items.size(), 1);
}

TEST_F(SinkTest, AShardThatWentToAnotherSinkIsLeft) {
  const auto sink = Make();
  Run(sink.get());
  owned_ = {1};
  Run(sink.get());
  Append(0, "a");
  Append(1, "b");
  Run(sink.get());
  EXPECT_THAT(Ids(), ElementsAre("b"));
  owned_ = {0, 1};
  Run(sink.get());
  EXPECT_THAT(Ids(), SizeIs(2));
}

TEST_F(SinkTest, TwoThatHaveTheSameShardsMakeTheRowsOnce) {
  const auto one = Make(), other = Make();
  for (int i = 0; i < 20; ++i) {
    Append(0, Cat("i", i));
    one->Step();
    other->Step();
    clock_.Advance(absl::Seconds(1));
  }
  Run(one.get());
  Run(other.get());
  EXPECT_THAT(Ids(), SizeIs(20));
  EXPECT_EQ(store_->Positions()->front().sequence, last_[0]);
}

TEST_F(SinkTest, ALogInMemoryForgetsWhatHasBeenStored) {
  SinkOptions options;
  options.trim_log = true;
  const auto sink = Make(options);
  for (int i = 0; i < 5; ++i) Append(0, Cat("i", i));
  database_->away = true;
  Run(sink.get());
  EXPECT_EQ(RecordsOf(0), 5);
  database_->away = false;
  Run(sink.get());
  EXPECT_EQ(RecordsOf(0), 1);  // the newest is always kept
  EXPECT_EQ(*progress_.Passed(0), last_[0]);
}

TEST_F(SinkTest, AFreshLogEndsWhatRanInTheOneBefore) {
  Append(0, "a");
  Run(Make().get());
  owned_.clear();
  SinkOptions options;
  options.fresh_log = true;
  const auto sink = Make(options);
  sink->Step();
  EXPECT_EQ(store_->GetInstance("a")->row.status, v1::INSTANCE_STATUS_CANCELLED);
}

TEST_F(SinkTest, OldInstancesAreDeletedByAgeAndStatus) {
  SinkOptions options;
  options.retention.age = absl::Hours(1);
  const auto sink = Make(options);
  Append(0, "running");
  for (int i = 0; i < 120; ++i) Append(1, Cat("ended", i), /*end=*/true);
  Run(sink.get());
  EXPECT_THAT(Ids(), SizeIs(50));  // a page of 121
  clock_.Advance(absl::Hours(2));
  Run(sink.get());
  EXPECT_THAT(Ids(), ElementsAre("running"));
  EXPECT_THAT(store_->History("ended1", 0, 10)->items, IsEmpty());
}

TEST_F(SinkTest, TheLastOnesAreKept) {
  SinkOptions options;
  options.retention.keep_last = 3;
  const auto sink = Make(options);
  for (int i = 0; i < 10; ++i) {
    clock_.Advance(absl::Seconds(1));
    Append(0, Cat("i", i), /*end=*/true);
  }
  Run(sink.get());
  EXPECT_THAT(Ids(), ElementsAre("i9", "i8", "i7"));
}

TEST_F(SinkTest, FactsAreExportedAsLinesInFilesThatRotate) {
  const std::string path = folder_.path() + "/facts.ndjson";
  auto exporter = OpenNdjson(path, /*max_bytes=*/1'000, /*files=*/3);
  ASSERT_TRUE(exporter.ok()) << exporter.status();
  ExportOutput output("ndjson:" + path, *std::move(exporter), database_.get());
  Follower follower(&clock_, &log_, database_.get(), &output, [this] { return owned_; });
  const auto run = [&] {
    for (int i = 0; i < 10; ++i) {
      while (follower.Step()) continue;
      clock_.Advance(absl::Seconds(1));
    }
  };
  Append(0, "a", /*end=*/true);
  run();
  std::ifstream file(path);
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  const auto value = ParseJson(line);
  ASSERT_TRUE(value.ok()) << line;
  EXPECT_EQ(value->StringOr("object", ""), "a");
  EXPECT_EQ(value->StringOr("kind", ""), "InstanceStarted");
  EXPECT_EQ(value->FindPath({"fact", "definition"})->AsString(), "test/steps:1.0.0");
  EXPECT_EQ(store_->Positions()->size(), 0);  // the store's own have not moved
  for (int i = 0; i < 40; ++i) {
    Append(0, Cat("i", i));
    run();
  }
  EXPECT_TRUE(std::filesystem::exists(path + ".2"));
  EXPECT_FALSE(std::filesystem::exists(path + ".3"));
  EXPECT_LT(std::filesystem::file_size(path + ".1"), 2'000);
}

TEST(ShardsOfSinkTest, EveryShardHasOneOwnerAmongTheLiving) {
  std::vector<MemberStatus> members(3);
  for (int i = 0; i < 3; ++i) {
    members[i].member.set_id(Cat("s", i));
    members[i].member.set_weight(1);
  }
  members[2].state = MemberState::kDead;
  std::vector<ShardId> both = ShardsOfSink(members, "s0", 64);
  const std::vector<ShardId> other = ShardsOfSink(members, "s1", 64);
  EXPECT_FALSE(both.empty() || other.empty());
  both.insert(both.end(), other.begin(), other.end());
  std::sort(both.begin(), both.end());
  std::vector<ShardId> all(64);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(both, all);
  EXPECT_EQ(ShardsOfSink({}, "s0", 4).size(), 4);
}

}  // namespace
}  // namespace jaque
