// SPDX-License-Identifier: Apache-2.0
// The wrapper over a real server.
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nats/bucket.h"
#include "nats/connection.h"
#include "nats/jetstream.h"
#include "nats/pull_consumer.h"
#include "nats/stream_reader.h"
#include "tests/support/nats_server.h"

namespace jaque::nats {
namespace {

constexpr absl::Duration kLong = absl::Seconds(30);

class NatsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = NatsServer::Start();
    if (absl::IsNotFound(server.status())) GTEST_SKIP() << "skipped: " << server.status().message();
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    connection_ = MustConnect();
  }

  std::unique_ptr<Connection> MustConnect() {
    auto connection = Connection::Connect({.urls = {server_->url()}, .name = "test"});
    EXPECT_TRUE(connection.ok()) << connection.status();
    return *std::move(connection);
  }

  StreamSpec Spec() { return {.name = "S", .subjects = "s.>"}; }

  uint64_t MustPublish(const std::string& subject, const std::string& data) {
    const auto ack = PublishStoredAndWait(*connection_, subject, {}, data);
    EXPECT_TRUE(ack.ok()) << ack.status();
    return ack.ok() ? ack->sequence : 0;
  }

  std::unique_ptr<NatsServer> server_;
  std::unique_ptr<Connection> connection_;
};

// Texts from callbacks.
class Texts {
 public:
  void Put(std::string_view text) {
    absl::MutexLock lock(&mutex_);
    texts_.emplace_back(text);
  }
  std::vector<std::string> Await(size_t count) {
    absl::MutexLock lock(&mutex_);
    const auto enough = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return texts_.size() >= count;
    };
    EXPECT_TRUE(mutex_.AwaitWithTimeout(absl::Condition(&enough), kLong));
    return texts_;
  }

 private:
  absl::Mutex mutex_;
  std::vector<std::string> texts_ ABSL_GUARDED_BY(mutex_);
};

TEST_F(NatsTest, NoServerIsUnavailable) {
  const auto connection = Connection::Connect({.urls = {"nats://127.0.0.1:1"}});
  EXPECT_TRUE(absl::IsUnavailable(connection.status())) << connection.status();
}

TEST_F(NatsTest, RequestAndReply) {
  auto echo = connection_->Subscribe("echo", [&](Message message) {
    EXPECT_EQ(message.header("Kind"), "test");
    EXPECT_EQ(message.header("absent"), "");
    connection_->Publish(std::string(message.reply()), "", {}, message.data()).IgnoreError();
  });
  ASSERT_TRUE(echo.ok());
  const auto reply = connection_->RequestAndWait("echo", {{"Kind", "test"}}, "hello", kLong);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->data(), "hello");
  EXPECT_TRUE(absl::IsUnavailable(connection_->RequestAndWait("nobody", {}, "", kLong).status()));
  auto silent = connection_->Subscribe("silent", [](Message) {});
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      connection_->RequestAndWait("silent", {}, "", absl::Milliseconds(50)).status()));
}

TEST_F(NatsTest, WhatIsTooLargeIsRefusedAndTheConnectionLives) {
  const std::string large(connection_->max_payload() + 1, 'x');
  EXPECT_TRUE(absl::IsInvalidArgument(connection_->Publish("a", "", {}, large)));
  const std::string fits(connection_->max_payload(), 'x');
  EXPECT_TRUE(absl::IsInvalidArgument(connection_->Publish("a", "", {{"a", "b"}}, fits)));
  EXPECT_TRUE(connection_->Publish("a", "", {}, fits).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(connection_->Publish("a", "", {{"a", "b\r\nc: d"}}, "")));
  EXPECT_TRUE(CallApi(*connection_, "$JS.API.INFO", "").ok());
}

TEST_F(NatsTest, RequestsEndWhenTheConnectionBreaks) {
  auto silent = connection_->Subscribe("silent", [](Message) {});
  absl::Notification answered;
  absl::Status status;
  connection_->Request("silent", {}, "", kLong, [&](absl::StatusOr<Message> answer) {
    status = answer.status();
    answered.Notify();
  });
  server_->Kill();
  ASSERT_TRUE(answered.WaitForNotificationWithTimeout(kLong));
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_TRUE(absl::IsUnavailable(connection_->RequestAndWait("x", {}, "", kLong).status()));
}

TEST_F(NatsTest, AStreamIsMadeOnceAndCheckedAfterwards) {
  EXPECT_TRUE(EnsureStream(*connection_, Spec()).ok());
  EXPECT_TRUE(EnsureStream(*connection_, Spec()).ok());
  auto tighter = Spec();
  tighter.dedup_window = absl::Minutes(5);
  const absl::Status status = EnsureStream(*connection_, tighter);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("duplicate window"));
}

