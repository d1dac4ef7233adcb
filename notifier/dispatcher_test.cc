// SPDX-License-Identifier: Apache-2.0
// Lanes, pauses, parking and giving up, with time stepped and a target that does what it is told.
#include "notifier/dispatcher.h"

#include <deque>
#include <map>
#include <optional>
#include <set>

#include "base/limits.h"
#include "base/simulated_clock.h"
#include "base/text.h"
#include "coordination/memory_kv_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::notifier {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Answers as it is told, and remembers what it was sent.
class ObedientSender final : public Sender {
 public:
  void Send(const Target&, const Delivery& delivery, Done done) override {
    sent.push_back(delivery.id);
    bodies[delivery.id].push_back(delivery.body);
    if (hold) return held.push_back(std::move(done));
    done({bad.contains(delivery.id) ? how : Outcome::Kind::kSent, "told to", after});
  }

  std::vector<std::string> sent;
  std::map<std::string, std::vector<std::string>> bodies;
  std::set<std::string> bad;
  Outcome::Kind how = Outcome::Kind::kFailed;
  absl::Duration after;
  bool hold = false;
  std::vector<Done> held;
};

class DispatcherTest : public ::testing::Test {
 protected:
  DispatcherTest() { Restart(); }

  // As a process that starts again: what is parked is what there is.
  void Restart() {
    posted_.clear();
    dispatcher_.emplace(DispatcherParts{
        .clock = &clock_,
        .random = &random_,
        .bucket = &bucket_,
        .dead = &dead_,
        .sender = &sender_,
        .post = [this](absl::AnyInvocable<void()> work) { posted_.push_back(std::move(work)); }});
    auto rules = std::make_shared<Rules>();
    for (const char* name : {"hook", "chat"}) {
      rules->targets[name] = Target{name, rate_, NatsTarget{"x"}};
    }
    dispatcher_->SetRules(std::move(rules));
    for (Delivery& delivery : InTheBucket()) {
      delivery.parked = true;
      dispatcher_->Add(std::move(delivery));
    }
  }

  std::vector<Delivery> InTheBucket() {
    std::vector<Delivery> parked;
    const std::vector<KvEntry> entries = *bucket_.List();
    for (const KvEntry& entry : entries) {
      if (entry.key.substr(0, 7) == "parked/") parked.push_back(*DeliveryOf(entry.value));
    }
    return parked;
  }
  static Delivery Make(Sequence sequence, const std::string& instance,
                       const std::string& target = "hook", ShardId shard = 1) {
    Delivery delivery;
    delivery.shard = shard;
    delivery.sequence = sequence;
    delivery.event_micros = static_cast<int64_t>(sequence);
    delivery.id = Cat(instance, "-", sequence);
    delivery.rule = "rule";
    delivery.target = target;
    delivery.instance = instance;
    delivery.body = Cat("body of ", delivery.id);
    return delivery;
  }
  void Add(Sequence sequence, const std::string& instance) {
    dispatcher_->Add(Make(sequence, instance));
  }
  void Tick() {
    dispatcher_->Tick();
    while (!posted_.empty()) {
      auto work = std::move(posted_.front());
      posted_.pop_front();
      work();
      dispatcher_->Tick();
    }
  }
  void Pass(absl::Duration time) {
    clock_.Advance(time);
    Tick();
  }
  std::vector<std::string> Parked() {
    std::vector<std::string> ids;
    for (const Delivery& delivery : InTheBucket()) ids.push_back(delivery.id);
    return ids;
  }
  std::vector<std::string> Sent() { return std::exchange(sender_.sent, {}); }

  SimulatedClock clock_;
  Random random_{7};
  MemoryKvStore bucket_{&clock_};
  KvDeadNotifications dead_{&clock_, &bucket_, 3};
  ObedientSender sender_;
  double rate_ = 1'000;
  std::deque<absl::AnyInvocable<void()>> posted_;
  std::optional<Dispatcher> dispatcher_;
};

TEST_F(DispatcherTest, SendsInOrderAndMovesOn) {
  Add(1, "a");
  Add(2, "b");
  Add(3, "a");
  EXPECT_EQ(dispatcher_->DoneThrough(1, 5), 0u);
  Tick();
  EXPECT_THAT(Sent(), ::testing::UnorderedElementsAre("a-1", "a-3", "b-2"));
  EXPECT_EQ(dispatcher_->DoneThrough(1, 5), 5u);
  EXPECT_EQ(dispatcher_->pending(), 0u);
  EXPECT_THAT(Parked(), IsEmpty());
}

