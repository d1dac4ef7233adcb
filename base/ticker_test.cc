// SPDX-License-Identifier: Apache-2.0
#include "base/ticker.h"

#include <atomic>

#include "absl/synchronization/notification.h"
#include "base/simulated_clock.h"
#include "gtest/gtest.h"

namespace jaque {
namespace {

TEST(Ticker, CallsAgainAndAgain) {
  std::atomic<int> calls = 0;
  absl::Notification third;
  Ticker ticker;
  ticker.Every(absl::Milliseconds(1), [&] {
    if (++calls == 3) third.Notify();
  });
  EXPECT_TRUE(third.WaitForNotificationWithTimeout(absl::Seconds(30)));
}

TEST(Ticker, CallsNothingAfterStop) {
  std::atomic<int> calls = 0;
  absl::Notification first;
  Ticker ticker;
  ticker.Every(absl::Milliseconds(1), [&] {
    if (++calls == 1) first.Notify();
  });
  first.WaitForNotification();
  ticker.Stop();
  const int at_stop = calls;
  ticker.Every(absl::Microseconds(1), [&] { ++calls; });
  EXPECT_EQ(calls, at_stop);
}

TEST(Ticker, KeepsEachInterval) {
  std::atomic<int> slow = 0;
  absl::Notification ten;
  Ticker ticker;
  ticker.Every(absl::Hours(1), [&] { ++slow; });
  int fast = 0;  // only the ticker's thread touches it
  ticker.Every(absl::Milliseconds(1), [&] {
    if (++fast == 10) ten.Notify();
  });
  EXPECT_TRUE(ten.WaitForNotificationWithTimeout(absl::Seconds(30)));
  EXPECT_EQ(slow, 0);
}

TEST(Ticker, StopsWhileItWaitsForNothing) {
  SimulatedClock clock;
  Ticker ticker(&clock);
  ticker.Stop();
  ticker.Stop();
}

}  // namespace
}  // namespace jaque