TEST_F(NatsTest, HarmfulStreamsAreNamed) {
  const std::vector<std::pair<std::string, std::string>> harmful = {
      {"\"storage\":\"memory\"", "storage is not file"},
      {"\"storage\":\"file\",\"retention\":\"interest\"", "retention is interest"},
      {"\"storage\":\"file\",\"max_age\":60000000000,\"duplicate_window\":60000000000",
       "too early"},
      {"\"storage\":\"file\",\"max_msgs\":5", "too few messages"},
      {"\"storage\":\"file\",\"max_bytes\":100000", "forget the oldest"},
      {"\"storage\":\"file\",\"max_msg_size\":100", "limited in size"},
      {"\"storage\":\"file\",\"no_ack\":true", "does not acknowledge"},
      {"\"storage\":\"file\",\"deny_purge\":true", "cannot be purged"},
  };
  int n = 0;
  for (const auto& [config, word] : harmful) {
    const std::string name = absl::StrCat("H", ++n), subject = absl::StrCat("h", n);
    const auto made = CallApi(*connection_, "$JS.API.STREAM.CREATE." + name,
                              absl::StrCat("{\"name\":\"", name, "\",\"subjects\":[\"", subject,
                                           "\"],\"num_replicas\":1,", config, "}"));
    ASSERT_TRUE(made.ok()) << made.status();
    const absl::Status status = EnsureStream(*connection_, {.name = name, .subjects = subject});
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << config;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(word));
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(name));
  }
}

TEST_F(NatsTest, HarmfulConsumersAreNamed) {
  ASSERT_TRUE(EnsureStream(*connection_, Spec()).ok());
  ConsumerSpec spec{.stream = "S", .name = "c", .filter = "s.a"};
  EXPECT_TRUE(EnsureConsumer(*connection_, spec).ok());
  EXPECT_TRUE(EnsureConsumer(*connection_, spec).ok());
  spec.ack_wait = absl::Seconds(7);
  EXPECT_TRUE(absl::IsFailedPrecondition(EnsureConsumer(*connection_, spec)));
  spec.filter = "s.b";
  EXPECT_THAT(std::string(EnsureConsumer(*connection_, spec).message()),
              testing::HasSubstr("filters otherwise"));
}

TEST_F(NatsTest, APullConsumerIsMadeAnewWhenItVanishes) {
  ASSERT_TRUE(EnsureStream(*connection_, Spec()).ok());
  const ConsumerSpec spec{.stream = "S", .name = "c", .filter = "s.a"};
  ASSERT_TRUE(EnsureConsumer(*connection_, spec).ok());
  PullConsumer consumer(connection_.get(), spec);
  ASSERT_TRUE(CallApi(*connection_, "$JS.API.CONSUMER.DELETE.S.c", "").ok());
  MustPublish("s.a", "x");
  Texts texts;
  std::function<void()> pull = [&] {
    consumer.Pull(10, absl::Seconds(5), [&](std::vector<Message> messages) {
      for (const Message& message : messages) texts.Put(message.data());
      if (messages.empty()) pull();
    });
  };
  pull();
  EXPECT_THAT(texts.Await(1), testing::ElementsAre("x"));
}

TEST_F(NatsTest, WhatIsUnderWayToAPullConsumerThatGoesIsHandedBack) {
  ASSERT_TRUE(EnsureStream(*connection_, Spec()).ok());
  // Long enough that nobody sees a second delivery which was not asked for.
  const ConsumerSpec spec{.stream = "S", .name = "c", .filter = "s.a", .ack_wait = absl::Hours(1)};
  ASSERT_TRUE(EnsureConsumer(*connection_, spec).ok());
  MustPublish("s.a", "1");
  MustPublish("s.a", "2");
  auto consumer = std::make_unique<PullConsumer>(connection_.get(), spec);
  absl::Notification busy, go_on;
  consumer->Pull(1, kLong, [&](std::vector<Message> first) {
    // While this thread is held up, the second message comes and waits behind it.
    consumer->Pull(1, kLong, [&](std::vector<Message> second) {
      for (const Message& message : second) {
        HandBack(*connection_, message.reply(), absl::ZeroDuration());
      }
    });
    Acknowledge(*connection_, first[0].reply());
    busy.Notify();
    go_on.WaitForNotification();
  });
  busy.WaitForNotification();
  auto gone = std::async(std::launch::async, [&] { consumer.reset(); });
  PullConsumer other(connection_.get(), spec);
  Texts texts;
  other.Pull(1, kLong, [&](std::vector<Message> messages) {
    for (const Message& message : messages) texts.Put(message.data());
  });
  go_on.Notify();
  gone.get();
  EXPECT_THAT(texts.Await(1), testing::ElementsAre("2"));
}

