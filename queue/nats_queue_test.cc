// SPDX-License-Identifier: Apache-2.0
// What happens to the queues when a server or a process fails; the rest is the contracts'.
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nats/jetstream.h"
#include "queue/nats_command_bus.h"
#include "queue/nats_dead_letters.h"
#include "queue/nats_event_stream.h"
#include "queue/nats_task_cancels.h"
#include "queue/nats_task_queue.h"
#include "tests/support/nats_server.h"

namespace jaque {
namespace {

constexpr absl::Duration kLong = absl::Seconds(60);
using Deliveries = std::vector<std::unique_ptr<TaskDelivery>>;

// What callbacks bring.
template <typename T>
class Box {
 public:
  void Put(T item) {
    absl::MutexLock lock(&mutex_);
    items_.push_back(std::move(item));
  }
  bool Await(size_t count, absl::Duration within = kLong) {
    absl::MutexLock lock(&mutex_);
    const auto enough = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return items_.size() >= count;
    };
    return mutex_.AwaitWithTimeout(absl::Condition(&enough), within);
  }
  std::vector<T> Take() {
    absl::MutexLock lock(&mutex_);
    return std::exchange(items_, {});
  }

 private:
  absl::Mutex mutex_;
  std::vector<T> items_ ABSL_GUARDED_BY(mutex_);
};

class NatsQueueTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = NatsServer::Start();
    if (absl::IsNotFound(server.status())) GTEST_SKIP() << "skipped: " << server.status().message();
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    connection_ = Connect();
  }
  std::unique_ptr<nats::Connection> Connect() {
    auto connection = nats::Connection::Connect({.urls = {server_->url()}, .name = "test"});
    EXPECT_TRUE(connection.ok()) << connection.status();
    return *std::move(connection);
  }
  void RestartServer() {
    server_->Kill();
    ASSERT_TRUE(server_->Restart().ok());
  }

  const nats::Names names_ = *nats::Names::Make("jaque");
  std::unique_ptr<NatsServer> server_;
  std::unique_ptr<nats::Connection> connection_;
};

class NatsTaskQueueTest : public NatsQueueTest {
 protected:
  void SetUp() override {
    NatsQueueTest::SetUp();
    if (IsSkipped()) return;
    auto queue =
        NatsTaskQueue::Open(connection_.get(), names_, {"p"}, {.ack_wait = absl::Seconds(1)});
    ASSERT_TRUE(queue.ok()) << queue.status();
    queue_ = *std::move(queue);
  }

  // Publishes until it is stored; the id makes that safe.
  void Publish(const std::string& id) {
    Box<absl::Status> results;
    std::function<void()> publish = [&] {
      queue_->Publish("p", id, id, [&](absl::Status status) { results.Put(std::move(status)); });
    };
    publish();
    while (results.Await(1)) {
      if (results.Take().front().ok()) return;
      publish();
    }
    ADD_FAILURE() << "never stored";
  }

  // Pulls for ever, acknowledging; ends with the test.
  void Work(Box<std::string>* done) {
    queue_->Pull("p", 10, absl::Seconds(1), [this, done](Deliveries deliveries) {
      for (auto& delivery : deliveries) {
        delivery->Ack();
        done->Put(delivery->bytes());
      }
      absl::MutexLock lock(&mutex_);
      if (working_) Work(done);
    });
  }
  void TearDown() override {
    absl::MutexLock lock(&mutex_);
    working_ = false;
  }

  absl::Mutex mutex_;
  bool working_ ABSL_GUARDED_BY(mutex_) = true;
  std::unique_ptr<NatsTaskQueue> queue_;
};

TEST_F(NatsTaskQueueTest, WorkGoesOnAfterTheServersDeath) {
  Box<std::string> done;
  Work(&done);
  std::vector<std::string> published;
  for (int i = 0; i < 40; ++i) {
    if (i % 20 == 10) RestartServer();
    published.push_back(absl::StrCat(i));
    Publish(published.back());
  }
  // At least once: an acknowledgement may be lost, and then a task comes again.
  std::set<std::string> missing(published.begin(), published.end());
  while (!missing.empty() && done.Await(1)) {
    for (const std::string& task : done.Take()) missing.erase(task);
  }
  EXPECT_THAT(missing, testing::IsEmpty());
}

