// SPDX-License-Identifier: Apache-2.0
// What every EventStream does. Backend: stream() besides what collector.h says.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "queue/event_stream.h"
#include "tests/contract/collector.h"

namespace jaque {

template <typename Backend>
class EventStreamContract : public testing::Test {
 protected:
  void SetUp() override {
    if (!Backend::Missing().empty()) GTEST_SKIP() << "skipped: " << Backend::Missing();
  }

  using Seen = Collector<std::pair<uint64_t, std::string>>;

  uint64_t Publish(const std::string& id, const std::string& json) {
    Collector<std::pair<absl::Status, uint64_t>> results;
    stream().Publish(id, json, [&](absl::StatusOr<uint64_t> result) {
      results.Put({result.status(), result.ok() ? *result : 0});
    });
    const auto [status, sequence] = results.First(backend_);
    EXPECT_TRUE(status.ok()) << status;
    return sequence;
  }

  std::unique_ptr<EventStream::Subscription> Subscribe(uint64_t after, Seen* seen) {
    return stream().Subscribe(after, [seen](const StreamedEvent& event) {
      seen->Put({event.sequence, std::string(event.json)});
    });
  }

  EventStream& stream() { return backend_.stream(); }

  Backend backend_;
};

TYPED_TEST_SUITE_P(EventStreamContract);

TYPED_TEST_P(EventStreamContract, BringsStoredEventsThenNewOnes) {
  const uint64_t a = this->Publish("a", "1"), b = this->Publish("b", "2");
  EXPECT_LT(0u, a);
  EXPECT_LT(a, b);
  typename TestFixture::Seen all, later;
  auto first = this->Subscribe(0, &all);
  auto second = this->Subscribe(a, &later);
  const uint64_t c = this->Publish("c", "3");
  ASSERT_TRUE(all.Await(this->backend_, 3));
  ASSERT_TRUE(later.Await(this->backend_, 2));
  EXPECT_THAT(all.Take(), testing::ElementsAre(testing::Pair(a, "1"), testing::Pair(b, "2"),
                                               testing::Pair(c, "3")));
  EXPECT_THAT(later.Take(), testing::ElementsAre(testing::Pair(b, "2"), testing::Pair(c, "3")));
}

TYPED_TEST_P(EventStreamContract, StoresAnEventOnce) {
  const uint64_t a = this->Publish("source/1", "x");
  const uint64_t b = this->Publish("source/2", "y");
  EXPECT_EQ(this->Publish("source/1", "x"), a);
  typename TestFixture::Seen seen;
  auto subscription = this->Subscribe(0, &seen);
  const uint64_t c = this->Publish("source/3", "z");
  ASSERT_TRUE(seen.Await(this->backend_, 3));
  EXPECT_THAT(seen.Take(), testing::ElementsAre(testing::Pair(a, "x"), testing::Pair(b, "y"),
                                                testing::Pair(c, "z")));
}

TYPED_TEST_P(EventStreamContract, KnowsItsLastSequence) {
  EXPECT_EQ(this->stream().LastSequence(), 0u);
  this->Publish("a", "1");
  const uint64_t b = this->Publish("b", "2");
  EXPECT_EQ(this->stream().LastSequence(), b);
}

TYPED_TEST_P(EventStreamContract, ASubscriptionEndsWithItsHandle) {
  typename TestFixture::Seen ended, going_on;
  auto first = this->Subscribe(0, &ended);
  auto second = this->Subscribe(0, &going_on);
  this->Publish("a", "1");
  ASSERT_TRUE(ended.Await(this->backend_, 1));
  first.reset();
  this->Publish("b", "2");
  ASSERT_TRUE(going_on.Await(this->backend_, 2));
  EXPECT_EQ(ended.size(), 1u);
}

TYPED_TEST_P(EventStreamContract, KeepsTheOrderOfManyEvents) {
  constexpr int kEvents = 500;
  typename TestFixture::Seen early, late;
  auto first = this->Subscribe(0, &early);
  std::vector<std::pair<uint64_t, std::string>> published;
  for (int i = 0; i < kEvents; ++i) {
    const std::string json = absl::StrCat(i);
    published.emplace_back(this->Publish(absl::StrCat("id-", i), json), json);
  }
  auto second = this->Subscribe(0, &late);
  ASSERT_TRUE(early.Await(this->backend_, kEvents));
  ASSERT_TRUE(late.Await(this->backend_, kEvents));
  EXPECT_EQ(early.Take(), published);
  EXPECT_EQ(late.Take(), published);
}

REGISTER_TYPED_TEST_SUITE_P(EventStreamContract, BringsStoredEventsThenNewOnes, StoresAnEventOnce,
                            KnowsItsLastSequence, ASubscriptionEndsWithItsHandle,
                            KeepsTheOrderOfManyEvents);

}  // namespace jaque
