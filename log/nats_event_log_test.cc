// SPDX-License-Identifier: Apache-2.0
// What happens to appends when the server fails; the rest is the contract's (tests/contract).
#include "log/nats_event_log.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/nats_server.h"

namespace jaque {
namespace {

constexpr absl::Duration kLong = absl::Seconds(60);

// The result of an append, awaited where it is wanted.
struct Pending {
  absl::Notification done;
  AppendResult result;
};

class NatsEventLogTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = NatsServer::Start();
    if (absl::IsNotFound(server.status())) GTEST_SKIP() << "skipped: " << server.status().message();
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    auto connection = nats::Connection::Connect({.urls = {server_->url()}, .name = "test"});
    ASSERT_TRUE(connection.ok()) << connection.status();
    connection_ = *std::move(connection);
    Open({});
  }

  void Open(const NatsEventLogOptions& options) {
    auto log = NatsEventLog::Open(connection_.get(), *nats::Names::Make("jaque"), options);
    ASSERT_TRUE(log.ok()) << log.status();
    log_ = *std::move(log);
  }

  std::shared_ptr<Pending> Start(ShardId shard, Sequence expected, const std::string& id,
                                 const std::string& bytes) {
    auto pending = std::make_shared<Pending>();
    log_->Append(shard, expected, id, bytes, [pending](AppendResult result) {
      pending->result = std::move(result);
      pending->done.Notify();
    });
    return pending;
  }

  AppendResult Append(ShardId shard, Sequence expected, const std::string& id,
                      const std::string& bytes) {
    const auto pending = Start(shard, expected, id, bytes);
    EXPECT_TRUE(pending->done.WaitForNotificationWithTimeout(kLong));
    return pending->result;
  }

  std::vector<std::string> Read(ShardId shard) {
    std::vector<std::string> records;
    EXPECT_TRUE(log_->Read(shard, 0,
                           [&](const LogRecord& record) {
                             records.emplace_back(record.bytes);
                             return absl::OkStatus();
                           })
                    .ok());
    return records;
  }

  std::unique_ptr<NatsServer> server_;
  std::unique_ptr<nats::Connection> connection_;
  std::unique_ptr<NatsEventLog> log_;
};

TEST_F(NatsEventLogTest, AnAppendOutlivesTheServersDeath) {
  const AppendResult first = Append(0, 0, "a", "a");
  ASSERT_EQ(first.outcome, AppendOutcome::kCommitted) << first.status;
  server_->Kill();
  const auto second = Start(0, first.sequence, "b", "b");
  ASSERT_TRUE(server_->Restart().ok());
  ASSERT_TRUE(second->done.WaitForNotificationWithTimeout(kLong));
  EXPECT_EQ(second->result.outcome, AppendOutcome::kCommitted) << second->result.status;
  EXPECT_THAT(Read(0), testing::ElementsAre("a", "b"));
}

TEST_F(NatsEventLogTest, NothingIsLostOrDoubledWhileTheServerDiesAgainAndAgain) {
  constexpr int kRounds = 3, kRecords = 200;
  Sequence last = 0;
  std::vector<std::string> appended;
  for (int round = 0; round < kRounds; ++round) {
    // One append after another, the server dying in the midst of them.
    for (int i = 0; i < kRecords; ++i) {
      const std::string bytes = absl::StrCat(round, "/", i);
      const auto pending = Start(0, last, bytes, bytes);
      if (i == kRecords / 2) {
        server_->Kill();
        ASSERT_TRUE(server_->Restart().ok());
      }
      ASSERT_TRUE(pending->done.WaitForNotificationWithTimeout(kLong));
      ASSERT_EQ(pending->result.outcome, AppendOutcome::kCommitted) << pending->result.status;
      last = pending->result.sequence;
      appended.push_back(bytes);
    }
  }
  EXPECT_EQ(Read(0), appended);
}

TEST_F(NatsEventLogTest, AServerThatStandsStillDelaysAnAppend) {
  const AppendResult first = Append(0, 0, "a", "a");
  server_->Stand();
  const auto second = Start(0, first.sequence, "b", "b");
  EXPECT_FALSE(second->done.WaitForNotificationWithTimeout(absl::Seconds(3)));
  server_->GoOn();
  ASSERT_TRUE(second->done.WaitForNotificationWithTimeout(kLong));
  EXPECT_EQ(second->result.outcome, AppendOutcome::kCommitted) << second->result.status;
  EXPECT_THAT(Read(0), testing::ElementsAre("a", "b"));
}

TEST_F(NatsEventLogTest, WithoutAServerTheOutcomeIsUnknownInTheEnd) {
  Open({.append_within = absl::Milliseconds(300)});
  server_->Kill();
  const AppendResult result = Append(0, 0, "a", "a");
  EXPECT_EQ(result.outcome, AppendOutcome::kUnknown);
  EXPECT_FALSE(result.status.ok());
}

TEST_F(NatsEventLogTest, AnAppendUnderWayEndsUnknownWithTheLog) {
  server_->Kill();
  const auto pending = Start(0, 0, "a", "a");
  log_.reset();
  ASSERT_TRUE(pending->done.WaitForNotificationWithTimeout(kLong));
  EXPECT_EQ(pending->result.outcome, AppendOutcome::kUnknown);
}

TEST_F(NatsEventLogTest, WhatIsTooLargeIsRefusedAndHurtsNobodyElse) {
  const auto other = Start(1, 0, "other", "x");
  const AppendResult result = Append(0, 0, "large", std::string(connection_->max_payload(), 'x'));
  EXPECT_EQ(result.outcome, AppendOutcome::kConflict);
  EXPECT_TRUE(absl::IsInvalidArgument(result.status)) << result.status;
  ASSERT_TRUE(other->done.WaitForNotificationWithTimeout(kLong));
  EXPECT_EQ(other->result.outcome, AppendOutcome::kCommitted);
  EXPECT_EQ(Append(0, 0, "small", "x").outcome, AppendOutcome::kCommitted);
}

TEST_F(NatsEventLogTest, ATailGoesOnAfterTheServersDeath) {
  absl::Mutex mutex;
  std::vector<std::string> seen;
  auto tail = log_->Tail(0, 0, [&](ShardId, const LogRecord& record) {
    absl::MutexLock lock(&mutex);
    seen.emplace_back(record.bytes);
  });
  Sequence last = 0;
  std::vector<std::string> appended;
  for (int i = 0; i < 30; ++i) {
    appended.push_back(absl::StrCat(i));
    if (i % 10 == 5) {
      server_->Kill();
      ASSERT_TRUE(server_->Restart().ok());
    }
    const AppendResult result = Append(0, last, appended.back(), appended.back());
    ASSERT_EQ(result.outcome, AppendOutcome::kCommitted) << result.status;
    last = result.sequence;
  }
  absl::MutexLock lock(&mutex);
  const auto all = [&] { return seen.size() >= appended.size(); };
  EXPECT_TRUE(mutex.AwaitWithTimeout(absl::Condition(&all), kLong));
  EXPECT_EQ(seen, appended);
}

}  // namespace
}  // namespace jaque