TEST_F(NatsTaskQueueTest, ATaskOfADeadProcessGoesToAnother) {
  Publish("x");
  {
    auto dead = Connect();
    auto queue = NatsTaskQueue::Open(dead.get(), names_, {"p"}, {.ack_wait = absl::Seconds(1)});
    ASSERT_TRUE(queue.ok());
    Box<Deliveries> taken;
    (*queue)->Pull("p", 1, kLong, [&](Deliveries d) { taken.Put(std::move(d)); });
    ASSERT_TRUE(taken.Await(1));
  }
  Box<std::string> done;
  Work(&done);
  ASSERT_TRUE(done.Await(1));
  EXPECT_THAT(done.Take(), testing::ElementsAre("x"));
}

TEST_F(NatsTaskQueueTest, TheConsumerMayVanish) {
  Box<std::string> done;
  Work(&done);
  const std::string consumer = "$JS.API.CONSUMER.DELETE.JAQUE_TASKS.pool-p";
  ASSERT_TRUE(nats::CallApi(*connection_, consumer, "").ok());
  Publish("x");
  ASSERT_TRUE(done.Await(1));
}

TEST_F(NatsQueueTest, AClaimOfADeadEngineGoesToAnother) {
  const NatsCommandBusOptions options{.ack_wait = absl::Seconds(1)};
  auto bus = NatsCommandBus::Open(connection_.get(), connection_.get(), names_, options);
  ASSERT_TRUE(bus.ok()) << bus.status();
  Box<absl::StatusOr<std::string>> replies;
  Box<CommandBus::ReplyFn> held;
  {
    auto dying = Connect();
    auto other = NatsCommandBus::Open(dying.get(), dying.get(), names_, options);
    ASSERT_TRUE(other.ok());
    auto service = (*other)->Serve(
        "a", [&](std::string, bool, CommandBus::ReplyFn reply) { held.Put(std::move(reply)); });
    (*bus)->Submit("x", "id", kLong,
                   [&](absl::StatusOr<std::string> reply) { replies.Put(std::move(reply)); });
    ASSERT_TRUE(held.Await(1));
    // The process dies: nobody renews the claim, and the reply function is never called. It must
    // not be destroyed before the second engine has answered, which would hand the command back at
    // once.
    service.reset();
    auto second = (*bus)->Serve("b", [](std::string command, bool, CommandBus::ReplyFn reply) {
      reply(command + " done by b");
    });
    ASSERT_TRUE(replies.Await(1));
    EXPECT_EQ(*replies.Take().front(), "x done by b");
    held.Take();
  }
}

TEST_F(NatsQueueTest, SubmittedCommandsOutliveTheServersDeath) {
  auto bus = NatsCommandBus::Open(connection_.get(), connection_.get(), names_);
  ASSERT_TRUE(bus.ok()) << bus.status();
  auto service = (*bus)->Serve(
      "a", [](std::string command, bool, CommandBus::ReplyFn reply) { reply(std::move(command)); });
  Box<absl::StatusOr<std::string>> replies;
  server_->Kill();
  (*bus)->Submit("x", "id", kLong,
                 [&](absl::StatusOr<std::string> reply) { replies.Put(std::move(reply)); });
  ASSERT_TRUE(server_->Restart().ok());
  ASSERT_TRUE(replies.Await(1));
  EXPECT_EQ(*replies.Take().front(), "x");
}

