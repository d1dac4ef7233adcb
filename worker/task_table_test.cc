// SPDX-License-Identifier: Apache-2.0
#include "worker/task_table.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Delivery final : public TaskDelivery {
 public:
  explicit Delivery(int delivered) : delivered_(delivered) {}
  const std::string& bytes() const override { return bytes_; }
  int delivered() const override { return delivered_; }
  void Ack() override {}
  void InProgress() override {}
  void Nak(absl::Duration) override {}

 private:
  const std::string bytes_;
  const int delivered_;
};

class TaskTableTest : public ::testing::Test {
 protected:
  // A message of tasks of instance "i", by frame.
  void Add(const std::vector<uint32_t>& frames, absl::Duration now = absl::ZeroDuration(),
           int delivered = 1, size_t pool = 0) {
    v1::TaskMessage message;
    for (const uint32_t frame : frames) {
      v1::TaskRequest& task = *message.add_tasks();
      task.set_instance_id("i");
      task.set_frame(frame);
      task.set_attempt(1);
    }
    table_.Add(pool, std::make_unique<Delivery>(delivered), message, now, &done_);
  }
  std::vector<std::string> Take(size_t pool = 0) {
    std::vector<std::string> keys;
    for (auto& task : table_.TakeStartable(pool)) {
      keys.push_back(task->key);
      running_[task->key] = task;
    }
    return keys;
  }
  void Settle(const std::string& key, bool incomplete = false) {
    table_.Settle(running_.at(key), incomplete, &done_);
    running_.erase(key);
  }

  TaskTable table_{{2, 1}};
  std::vector<TaskTable::MessagePtr> done_;
  std::map<std::string, TaskTable::TaskPtr> running_;
};

TEST_F(TaskTableTest, SlotsInTheOrderOfArrival) {
  EXPECT_EQ(table_.FreeSlots(0), 2);
  EXPECT_EQ(table_.FreeSlots(1), 1);
  Add({1, 2, 3});
  EXPECT_EQ(table_.FreeSlots(0), -1);
  EXPECT_THAT(Take(), ElementsAre("i/1/1", "i/2/1"));
  EXPECT_THAT(Take(), IsEmpty());
  Settle("i/2/1");
  EXPECT_THAT(Take(), ElementsAre("i/3/1"));
  Add({4}, absl::ZeroDuration(), 1, 1);
  EXPECT_THAT(Take(1), ElementsAre("i/4/1"));
  Settle("i/1/1");
  EXPECT_THAT(done_, IsEmpty());
  Settle("i/3/1");
  EXPECT_EQ(done_.size(), 1u);
  EXPECT_FALSE(done_[0]->incomplete);
  EXPECT_FALSE(table_.empty());
  Settle("i/4/1");
  EXPECT_TRUE(table_.empty());
  EXPECT_EQ(table_.FreeSlots(0), 2);
}

TEST_F(TaskTableTest, OneTaskIncompleteMakesItsMessageSo) {
  Add({1, 2});
  Take();
  Settle("i/1/1", true);
  Settle("i/2/1");
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_TRUE(done_[0]->incomplete);
}

TEST_F(TaskTableTest, AnEmptyMessageIsDoneAtOnce) {
  Add({});
  EXPECT_EQ(done_.size(), 1u);
  EXPECT_TRUE(table_.empty());
}

TEST_F(TaskTableTest, DeliveredAgainItIsStillOneTask) {
  Add({1, 1});  // also within one message
  EXPECT_THAT(Take(), ElementsAre("i/1/1"));
  Add({1}, absl::Seconds(30), 2);
  EXPECT_THAT(Take(), IsEmpty());
  Settle("i/1/1");
  EXPECT_EQ(done_.size(), 2u);
  EXPECT_TRUE(table_.empty());
  EXPECT_EQ(table_.FreeSlots(0), 2);
}

TEST_F(TaskTableTest, CancelledBeforeAndAfterItsArrival) {
  EXPECT_EQ(table_.Cancel({"i", 1, 1}, absl::ZeroDuration()), nullptr);
  EXPECT_EQ(table_.Cancel({"i", 1, 1}, absl::ZeroDuration()), nullptr);
  Add({1}, absl::Minutes(5));
  EXPECT_EQ(done_.size(), 1u);
  EXPECT_THAT(Take(), IsEmpty());
  // A notice is not remembered for ever.
  Add({1}, absl::Minutes(15));
  EXPECT_THAT(Take(), ElementsAre("i/1/1"));
  table_.Cancel({"i", 1, 2}, absl::Minutes(15));
  EXPECT_FALSE(running_["i/1/1"]->cancelled);
  table_.Cancel({"i", 1, 1}, absl::Minutes(15));
  EXPECT_TRUE(running_["i/1/1"]->cancelled);
}

TEST_F(TaskTableTest, StoppingDropsWhatWaitsAndMarksWhatRuns) {
  Add({1, 2, 3});
  Add({4});
  Take();
  table_.DropWaiting(&done_);
  ASSERT_EQ(done_.size(), 1u);  // of task 4 alone
  EXPECT_TRUE(done_[0]->incomplete);
  EXPECT_THAT(table_.AbortAll(), IsEmpty());  // none has a run yet
  EXPECT_TRUE(running_["i/1/1"]->aborted);
  Settle("i/1/1");
  Settle("i/2/1");
  ASSERT_EQ(done_.size(), 2u);
  EXPECT_TRUE(done_[1]->incomplete);
  EXPECT_TRUE(table_.empty());
}

TEST_F(TaskTableTest, MessagesAreRenewedInTime) {
  Add({1}, absl::Seconds(0));
  Add({2}, absl::Seconds(5));
  EXPECT_EQ(table_.TakeRenewable(absl::Seconds(0), absl::Seconds(10)).size(), 1u);
  EXPECT_EQ(table_.TakeRenewable(absl::Seconds(9), absl::Seconds(19)).size(), 1u);
  EXPECT_EQ(table_.TakeRenewable(absl::Seconds(9), absl::Seconds(19)).size(), 0u);
  EXPECT_EQ(table_.TakeRenewable(absl::Seconds(19), absl::Seconds(29)).size(), 2u);
}

}  // namespace
}  // namespace jaque
