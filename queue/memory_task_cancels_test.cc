// SPDX-License-Identifier: Apache-2.0
#include "queue/memory_task_cancels.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace jaque {
namespace {

TEST(MemoryTaskCancelsTest, EverySubscriberGetsEveryNotice) {
  auto cancels = MakeMemoryTaskCancels();
  std::vector<std::string> first, second;
  auto one = cancels->Subscribe([&](const TaskCancel& c) { first.push_back(c.instance_id); });
  cancels->Publish({"a", 1, 2});
  auto two = cancels->Subscribe([&](const TaskCancel& c) { second.push_back(c.instance_id); });
  cancels->Publish({"b", 1, 2});
  EXPECT_EQ(first, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(second, (std::vector<std::string>{"b"}));
}

TEST(MemoryTaskCancelsTest, NothingComesAfterTheHandleIsGone) {
  auto cancels = MakeMemoryTaskCancels();
  int count = 0;
  auto handle = cancels->Subscribe([&](const TaskCancel&) { ++count; });
  cancels->Publish({"a", 1, 1});
  handle.reset();
  cancels->Publish({"a", 1, 2});
  EXPECT_EQ(count, 1);
}

TEST(MemoryTaskCancelsTest, ASubscriptionMayOutliveThePublisher) {
  auto cancels = MakeMemoryTaskCancels();
  auto handle = cancels->Subscribe([](const TaskCancel&) {});
  cancels.reset();
  handle.reset();
}

}  // namespace
}  // namespace jaque