TEST_F(NatsQueueTest, DeadLettersAreKeptWithTheReason) {
  auto bus =
      NatsCommandBus::Open(connection_.get(), connection_.get(), names_, {.ingress_attempts = 1});
  ASSERT_TRUE(bus.ok()) << bus.status();
  auto service = (*bus)->Serve("a", [](std::string, bool, CommandBus::ReplyFn reply) {
    reply(absl::UnavailableError("no way"));
  });
  Box<absl::StatusOr<std::string>> replies;
  (*bus)->Submit("the command", "id", kLong,
                 [&](absl::StatusOr<std::string> reply) { replies.Put(std::move(reply)); });
  ASSERT_TRUE(replies.Await(1));
  EXPECT_TRUE(absl::IsAborted(replies.Take().front().status()));
  NatsDeadLetters letters(connection_.get(), names_);
  const auto dead = letters.ListDead(0, 10);
  ASSERT_TRUE(dead.ok()) << dead.status();
  ASSERT_EQ(dead->size(), 1u);
  EXPECT_EQ(dead->front().bytes, "the command");
  EXPECT_THAT(dead->front().reason, testing::HasSubstr("no way"));
  const uint64_t sequence = dead->front().sequence;
  EXPECT_EQ(letters.CountDead().value_or(7), 1u);
  EXPECT_EQ(letters.GetDead(sequence)->bytes, "the command");
  EXPECT_TRUE(letters.ListDead(sequence, 10)->empty());
  EXPECT_TRUE(letters.DropDead(sequence).ok());
  EXPECT_TRUE(absl::IsNotFound(letters.DropDead(sequence)));
  EXPECT_TRUE(letters.ListDead(0, 10)->empty());
  EXPECT_EQ(letters.CountDead().value_or(7), 0u);
}

TEST_F(NatsQueueTest, ALargeReplyBecomesAStatus) {
  auto bus = NatsCommandBus::Open(connection_.get(), connection_.get(), names_);
  ASSERT_TRUE(bus.ok()) << bus.status();
  auto service = (*bus)->Serve("a", [&](std::string, bool, CommandBus::ReplyFn reply) {
    reply(std::string(connection_->max_payload() + 1, 'x'));
  });
  Box<absl::StatusOr<std::string>> replies;
  (*bus)->Send("a", "x", kLong,
               [&](absl::StatusOr<std::string> reply) { replies.Put(std::move(reply)); });
  ASSERT_TRUE(replies.Await(1));
  EXPECT_TRUE(absl::IsResourceExhausted(replies.Take().front().status()));
}

TEST_F(NatsQueueTest, NoticesOfCancellationReachOtherProcesses) {
  auto other = Connect();
  NatsTaskCancels worker(connection_.get(), names_), engine(other.get(), names_);
  Box<TaskCancel> heard;
  auto subscription = worker.Subscribe([&](const TaskCancel& cancel) { heard.Put(cancel); });
  // A round trip: the server knows of the subscription.
  ASSERT_TRUE(nats::CallApi(*connection_, "$JS.API.INFO", "").ok());
  engine.Publish({"instance", 3, 2});
  ASSERT_TRUE(heard.Await(1));
  const TaskCancel cancel = heard.Take().front();
  EXPECT_EQ(cancel.instance_id, "instance");
  EXPECT_EQ(cancel.frame, 3u);
  EXPECT_EQ(cancel.attempt, 2u);
}

TEST_F(NatsQueueTest, EventsGoOnAfterTheServersDeath) {
  auto stream = NatsEventStream::Open(connection_.get(), names_);
  ASSERT_TRUE(stream.ok()) << stream.status();
  Box<std::string> seen;
  auto subscription = (*stream)->Subscribe(
      0, [&](const StreamedEvent& event) { seen.Put(std::string(event.json)); });
  std::vector<std::string> published;
  for (int i = 0; i < 20; ++i) {
    if (i == 10) RestartServer();
    published.push_back(absl::StrCat(i));
    Box<bool> stored;
    const std::function<void()> publish = [&] {
      (*stream)->Publish(published.back(), published.back(),
                         [&](absl::StatusOr<uint64_t> sequence) { stored.Put(sequence.ok()); });
    };
    for (publish(); stored.Await(1) && !stored.Take().front();) publish();
  }
  ASSERT_TRUE(seen.Await(published.size()));
  EXPECT_EQ(seen.Take(), published);
}

}  // namespace
}  // namespace jaque
