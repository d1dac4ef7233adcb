// SPDX-License-Identifier: Apache-2.0
// What every TaskQueue does. Backend: queue(), depths() and ack_wait() besides what collector.h
// says.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "queue/task_depths.h"
#include "queue/task_queue.h"
#include "tests/contract/collector.h"

namespace jaque {

template <typename Backend>
class TaskQueueContract : public testing::Test {
 protected:
  void SetUp() override {
    if (!Backend::Missing().empty()) GTEST_SKIP() << "skipped: " << Backend::Missing();
  }

  using Deliveries = std::vector<std::unique_ptr<TaskDelivery>>;

  void Publish(const std::string& pool, const std::string& id, const std::string& bytes) {
    Collector<absl::Status> results;
    queue().Publish(pool, id, bytes, [&](absl::Status status) { results.Put(std::move(status)); });
    ASSERT_TRUE(results.Await(backend_, 1));
    EXPECT_TRUE(results.First(backend_).ok());
  }

  void StartPull(const std::string& pool, int max, absl::Duration wait, Collector<Deliveries>* to) {
    queue().Pull(pool, max, wait, [to](Deliveries deliveries) { to->Put(std::move(deliveries)); });
  }

  Deliveries Pull(const std::string& pool, int max, absl::Duration wait = absl::Seconds(20)) {
    Collector<Deliveries> results;
    StartPull(pool, max, wait, &results);
    EXPECT_TRUE(results.Await(backend_, 1)) << "the pull was never answered";
    return results.First(backend_);
  }

  // Pulls until `count` messages have come.
  Deliveries PullAll(const std::string& pool, size_t count) {
    Deliveries all;
    while (all.size() < count) {
      Deliveries some = Pull(pool, 100);
      if (some.empty()) break;
      for (auto& delivery : some) all.push_back(std::move(delivery));
    }
    EXPECT_EQ(all.size(), count);
    return all;
  }

  static std::vector<std::string> Bytes(const Deliveries& deliveries) {
    std::vector<std::string> bytes;
    for (const auto& delivery : deliveries) bytes.push_back(delivery->bytes());
    return bytes;
  }

  TaskQueue& queue() { return backend_.queue(); }

  Backend backend_;
};

TYPED_TEST_SUITE_P(TaskQueueContract);

TYPED_TEST_P(TaskQueueContract, DeliversInOrderUpToTheMost) {
  for (int i = 0; i < 5; ++i) this->Publish("p", absl::StrCat("id-", i), absl::StrCat(i));
  const auto first = this->Pull("p", 3);
  EXPECT_LE(first.size(), 3u);
  auto all = TestFixture::Bytes(first);
  const auto rest = this->PullAll("p", 5 - all.size());
  for (const auto& delivery : rest) all.push_back(delivery->bytes());
  EXPECT_THAT(all, testing::ElementsAre("0", "1", "2", "3", "4"));
  for (const auto& delivery : first) EXPECT_EQ(delivery->delivered(), 1);
}

TYPED_TEST_P(TaskQueueContract, AWaitingPullIsServedByAPublish) {
  Collector<typename TestFixture::Deliveries> results;
  this->StartPull("p", 10, absl::Seconds(20), &results);
  this->Publish("p", "id", "x");
  ASSERT_TRUE(results.Await(this->backend_, 1));
  EXPECT_THAT(TestFixture::Bytes(results.First(this->backend_)), testing::ElementsAre("x"));
}

TYPED_TEST_P(TaskQueueContract, APullEndsEmptyAfterItsWait) {
  EXPECT_THAT(this->Pull("p", 10, absl::Milliseconds(100)), testing::IsEmpty());
  EXPECT_THAT(this->Pull("p", 10, absl::ZeroDuration()), testing::IsEmpty());
  this->Publish("p", "id", "x");
  EXPECT_EQ(this->Pull("p", 10).size(), 1u);
}

TYPED_TEST_P(TaskQueueContract, WhatIsNotAcknowledgedComesAgain) {
  this->Publish("p", "a", "acknowledged");
  this->Publish("p", "b", "forgotten");
  for (auto& delivery : this->PullAll("p", 2)) {
    EXPECT_EQ(delivery->delivered(), 1);
    if (delivery->bytes() == "acknowledged") delivery->Ack();
  }
  auto again = this->Pull("p", 10);
  ASSERT_THAT(TestFixture::Bytes(again), testing::ElementsAre("forgotten"));
  EXPECT_EQ(again[0]->delivered(), 2);
  again[0]->Ack();
  EXPECT_THAT(this->Pull("p", 10, 2 * this->backend_.ack_wait()), testing::IsEmpty());
}

TYPED_TEST_P(TaskQueueContract, InProgressKeepsAMessage) {
  this->Publish("p", "a", "long work");
  const auto delivery = this->Pull("p", 1);
  ASSERT_EQ(delivery.size(), 1u);
  for (int i = 0; i < 12; ++i) {
    delivery[0]->InProgress();
    EXPECT_THAT(this->Pull("p", 1, this->backend_.ack_wait() / 4), testing::IsEmpty());
  }
  const auto again = this->Pull("p", 1);  // no sign of life any more
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0]->delivered(), 2);
}

