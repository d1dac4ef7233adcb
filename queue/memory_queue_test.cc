// SPDX-License-Identifier: Apache-2.0
// What only the memory siblings do; the rest is the contracts' (tests/contract).
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/simulated_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "queue/memory_command_bus.h"
#include "queue/memory_event_stream.h"
#include "queue/memory_task_queue.h"

namespace jaque {
namespace {

using Deliveries = std::vector<std::unique_ptr<TaskDelivery>>;

absl::Status PublishTask(TaskQueue& queue, const std::string& id) {
  absl::Status result = absl::UnknownError("not called");
  queue.Publish("p", id, id, [&](absl::Status status) { result = std::move(status); });
  return result;
}

TEST(MemoryTaskQueue, IsBounded) {
  SimulatedClock clock;
  MemoryTaskQueue queue(&clock, {.capacity = 2});
  EXPECT_TRUE(PublishTask(queue, "a").ok());
  EXPECT_TRUE(PublishTask(queue, "b").ok());
  EXPECT_TRUE(absl::IsResourceExhausted(PublishTask(queue, "c")));
  EXPECT_TRUE(PublishTask(queue, "a").ok());  // stored already
  queue.Pull("p", 1, absl::ZeroDuration(), [](Deliveries d) { d.at(0)->Ack(); });
  EXPECT_TRUE(PublishTask(queue, "c").ok());
}

TEST(MemoryTaskQueue, CallbacksMayUseTheQueue) {
  SimulatedClock clock;
  MemoryTaskQueue queue(&clock);
  std::vector<std::string> seen;
  queue.Pull("p", 1, absl::Seconds(1), [&](Deliveries d) {
    seen.push_back(d.at(0)->bytes());
    EXPECT_TRUE(PublishTask(queue, "b").ok());
    queue.Pull("p", 1, absl::Seconds(1), [&](Deliveries e) {
      seen.push_back(e.at(0)->bytes());
      e.at(0)->Nak(absl::ZeroDuration());
      d.at(0)->Ack();
      e.at(0)->Ack();
    });
  });
  EXPECT_TRUE(PublishTask(queue, "a").ok());
  EXPECT_THAT(seen, testing::ElementsAre("a", "b"));
  EXPECT_EQ(queue.size(), 0u);
}

TEST(MemoryTaskQueue, ADeliveryMayOutliveTheQueue) {
  SimulatedClock clock;
  std::optional<MemoryTaskQueue> queue(std::in_place, &clock);
  Deliveries held;
  EXPECT_TRUE(PublishTask(*queue, "a").ok());
  queue->Pull("p", 1, absl::ZeroDuration(), [&](Deliveries d) { held = std::move(d); });
  bool called = false;
  queue->Pull("p", 1, absl::Hours(1), [&](Deliveries) { called = true; });
  queue.reset();
  held.at(0)->InProgress();
  held.at(0)->Ack();
  EXPECT_FALSE(called);
}

TEST(MemoryTaskQueue, ServesWaitingPullsInTurn) {
  SimulatedClock clock;
  MemoryTaskQueue queue(&clock);
  std::vector<int> served;
  for (int i = 0; i < 3; ++i) {
    queue.Pull("p", 1, absl::Seconds(1), [&served, i](Deliveries) { served.push_back(i); });
  }
  for (const char* id : {"a", "b", "c"}) EXPECT_TRUE(PublishTask(queue, id).ok());
  EXPECT_THAT(served, testing::ElementsAre(0, 1, 2));
}

TEST(MemoryTaskQueue, ComesAgainBeforeWhatWasNeverTried) {
  SimulatedClock clock;
  MemoryTaskQueue queue(&clock);
  EXPECT_TRUE(PublishTask(queue, "a").ok());
  EXPECT_TRUE(PublishTask(queue, "b").ok());
  queue.Pull("p", 1, absl::ZeroDuration(), [](Deliveries) {});
  clock.Advance(MemoryTaskQueue::Options().ack_wait - absl::Microseconds(1));
  queue.ExpireOverdue();
  std::vector<std::string> order;
  const auto take = [&order](Deliveries d) { order.push_back(d.empty() ? "-" : d[0]->bytes()); };
  clock.Advance(absl::Microseconds(1));
  queue.ExpireOverdue();
  for (int i = 0; i < 3; ++i) queue.Pull("p", 1, absl::ZeroDuration(), take);
  EXPECT_THAT(order, testing::ElementsAre("a", "b", "-"));
}

TEST(MemoryCommandBus, IsBounded) {
  SimulatedClock clock;
  MemoryCommandBus bus(&clock, {.capacity = 2});
  std::vector<absl::StatusCode> replies;
  const auto reply = [&](absl::StatusOr<std::string> r) { replies.push_back(r.status().code()); };
  auto service = bus.Serve("e", [](std::string, bool, CommandBus::ReplyFn) {});
  for (int i = 0; i < 3; ++i) bus.Send("e", "x", absl::Seconds(1), reply);
  bus.Submit("x", "id", absl::Seconds(1), reply);
  EXPECT_THAT(replies, testing::Each(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(replies.size(), 2u);
  clock.Advance(absl::Seconds(1));
  bus.ExpireOverdue();
  EXPECT_EQ(replies.size(), 4u);
  bus.Submit("x", "id", absl::Seconds(1), reply);
  EXPECT_EQ(replies.size(), 4u);
}

TEST(MemoryCommandBus, WaitsLongerBeforeEachAttempt) {
  SimulatedClock clock;
  MemoryCommandBus bus(&clock, {.ingress_attempts = 4, .ingress_backoff = absl::Seconds(1)});
  std::vector<absl::Duration> attempts;
  const absl::Duration start = clock.Monotonic();
  auto service = bus.Serve("e", [&](std::string, bool from_ingress, CommandBus::ReplyFn) {
    EXPECT_TRUE(from_ingress);
    attempts.push_back(clock.Monotonic() - start);
  });
  absl::Status result;
  bus.Submit("x", "id", absl::Minutes(5),
             [&](absl::StatusOr<std::string> r) { result = r.status(); });
  for (int i = 0; i < 20; ++i) {
    clock.Advance(absl::Seconds(1));
    bus.ExpireOverdue();
  }
  EXPECT_THAT(attempts, testing::ElementsAre(absl::ZeroDuration(), absl::Seconds(1),
                                             absl::Seconds(3), absl::Seconds(7)));
  EXPECT_TRUE(absl::IsAborted(result)) << result;
  const auto dead = bus.ListDead(0, 10);
  ASSERT_TRUE(dead.ok());
  ASSERT_EQ(dead->size(), 1u);
  EXPECT_EQ(dead->front().bytes, "x");
  EXPECT_THAT(dead->front().reason, testing::HasSubstr("given up after 4 attempts"));
  EXPECT_EQ(bus.GetDead(dead->front().sequence)->bytes, "x");
  EXPECT_TRUE(bus.ListDead(dead->front().sequence, 10)->empty());
  EXPECT_TRUE(bus.DropDead(dead->front().sequence).ok());
  EXPECT_TRUE(absl::IsNotFound(bus.DropDead(dead->front().sequence)));
}

TEST(MemoryEventStream, KeepsTheNewestAndForgetsOldIds) {
  SimulatedClock clock;
  MemoryEventStream stream(&clock, {.retained = 2, .dedup_window = absl::Seconds(10)});
  std::vector<uint64_t> sequences;
  const auto done = [&](absl::StatusOr<uint64_t> sequence) { sequences.push_back(*sequence); };
  for (const char* id : {"a", "b", "c", "a"}) stream.Publish(id, id, done);
  clock.Advance(absl::Seconds(10));
  stream.Publish("a", "a again", done);
  EXPECT_THAT(sequences, testing::ElementsAre(1, 2, 3, 1, 4));
  std::vector<std::string> seen;
  auto subscription =
      stream.Subscribe(0, [&](const StreamedEvent& event) { seen.emplace_back(event.json); });
  EXPECT_THAT(seen, testing::ElementsAre("c", "a again"));
}

TEST(MemoryEventStream, SubscribersMayUseTheStream) {
  SimulatedClock clock;
  MemoryEventStream stream(&clock);
  std::vector<std::string> seen;
  std::unique_ptr<EventStream::Subscription> subscription;
  subscription = stream.Subscribe(0, [&](const StreamedEvent& event) {
    seen.emplace_back(event.json);
    EXPECT_GE(stream.LastSequence(), event.sequence);
    if (seen.size() == 3) return subscription.reset();
    stream.Publish(absl::StrCat(event.sequence), absl::StrCat("after ", event.sequence),
                   [](absl::StatusOr<uint64_t>) {});
  });
  stream.Publish("first", "first", [](absl::StatusOr<uint64_t>) {});
  EXPECT_THAT(seen, testing::ElementsAre("first", "after 1", "after 2"));
}

}  // namespace
}  // namespace jaque