TEST_F(DispatcherTest, OneThatFailsHoldsBackItsLaneAlone) {
  sender_.bad = {"a-1"};
  Add(1, "a");
  Add(2, "b");
  Add(3, "a");
  dispatcher_->Add(Make(3, "a", "chat"));
  Tick();
  EXPECT_THAT(Sent(), ::testing::UnorderedElementsAre("a-1", "b-2", "a-3"));  // a-3 of chat
  // All of the lane is parked: the log need not wait.
  EXPECT_THAT(Parked(), ElementsAre("a-1", "a-3"));
  EXPECT_EQ(dispatcher_->DoneThrough(1, 9), 9u);
  Add(7, "a");
  EXPECT_THAT(Parked(), ElementsAre("a-1", "a-3", "a-7"));
  sender_.bad.clear();
  Pass(absl::Seconds(2));
  EXPECT_THAT(Sent(), ElementsAre("a-1", "a-3", "a-7"));
  EXPECT_THAT(Parked(), IsEmpty());
}

TEST_F(DispatcherTest, EveryAttemptSendsTheSameBytes) {
  sender_.bad = {"a-1"};
  Add(1, "a");
  for (int i = 0; i < 4; ++i) {
    Pass(absl::Hours(1));
    if (i == 1) Restart();
  }
  EXPECT_GE(sender_.bodies["a-1"].size(), 4u);
  EXPECT_THAT(sender_.bodies["a-1"], ::testing::Each("body of a-1"));
}