TYPED_TEST_P(TaskQueueContract, WhatIsHandedBackComesAgain) {
  this->Publish("p", "a", "x");
  this->Pull("p", 1).at(0)->Nak(absl::ZeroDuration());
  auto second = this->Pull("p", 1, this->backend_.ack_wait() / 2);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0]->delivered(), 2);
  second[0]->Nak(this->backend_.ack_wait() / 2);
  EXPECT_THAT(this->Pull("p", 1, this->backend_.ack_wait() / 10), testing::IsEmpty());
  EXPECT_EQ(this->Pull("p", 1).size(), 1u);
}

TYPED_TEST_P(TaskQueueContract, ALateAcknowledgementCounts) {
  this->Publish("p", "a", "x");
  auto first = this->Pull("p", 1);
  ASSERT_EQ(first.size(), 1u);
  auto second = this->Pull("p", 1);
  ASSERT_EQ(second.size(), 1u);
  first[0]->Ack();
  EXPECT_THAT(this->Pull("p", 1, 2 * this->backend_.ack_wait()), testing::IsEmpty());
}

TYPED_TEST_P(TaskQueueContract, StoresAnIdOnce) {
  this->Publish("p", "same", "x");
  this->Publish("p", "same", "x");
  this->Publish("p", "other", "y");
  EXPECT_THAT(TestFixture::Bytes(this->PullAll("p", 2)), testing::ElementsAre("x", "y"));
}

TYPED_TEST_P(TaskQueueContract, PoolsAreApart) {
  this->Publish("p", "a", "for p");
  this->Publish("q", "b", "for q");
  EXPECT_THAT(TestFixture::Bytes(this->Pull("q", 10)), testing::ElementsAre("for q"));
  EXPECT_THAT(TestFixture::Bytes(this->Pull("p", 10)), testing::ElementsAre("for p"));
}

TYPED_TEST_P(TaskQueueContract, SaysHowMuchWaitsInEachPool) {
  for (const char* id : {"a", "b", "c"}) this->Publish("p", id, id);
  this->Publish("q.r", "d", "nobody pulls it");
  const auto depths = [this] {
    std::map<std::string, std::pair<uint64_t, uint64_t>> found;
    const auto all = this->backend_.depths().Depths();
    EXPECT_TRUE(all.ok()) << all.status();
    for (const PoolDepth& depth : all.value_or(std::vector<PoolDepth>())) {
      found[depth.pool] = {depth.waiting, depth.running};
    }
    return found;
  };
  using testing::ElementsAre, testing::Pair;
  EXPECT_THAT(depths(), ElementsAre(Pair("p", Pair(3, 0)), Pair("q.r", Pair(1, 0))));
  auto taken = this->Pull("p", 2);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_THAT(depths(), ElementsAre(Pair("p", Pair(1, 2)), Pair("q.r", Pair(1, 0))));
  taken[0]->Nak(absl::ZeroDuration());
  const auto rest = this->PullAll("p", 2);
  taken[1]->Ack();
  // The server takes an acknowledgement in its own time.
  for (int i = 0; i < 100 && depths()["p"].second > 2; ++i)
    this->Pull("p", 1, TypeParam::patience());
  EXPECT_THAT(depths(), ElementsAre(Pair("p", Pair(0, 2)), Pair("q.r", Pair(1, 0))));
}

TYPED_TEST_P(TaskQueueContract, AMessageGoesToOneOfManyPulls) {
  constexpr int kPulls = 8;
  Collector<typename TestFixture::Deliveries> results;
  for (int i = 0; i < kPulls; ++i) this->StartPull("p", 1, absl::Seconds(20), &results);
  std::vector<std::string> published;
  for (int i = 0; i < kPulls; ++i) {
    published.push_back(absl::StrCat(i));
    this->Publish("p", absl::StrCat("id-", i), published.back());
  }
  ASSERT_TRUE(results.Await(this->backend_, kPulls));
  std::vector<std::string> delivered;
  for (const auto& deliveries : results.Take()) {
    for (const auto& delivery : deliveries) delivered.push_back(delivery->bytes());
  }
  EXPECT_THAT(delivered, testing::UnorderedElementsAreArray(published));
}

REGISTER_TYPED_TEST_SUITE_P(TaskQueueContract, DeliversInOrderUpToTheMost,
                            AWaitingPullIsServedByAPublish, APullEndsEmptyAfterItsWait,
                            WhatIsNotAcknowledgedComesAgain, InProgressKeepsAMessage,
                            WhatIsHandedBackComesAgain, ALateAcknowledgementCounts, StoresAnIdOnce,
                            PoolsAreApart, SaysHowMuchWaitsInEachPool,
                            AMessageGoesToOneOfManyPulls);

}  // namespace jaque