TEST_F(NatsTest, ReadsOnAfterARestart) {
  ASSERT_TRUE(EnsureStream(*connection_, Spec()).ok());
  Texts texts;
  absl::Notification caught_up;
  StreamReader reader(
      connection_.get(), {.stream = "S", .filter = "s.a"},
      [&](uint64_t, const Message& message) { texts.Put(message.data()); },
      [&] { caught_up.Notify(); });
  ASSERT_TRUE(caught_up.WaitForNotificationWithTimeout(kLong));
  MustPublish("s.a", "1");
  MustPublish("s.b", "not for it");
  texts.Await(1);
  absl::Notification reconnected;
  auto listener = connection_->Listen([] {}, [&] { reconnected.Notify(); });
  server_->Kill();
  ASSERT_TRUE(server_->Restart().ok());
  ASSERT_TRUE(reconnected.WaitForNotificationWithTimeout(kLong));
  listener.reset();
  MustPublish("s.a", "2");
  MustPublish("s.a", "3");
  EXPECT_THAT(texts.Await(3), testing::ElementsAre("1", "2", "3"));
}

TEST_F(NatsTest, ReadsOnWhenItsConsumerIsDeleted) {
  ASSERT_TRUE(EnsureStream(*connection_, Spec()).ok());
  Texts texts;
  StreamReader reader(connection_.get(), {.stream = "S", .filter = "s.a"},
                      [&](uint64_t, const Message& message) { texts.Put(message.data()); });
  MustPublish("s.a", "1");
  texts.Await(1);
  const auto names = CallApi(*connection_, "$JS.API.CONSUMER.NAMES.S", "");
  ASSERT_TRUE(names.ok());
  const std::string name(names->Find("consumers")->at(0).AsString());
  ASSERT_TRUE(CallApi(*connection_, "$JS.API.CONSUMER.DELETE.S." + name, "").ok());
  MustPublish("s.a", "2");
  EXPECT_THAT(texts.Await(2), testing::ElementsAre("1", "2"));
}

TEST_F(NatsTest, ReadStoredReadsMoreThanOneBatch) {
  ASSERT_TRUE(EnsureStream(*connection_, Spec()).ok());
  constexpr int kMessages = 1'500;
  for (int i = 0; i < kMessages; ++i) {
    ASSERT_TRUE(connection_->Publish("s.a", "", {}, absl::StrCat(i)).ok());
  }
  MustPublish("s.a", "last");
  int count = 0;
  uint64_t before = 0;
  const absl::Status status =
      ReadStored(*connection_, {.stream = "S", .filter = "s.a"},
                 [&](uint64_t sequence, const Message& message) {
                   EXPECT_GT(sequence, std::exchange(before, sequence));
                   EXPECT_EQ(message.data(), count < kMessages ? absl::StrCat(count) : "last");
                   ++count;
                   return absl::OkStatus();
                 });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(count, kMessages + 1);
}

TEST_F(NatsTest, Bucket) {
  const auto bucket = Bucket::Open(connection_.get(), "b", 1, absl::ZeroDuration());
  ASSERT_TRUE(bucket.ok()) << bucket.status();
  EXPECT_TRUE(absl::IsNotFound(bucket->Get("k").status()));
  const auto first = bucket->Update("k", "1", 0);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(absl::IsAborted(bucket->Update("k", "2", 0).status()));
  EXPECT_TRUE(absl::IsAborted(bucket->Update("k", "2", *first + 1).status()));
  const auto second = bucket->Update("k", "2", *first);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(bucket->Get("k")->value, "2");
  EXPECT_EQ(bucket->Get("k")->revision, *second);
  ASSERT_TRUE(bucket->Put("other", "x").ok());
  EXPECT_EQ(bucket->List()->size(), 2u);
  ASSERT_TRUE(bucket->Delete("k").ok());
  EXPECT_TRUE(absl::IsNotFound(bucket->Get("k").status()));
  EXPECT_EQ(bucket->List()->size(), 1u);
  EXPECT_TRUE(bucket->Update("k", "again", 0).ok());
}

}  // namespace
}  // namespace jaque::nats
