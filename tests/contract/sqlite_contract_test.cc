// SPDX-License-Identifier: Apache-2.0
// The siblings in a database under the contracts, and what they still know when they are opened
// again.
#include "dsl/load.h"
#include "tests/contract/event_log_contract.h"
#include "tests/contract/event_stream_contract.h"
#include "tests/contract/kv_store_contract.h"
#include "tests/contract/sqlite_backend.h"

namespace jaque {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, EventLogContract, SqliteBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, EventStreamContract, SqliteBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, KvStoreContract, SqliteBackend);

class SqliteAgainTest : public ::testing::Test {
 protected:
  AppendResult Append(ShardId shard, Sequence expected, const std::string& bytes) {
    Collector<AppendResult> results;
    backend_.log().Append(shard, expected, "id of " + bytes, bytes,
                          [&](AppendResult result) { results.Put(std::move(result)); });
    return results.First(backend_);
  }
  uint64_t Publish(const std::string& id, const std::string& json) {
    Collector<uint64_t> sequences;
    backend_.stream().Publish(id, json,
                              [&](absl::StatusOr<uint64_t> result) { sequences.Put(*result); });
    return sequences.First(backend_);
  }

  SqliteBackend backend_;
};

TEST_F(SqliteAgainTest, TheLogGoesOnWhereItWas) {
  const Sequence first = Append(3, 0, "a").sequence, second = Append(3, first, "b").sequence;
  const Sequence other = Append(200, 0, "c").sequence;
  ASSERT_TRUE(backend_.log().Trim(3, first).ok());
  backend_.OpenAgain();
  EXPECT_EQ(Append(3, first, "stale").outcome, AppendOutcome::kConflict);
  EXPECT_EQ(Append(3, 0, "of a new shard").outcome, AppendOutcome::kConflict);
  const Sequence third = Append(3, second, "d").sequence;
  EXPECT_LT(second, third);
  EXPECT_EQ(Append(200, other, "e").outcome, AppendOutcome::kCommitted);
  Collector<std::pair<Sequence, std::string>> seen;
  auto tail = backend_.log().Tail(3, 0, [&](ShardId, const LogRecord& record) {
    seen.Put({record.sequence, std::string(record.bytes)});
  });
  ASSERT_TRUE(seen.Await(backend_, 2));
  EXPECT_THAT(seen.Take(), ElementsAre(Pair(second, "b"), Pair(third, "d")));
}

TEST_F(SqliteAgainTest, AnEventIsKnownWithinItsWindow) {
  const uint64_t a = Publish("a", "1"), b = Publish("b", "2");
  backend_.Pass(absl::Seconds(60));
  backend_.OpenAgain();
  EXPECT_EQ(backend_.stream().LastSequence(), b);
  EXPECT_EQ(Publish("a", "1"), a);
  backend_.Pass(absl::Seconds(61));
  EXPECT_EQ(Publish("a", "1"), b + 1);
}

TEST_F(SqliteAgainTest, RevisionsGoOnAndBucketsAreApart) {
  const uint64_t first = *backend_.kv().Put("key", "1");
  ASSERT_TRUE(backend_.kv().Delete("key").ok());
  ASSERT_TRUE(backend_.kv_with_ttl().Put("key", "other").ok());
  backend_.OpenAgain();
  EXPECT_TRUE(absl::IsNotFound(backend_.kv().Get("key").status()));
  const uint64_t second = *backend_.kv().Update("key", "2", 0);
  EXPECT_LT(first, second);
  EXPECT_EQ(backend_.kv().Get("key")->value, "2");
  EXPECT_EQ(backend_.kv_with_ttl().Get("key")->value, "other");
}

TEST_F(SqliteAgainTest, DefinitionsAreThereAndLoad) {
  const auto load = [](const std::string& version) {
    return dsl::Load("document: {dsl: '1.0.3', namespace: test, name: a, version: '" + version +
                     "'}\ndo: [{one: {set: {value: 1}}}]\n")
        .workflow;
  };
  ASSERT_TRUE(backend_.definitions().Put(load("1.9.0")).ok());
  ASSERT_TRUE(backend_.definitions().Put(load("1.10.0")).ok());
  backend_.OpenAgain();
  EXPECT_THAT(backend_.definitions().List(), ElementsAre("test/a:1.10.0", "test/a:1.9.0"));
  EXPECT_EQ((*backend_.definitions().GetLatest("test/a"))->version, "1.10.0");
  EXPECT_EQ((*backend_.definitions().Get("test/a:1.9.0"))->tasks.size(), 1u);
  EXPECT_TRUE(backend_.definitions().Put(load("1.9.0")).ok());
}

}  // namespace
}  // namespace jaque
