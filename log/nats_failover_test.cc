// SPDX-License-Identifier: Apache-2.0
// The log on three servers, whose leader dies (design, section 9).
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "base/clock.h"
#include "gtest/gtest.h"
#include "log/nats_event_log.h"
#include "nats/jetstream.h"
#include "tests/support/nats_server.h"

namespace jaque {
namespace {

class NatsFailoverTest : public testing::Test {
 protected:
  void SetUp() override {
    auto servers = NatsServer::StartCluster(3);
    if (absl::IsNotFound(servers.status())) {
      GTEST_SKIP() << "skipped: " << servers.status().message();
    }
    ASSERT_TRUE(servers.ok()) << servers.status();
    servers_ = *std::move(servers);
    nats::ConnectionOptions options{.name = "test"};
    for (const auto& server : servers_) options.urls.push_back(server->url());
    auto connection = nats::Connection::Connect(options);
    ASSERT_TRUE(connection.ok()) << connection.status();
    connection_ = *std::move(connection);
    while (!nats::CallApi(*connection_, "$JS.API.INFO", "", absl::Seconds(1)).ok()) {
    }
    auto log = NatsEventLog::Open(connection_.get(), *nats::Names::Make("jaque"), {.replicas = 3});
    ASSERT_TRUE(log.ok()) << log.status();
    log_ = *std::move(log);
  }

  AppendResult Append(Sequence expected, const std::string& bytes) {
    struct Pending {
      absl::Notification done;
      AppendResult result;
    };
    auto pending = std::make_shared<Pending>();
    log_->Append(0, expected, bytes, bytes, [pending](AppendResult result) {
      pending->result = std::move(result);
      pending->done.Notify();
    });
    EXPECT_TRUE(pending->done.WaitForNotificationWithTimeout(absl::Seconds(60)));
    return pending->result;
  }

  NatsServer* Leader() {
    const auto info = nats::CallApi(*connection_, "$JS.API.STREAM.INFO.JAQUE_LOG", "");
    EXPECT_TRUE(info.ok()) << info.status();
    const Value* leader = info->FindPath({"cluster", "leader"});
    EXPECT_NE(leader, nullptr);
    for (const auto& server : servers_) {
      if (leader != nullptr && server->name() == leader->AsString()) return server.get();
    }
    return nullptr;
  }

  std::vector<std::unique_ptr<NatsServer>> servers_;
  std::unique_ptr<nats::Connection> connection_;
  std::unique_ptr<NatsEventLog> log_;
};

TEST_F(NatsFailoverTest, AppendsGoOnAfterTheLeadersDeathAndNothingIsLost) {
  Sequence last = 0;
  std::vector<std::string> appended;
  absl::Duration longest;
  for (int i = 0; i < 300; ++i) {
    if (i == 100) {
      NatsServer* leader = Leader();
      ASSERT_NE(leader, nullptr);
      leader->Kill();
    }
    appended.push_back(absl::StrCat(i));
    const absl::Duration start = SystemClock().Monotonic();
    const AppendResult result = Append(last, appended.back());
    longest = std::max(longest, SystemClock().Monotonic() - start);
    ASSERT_EQ(result.outcome, AppendOutcome::kCommitted) << result.status;
    last = result.sequence;
  }
  std::printf("longest append with the leader's death in it: %s\n",
              absl::FormatDuration(longest).c_str());
  EXPECT_LT(longest, absl::Seconds(20));
  std::vector<std::string> stored;
  const absl::Status read = log_->Read(0, 0, [&](const LogRecord& record) {
    stored.emplace_back(record.bytes);
    return absl::OkStatus();
  });
  EXPECT_TRUE(read.ok()) << read;
  EXPECT_EQ(stored, appended);
}

}  // namespace
}  // namespace jaque
