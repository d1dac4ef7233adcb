// SPDX-License-Identifier: Apache-2.0
#include "worker/command_sender.h"

#include "base/simulated_clock.h"
#include "base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "queue/memory_command_bus.h"

namespace jaque {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CommandSenderTest : public ::testing::Test {
 protected:
  ~CommandSenderTest() override { sender_->Stop(); }

  // An engine whose commands are noted as "<name> sent" or "<name> ingress", answered with the next
  // of `codes`, then OK; an answer of 0 is no answer.
  std::unique_ptr<CommandBus::Service> Serve(const std::string& name, std::vector<int> codes = {}) {
    auto left = std::make_shared<std::vector<int>>(std::move(codes));
    return bus_.Serve(
        name, [this, name, left](std::string bytes, bool from_ingress, CommandBus::ReplyFn reply) {
          v1::Command command;
          EXPECT_TRUE(command.ParseFromString(bytes));
          EXPECT_EQ(command.id(), "c");
          seen_.push_back(Cat(name, from_ingress ? " ingress" : " sent"));
          v1::CommandReply answer;
          answer.set_code(v1::CommandReply::CODE_OK);
          if (!left->empty()) {
            answer.set_code(static_cast<v1::CommandReply::Code>(left->front()));
            left->erase(left->begin());
          }
          answer.set_message(name);
          if (answer.code() == 0) {
            unanswered_.push_back(std::move(reply));
          } else {
            reply(answer.SerializeAsString());
          }
        });
  }

  void Send(const std::string& engine) {
    v1::Command command;
    command.set_id("c");
    sender_->Send(engine, command, [this](std::optional<v1::CommandReply> reply) {
      done_.push_back(reply.has_value()
                          ? Cat(static_cast<int>(reply->code()), " ", reply->message())
                          : "stopped");
    });
  }
  void Pass(absl::Duration time) {
    clock_.Advance(time);
    bus_.ExpireOverdue();
    sender_->Tick();
  }

  SimulatedClock clock_;
  MemoryCommandBus bus_{&clock_};
  std::vector<std::string> seen_, done_;
  std::vector<CommandBus::ReplyFn> unanswered_;
  std::shared_ptr<CommandSender> sender_ = CommandSender::Create(&bus_, &clock_);
};

TEST_F(CommandSenderTest, ToTheEngineThatIsNamed) {
  const auto first = Serve("e1"), second = Serve("e2");
  Send("e2");
  EXPECT_THAT(seen_, ElementsAre("e2 sent"));
  EXPECT_THAT(done_, ElementsAre("1 e2"));
}

TEST_F(CommandSenderTest, AnswersOfTheOwnerAreFinal) {
  const auto engine =
      Serve("e1", {v1::CommandReply::CODE_NOT_FOUND, v1::CommandReply::CODE_CONFLICT,
                   v1::CommandReply::CODE_INVALID});
  for (int i = 0; i < 3; ++i) Send("e1");
  EXPECT_THAT(done_, ElementsAre("2 e1", "3 e1", "4 e1"));
}

TEST_F(CommandSenderTest, ThroughTheIngressIfTheEngineIsGone) {
  const auto engine = Serve("e1");
  Send("gone");
  EXPECT_THAT(seen_, ElementsAre("e1 ingress"));
  EXPECT_THAT(done_, ElementsAre("1 e1"));
}

TEST_F(CommandSenderTest, ThroughTheIngressIfNoEngineIsNamed) {
  const auto engine = Serve("e1");
  Send("");
  EXPECT_THAT(seen_, ElementsAre("e1 ingress"));
  EXPECT_THAT(done_, ElementsAre("1 e1"));
}

TEST_F(CommandSenderTest, ThroughTheIngressIfTheEngineIsNoOwnerAnyMore) {
  const auto engine = Serve("e1", {v1::CommandReply::CODE_NOT_OWNED});
  Send("e1");
  EXPECT_THAT(seen_, ElementsAre("e1 sent", "e1 ingress"));
  EXPECT_THAT(done_, ElementsAre("1 e1"));
}

TEST_F(CommandSenderTest, AgainAfterAGrowingDelay) {
  const auto engine =
      Serve("e1", {v1::CommandReply::CODE_OVERLOADED, v1::CommandReply::CODE_UNAVAILABLE,
                   v1::CommandReply::CODE_NOT_OWNED, v1::CommandReply::CODE_NOT_OWNED});
  Send("e1");
  EXPECT_EQ(seen_.size(), 1u);
  Pass(absl::Milliseconds(49));
  EXPECT_EQ(seen_.size(), 1u);
  Pass(absl::Milliseconds(1));
  EXPECT_EQ(seen_.size(), 2u);
  Pass(absl::Milliseconds(99));
  EXPECT_EQ(seen_.size(), 2u);
  // Refused by the engine and through the ingress.
  Pass(absl::Milliseconds(1));
  EXPECT_EQ(seen_.size(), 4u);
  EXPECT_THAT(done_, IsEmpty());
  Pass(absl::Milliseconds(200));
  EXPECT_THAT(seen_, ElementsAre("e1 sent", "e1 sent", "e1 sent", "e1 ingress", "e1 sent"));
  EXPECT_THAT(done_, ElementsAre("1 e1"));
}

TEST_F(CommandSenderTest, WhatIsUnknownIsSentAgain) {
  const auto engine = Serve("e1", {0});
  Send("e1");
  Pass(absl::Milliseconds(2999));
  EXPECT_THAT(seen_, ElementsAre("e1 sent"));
  Pass(absl::Milliseconds(1));
  EXPECT_THAT(seen_, ElementsAre("e1 sent", "e1 ingress"));
  EXPECT_THAT(done_, ElementsAre("1 e1"));
  v1::CommandReply late;
  late.set_code(v1::CommandReply::CODE_OK);
  unanswered_[0](late.SerializeAsString());
  EXPECT_EQ(done_.size(), 1u);
}

// Stored in the ingress is not taken: nobody may ever claim it, or it may be given up there.
TEST_F(CommandSenderTest, WhatIsOnlyStoredIsSentAgain) {
  Send("e1");
  for (int i = 0; i < 100; ++i) Pass(absl::Seconds(1));
  EXPECT_THAT(done_, IsEmpty());
  const auto engine = Serve("e1");
  for (int i = 0; i < 20; ++i) Pass(absl::Seconds(1));
  EXPECT_THAT(done_, ElementsAre("1 e1"));
}

TEST_F(CommandSenderTest, AReplyThatIsNoneIsUnknown) {
  int calls = 0;
  const auto engine = bus_.Serve("e1", [&](std::string, bool, CommandBus::ReplyFn reply) {
    v1::CommandReply answer;
    answer.set_code(v1::CommandReply::CODE_OK);
    reply(++calls == 1 ? "\xff nonsense" : answer.SerializeAsString());
  });
  Send("e1");
  EXPECT_EQ(calls, 2);
  EXPECT_THAT(done_, ElementsAre("1 "));
}

TEST_F(CommandSenderTest, StoppingEndsWhatWaits) {
  const auto engine = Serve("e1", {v1::CommandReply::CODE_OVERLOADED, 0});
  Send("e1");
  Send("e1");
  sender_->Stop();
  EXPECT_THAT(done_, ElementsAre("stopped"));
  Pass(absl::Seconds(10));  // the other one's answer does not come
  EXPECT_THAT(done_, ElementsAre("stopped", "stopped"));
}

}  // namespace
}  // namespace jaque
