// SPDX-License-Identifier: Apache-2.0
#include "base/ordered_delivery.h"

#include <memory>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque {
namespace {

TEST(OrderedDelivery, DeliversInOrder) {
  std::vector<int> seen;
  OrderedDelivery<int> delivery([&](const int& n) { seen.push_back(n); });
  delivery.Push(1);
  delivery.Push(2);
  delivery.Drain();
  delivery.Push(3);
  delivery.Drain();
  EXPECT_THAT(seen, testing::ElementsAre(1, 2, 3));
}

TEST(OrderedDelivery, PushedInsideTheCallbackComesAfterIt) {
  std::vector<int> seen;
  OrderedDelivery<int>* self = nullptr;
  OrderedDelivery<int> delivery([&](const int& n) {
    if (n < 3) {
      self->Push(n + 1);
      self->Drain();  // must not nest
    }
    seen.push_back(n);
  });
  self = &delivery;
  delivery.Push(1);
  delivery.Drain();
  EXPECT_THAT(seen, testing::ElementsAre(1, 2, 3));
}

TEST(OrderedDelivery, CloseInsideTheCallbackEndsIt) {
  int calls = 0;
  OrderedDelivery<int>* self = nullptr;
  OrderedDelivery<int> delivery([&](const int&) {
    ++calls;
    self->Close();
  });
  self = &delivery;
  delivery.Push(1);
  delivery.Push(2);
  delivery.Drain();
  delivery.Push(3);
  delivery.Drain();
  EXPECT_EQ(calls, 1);
}

TEST(OrderedDelivery, CloseWaitsForTheCallbackOfAnotherThread) {
  absl::Notification entered, leave;
  bool left = false;
  OrderedDelivery<int> delivery([&](const int&) {
    entered.Notify();
    leave.WaitForNotification();
    left = true;
  });
  delivery.Push(1);
  std::thread drainer([&] { delivery.Drain(); });
  entered.WaitForNotification();
  std::thread releaser([&] { leave.Notify(); });
  delivery.Close();
  EXPECT_TRUE(left);
  drainer.join();
  releaser.join();
}

TEST(OrderedDelivery, ManyPushersKeepEachOnesOrder) {
  constexpr int kThreads = 4, kItems = 2'000;
  std::vector<int> next(kThreads, 0);
  int wrong = 0;
  OrderedDelivery<int> delivery([&](const int& n) { wrong += next[n / kItems]++ != n % kItems; });
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&delivery, t] {
      for (int i = 0; i < kItems; ++i) {
        delivery.Push(t * kItems + i);
        delivery.Drain();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  delivery.Drain();
  EXPECT_EQ(wrong, 0);
  EXPECT_THAT(next, testing::Each(kItems));
}

}  // namespace
}  // namespace jaque
