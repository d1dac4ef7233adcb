// SPDX-License-Identifier: Apache-2.0
#include "coordination/direct_command_bus.h"

#include <vector>

#include "base/simulated_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "queue/memory_command_bus.h"

namespace jaque {
namespace {

class DirectCommandBusTest : public testing::Test {
 protected:
  void SetUp() override {
    v1::View view;
    view.set_epoch(1);
    view.add_members()->set_id("e");
    view.mutable_members(0)->set_weight(1);
    router_.SetOwnership(std::make_shared<const Ownership>(view, 4));
    service_ = ingress_.Serve("e", [this](std::string, bool, CommandBus::ReplyFn reply) {
      ++through_ingress_;
      reply(Answer(v1::CommandReply::CODE_OK));
    });
  }

  static std::string Answer(v1::CommandReply::Code code) {
    v1::CommandReply reply;
    reply.set_code(code);
    return reply.SerializeAsString();
  }

  // What was answered; empty while nothing was.
  std::shared_ptr<std::vector<absl::StatusOr<std::string>>> Submit() {
    auto answers = std::make_shared<std::vector<absl::StatusOr<std::string>>>();
    v1::Command command;
    command.set_object_id("o");
    command.mutable_cancel_instance();
    bus_.Submit(command.SerializeAsString(), "c", absl::Seconds(5),
                [answers](absl::StatusOr<std::string> answer) { answers->push_back(answer); });
    return answers;
  }

  SimulatedClock clock_;
  MemoryCommandBus ingress_{&clock_};
  Metrics metrics_;
  std::vector<CommandBus::ReplyFn> here_;
  Router router_{"e", &ingress_, &metrics_, [this](v1::Command, CommandBus::ReplyFn reply) {
                   here_.push_back(std::move(reply));
                 }};
  DirectCommandBus bus_{"e", &clock_, &router_, &ingress_};
  int through_ingress_ = 0;
  std::unique_ptr<CommandBus::Service> service_;
};

TEST_F(DirectCommandBusTest, WhatThisEngineDoesNeedsNoIngress) {
  const auto answers = Submit();
  ASSERT_EQ(here_.size(), 1u);
  EXPECT_TRUE(answers->empty());
  here_[0](Answer(v1::CommandReply::CODE_CONFLICT));
  ASSERT_EQ(answers->size(), 1u);
  EXPECT_EQ(*answers->at(0), Answer(v1::CommandReply::CODE_CONFLICT));
  EXPECT_EQ(through_ingress_, 0);
}

TEST_F(DirectCommandBusTest, WhatItDidNotDoTakesTheWayThroughTheIngress) {
  for (const auto code : {v1::CommandReply::CODE_NOT_OWNED, v1::CommandReply::CODE_UNAVAILABLE,
                          v1::CommandReply::CODE_OVERLOADED}) {
    const auto answers = Submit();
    here_.back()(Answer(code));
    ASSERT_EQ(answers->size(), 1u);
    EXPECT_EQ(*answers->at(0), Answer(v1::CommandReply::CODE_OK));
    clock_.Advance(absl::Minutes(5));  // the id may be used again
  }
  EXPECT_EQ(through_ingress_, 3);
}

TEST_F(DirectCommandBusTest, WhatIsNotAnsweredInTimeMayNotBeStored) {
  const auto answers = Submit();
  clock_.Advance(absl::Seconds(4));
  bus_.ExpireOverdue();
  EXPECT_TRUE(answers->empty());
  clock_.Advance(absl::Seconds(1));
  bus_.ExpireOverdue();
  ASSERT_EQ(answers->size(), 1u);
  EXPECT_TRUE(absl::IsUnknown(answers->at(0).status()));
  here_[0](Answer(v1::CommandReply::CODE_OK));
  EXPECT_EQ(answers->size(), 1u);
}

}  // namespace
}  // namespace jaque