TEST_F(DispatcherTest, PausesGrowAndATargetMayAskForMore) {
  Random random(1);
  int64_t longest = 0;
  for (int attempts = 1; attempts < 40; ++attempts) {
    const int64_t pause = PauseAfter(attempts, &random);
    const int64_t full = std::min<int64_t>(limits::kDeliveryPauseSeconds * 1'000'000LL,
                                           1'000'000LL << std::min(attempts - 1, 30));
    EXPECT_LE(pause, full);
    EXPECT_GT(pause, full / 2 - 1);
    longest = std::max(longest, pause);
  }
  EXPECT_GT(longest, limits::kDeliveryPauseSeconds * 500'000LL);
  sender_.bad = {"a-1"};
  sender_.after = absl::Minutes(5);
  Add(1, "a");
  Tick();
  Sent();
  Pass(absl::Minutes(4));
  EXPECT_THAT(Sent(), IsEmpty());
  Pass(absl::Minutes(2));
  EXPECT_THAT(Sent(), ElementsAre("a-1"));
}

TEST_F(DispatcherTest, IsADeadLetterAfterADayAndFreesItsLane) {
  sender_.bad = {"a-1"};
  Add(1, "a");
  Add(2, "a");
  for (int hour = 0; hour < 26; ++hour) Pass(absl::Hours(1));
  const auto letters = dead_.ListDead("", 10);
  ASSERT_EQ(letters->size(), 1u);
  EXPECT_EQ((*letters)[0].id, "0000000000000001-a-1-hook");
  EXPECT_EQ((*letters)[0].reason, "told to");
  EXPECT_GT((*letters)[0].attempts, 20);
  EXPECT_EQ(Sent().back(), "a-2");
  EXPECT_THAT(Parked(), IsEmpty());
  // Sent again by hand, it has its day again.
  ASSERT_TRUE(dead_.RedriveDead((*letters)[0].id).ok());
  sender_.bad.clear();
  Restart();
  Tick();
  EXPECT_THAT(Sent(), ElementsAre("a-1"));
  EXPECT_THAT(*dead_.ListDead("", 10), IsEmpty());
  EXPECT_TRUE(absl::IsNotFound(dead_.RedriveDead("nothing")));
}

TEST_F(DispatcherTest, WhatIsRefusedIsGivenUpAtOnce) {
  sender_.bad = {"a-1"};
  sender_.how = Outcome::Kind::kRefused;
  Add(1, "a");
  Tick();
  EXPECT_THAT(Sent(), ElementsAre("a-1"));
  EXPECT_EQ(dead_.ListDead("", 10)->size(), 1u);
  EXPECT_EQ(dispatcher_->DoneThrough(1, 3), 3u);
}

TEST_F(DispatcherTest, DeadLettersArePagedByAgeAndTheOldestGoes) {
  const auto ids = [](const absl::StatusOr<std::vector<DeadNotification>>& page) {
    std::vector<std::string> found;
    for (const DeadNotification& dead : *page) found.push_back(dead.instance);
    return found;
  };
  sender_.how = Outcome::Kind::kRefused;
  for (const auto& [sequence, instance] :
       {std::pair(30, "c"), std::pair(9, "a"), std::pair(20, "b")}) {
    sender_.bad.insert(Cat(instance, "-", sequence));
    Add(sequence, instance);
  }
  Tick();
  const auto first = dead_.ListDead("", 2);
  EXPECT_THAT(ids(first), ElementsAre("a", "b"));
  ASSERT_TRUE(dead_.DropDead(first->back().id).ok());
  EXPECT_THAT(ids(dead_.ListDead(first->back().id, 2)), ElementsAre("c"));
  EXPECT_TRUE(absl::IsNotFound(dead_.DropDead(first->back().id)));
  EXPECT_EQ(dead_.GetDead(first->front().id)->body, "body of a-9");
  // Three are kept; whoever looks into the bucket afresh finds the same.
  for (const int sequence : {40, 50}) {
    sender_.bad.insert(Cat("d-", sequence));
    Add(sequence, "d");
  }
  Tick();
  EXPECT_THAT(ids(dead_.ListDead("", 9)), ElementsAre("c", "d", "d"));
  KvDeadNotifications other(&clock_, &bucket_);
  EXPECT_THAT(ids(other.ListDead("", 9)), ElementsAre("c", "d", "d"));
  ASSERT_TRUE(dead_.DropDead(other.ListDead("", 1)->front().id).ok());
  EXPECT_THAT(ids(other.ListDead("", 9)), ElementsAre("d", "d"));
}

TEST_F(DispatcherTest, WhatIsParkedOutlivesARestartInOrder) {
  sender_.bad = {"a-1", "a-2"};
  Add(1, "a");
  Add(2, "a");
  Tick();
  Sent();
  Restart();
  Add(2, "a");  // the log is read again from before it
  Add(12, "a");
  sender_.bad.clear();
  Pass(absl::Hours(1));
  EXPECT_THAT(Sent(), ElementsAre("a-1", "a-2", "a-12"));
  EXPECT_THAT(Parked(), IsEmpty());
}

TEST_F(DispatcherTest, EventsOfOneBatchKeepTheirOrderInTheBucket) {
  for (const uint32_t order : {2, 10}) {
    Delivery delivery = Make(1, "a");
    delivery.order = order;
    delivery.id = Cat("a-", order);
    sender_.bad.insert(delivery.id);
    dispatcher_->Add(std::move(delivery));
  }
  Tick();
  Sent();
  sender_.bad.clear();
  Restart();
  Pass(absl::Hours(1));
  EXPECT_THAT(Sent(), ElementsAre("a-2", "a-10"));
}

TEST_F(DispatcherTest, KeepsToTheRateOfATarget) {
  rate_ = 2;
  Restart();
  for (int i = 1; i <= 10; ++i) Add(i, Cat("i", i));
  Tick();
  EXPECT_EQ(Sent().size(), 2u);
  Pass(absl::Seconds(1));
  EXPECT_EQ(Sent().size(), 2u);
  Pass(absl::Seconds(60));
  EXPECT_EQ(Sent().size(), 2u);  // no more at once, however long it was quiet
}

TEST_F(DispatcherTest, AShardThatIsLostIsForgotten) {
  sender_.hold = true;
  Add(1, "a");
  Add(2, "a");
  Tick();
  dispatcher_->Drop(1);
  EXPECT_EQ(dispatcher_->pending(), 0u);
  sender_.hold = false;
  sender_.held[0]({Outcome::Kind::kFailed, "late", {}});
  Tick();
  EXPECT_THAT(Parked(), IsEmpty());
  EXPECT_THAT(Sent(), ElementsAre("a-1"));
}

TEST_F(DispatcherTest, ATargetThatIsGoneKeepsWhatItIsOwed) {
  dispatcher_->SetRules(std::make_shared<Rules>());
  Add(1, "a");
  Tick();
  EXPECT_THAT(Parked(), ElementsAre("a-1"));
  EXPECT_EQ(dispatcher_->DoneThrough(1, 4), 4u);
  Restart();
  Tick();
  EXPECT_THAT(Sent(), ElementsAre("a-1"));
}

}  // namespace
}  // namespace jaque::notifier
