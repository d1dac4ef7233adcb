// SPDX-License-Identifier: Apache-2.0
#include "base/gate.h"

#include <thread>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace jaque {
namespace {

TEST(Gate, LetsNobodyInOnceClosed) {
  Gate gate;
  EXPECT_TRUE(GatePass(&gate));
  gate.Close();
  EXPECT_FALSE(GatePass(&gate));
}

TEST(Gate, CloseWaitsForOthersInside) {
  Gate gate;
  absl::Notification entered, leave;
  bool left = false;
  std::thread other([&] {
    GatePass pass(&gate);
    entered.Notify();
    leave.WaitForNotification();
    left = true;
  });
  entered.WaitForNotification();
  std::thread releaser([&] { leave.Notify(); });
  gate.Close();
  EXPECT_TRUE(left);
  other.join();
  releaser.join();
}

TEST(Gate, ACallbackMayCloseItsOwn) {
  Gate gate;
  GatePass outer(&gate), inner(&gate);
  gate.Close();
  EXPECT_FALSE(GatePass(&gate));
}

}  // namespace
}  // namespace jaque
