// SPDX-License-Identifier: Apache-2.0
// What every CommandBus does. Backend: bus() and ingress_attempts() besides what collector.h says.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "queue/command_bus.h"
#include "tests/contract/collector.h"

namespace jaque {

template <typename Backend>
class CommandBusContract : public testing::Test {
 protected:
  void SetUp() override {
    if (!Backend::Missing().empty()) GTEST_SKIP() << "skipped: " << Backend::Missing();
  }

  using Reply = std::pair<absl::Status, std::string>;
  using Replies = Collector<Reply>;

  static CommandBus::ReplyFn Into(Replies* replies) {
    return [replies](absl::StatusOr<std::string> reply) {
      replies->Put({reply.status(), reply.ok() ? *reply : ""});
    };
  }

  Reply Send(const std::string& engine, const std::string& command,
             absl::Duration timeout = absl::Seconds(20)) {
    Replies replies;
    bus().Send(engine, command, timeout, Into(&replies));
    return Awaited(&replies);
  }
  Reply Submit(const std::string& command, const std::string& id,
               absl::Duration timeout = absl::Seconds(20)) {
    Replies replies;
    bus().Submit(command, id, timeout, Into(&replies));
    return Awaited(&replies);
  }
  Reply Awaited(Replies* replies) {
    if (!replies->Await(backend_, 1)) return {absl::UnknownError("never answered"), ""};
    return replies->First(backend_);
  }

  // Answers "<engine> did <command>", or "… sent" where it did not come from the ingress.
  std::unique_ptr<CommandBus::Service> ServeEcho(const std::string& engine) {
    return bus().Serve(
        engine, [engine](std::string command, bool from_ingress, CommandBus::ReplyFn reply) {
          reply(absl::StrCat(engine, from_ingress ? " did " : " was sent ", command));
        });
  }

  CommandBus& bus() { return backend_.bus(); }

  Backend backend_;
};

TYPED_TEST_SUITE_P(CommandBusContract);

TYPED_TEST_P(CommandBusContract, SendReachesTheEngineNamed) {
  auto a = this->ServeEcho("engine-a");
  auto b = this->ServeEcho("engine-b");
  EXPECT_EQ(this->Send("engine-b", "x"),
            typename TestFixture::Reply(absl::OkStatus(), "engine-b was sent x"));
  EXPECT_EQ(this->Send("engine-a", "y"),
            typename TestFixture::Reply(absl::OkStatus(), "engine-a was sent y"));
}

TYPED_TEST_P(CommandBusContract, SendToNobodyIsUnavailable) {
  EXPECT_TRUE(absl::IsUnavailable(this->Send("engine-a", "x").first));
  auto a = this->ServeEcho("engine-a");
  EXPECT_TRUE(this->Send("engine-a", "x").first.ok());
  a.reset();
  EXPECT_TRUE(absl::IsUnavailable(this->Send("engine-a", "x").first));
}

TYPED_TEST_P(CommandBusContract, WithoutAReplyTheDeadlinePasses) {
  Collector<CommandBus::ReplyFn> held;
  auto a = this->bus().Serve("engine-a", [&](std::string, bool, CommandBus::ReplyFn reply) {
    held.Put(std::move(reply));
  });
  EXPECT_TRUE(absl::IsDeadlineExceeded(this->Send("engine-a", "x", absl::Milliseconds(200)).first));
  for (CommandBus::ReplyFn& late : held.Take()) late(std::string("too late"));  // harmless
}

TYPED_TEST_P(CommandBusContract, ABadStatusReachesTheSender) {
  auto a = this->bus().Serve("engine-a", [](std::string, bool, CommandBus::ReplyFn reply) {
    reply(absl::ResourceExhaustedError("full"));
  });
  EXPECT_EQ(this->Send("engine-a", "x").first, absl::ResourceExhaustedError("full"));
}

TYPED_TEST_P(CommandBusContract, OneEngineClaimsEachIngressCommand) {
  Collector<std::string> handled;
  std::vector<std::unique_ptr<CommandBus::Service>> services;
  for (int i = 0; i < 3; ++i) {
    services.push_back(
        this->bus().Serve(absl::StrCat("engine-", i),
                          [&](std::string command, bool from_ingress, CommandBus::ReplyFn reply) {
                            EXPECT_TRUE(from_ingress);
                            handled.Put(command);
                            reply(std::move(command));
                          }));
  }
  std::vector<std::string> commands;
  for (int i = 0; i < 30; ++i) {
    commands.push_back(absl::StrCat("command ", i));
    EXPECT_EQ(this->Submit(commands.back(), absl::StrCat("id-", i)),
              typename TestFixture::Reply(absl::OkStatus(), commands.back()));
  }
  EXPECT_THAT(handled.Take(), testing::UnorderedElementsAreArray(commands));
}

TYPED_TEST_P(CommandBusContract, TheIngressKeepsCommandsUntilSomebodyServes) {
  EXPECT_TRUE(absl::IsDeadlineExceeded(this->Submit("early", "id", absl::Milliseconds(200)).first));
  Collector<std::string> handled;
  auto a = this->bus().Serve("engine-a", [&](std::string command, bool, CommandBus::ReplyFn reply) {
    handled.Put(std::move(command));
    reply(std::string());
  });
  ASSERT_TRUE(handled.Await(this->backend_, 1));
  EXPECT_THAT(handled.Take(), testing::ElementsAre("early"));
}

TYPED_TEST_P(CommandBusContract, ACommandHandedBackIsTriedAgain) {
  Collector<std::string> handled;
  auto a = this->bus().Serve("engine-a", [&](std::string command, bool, CommandBus::ReplyFn reply) {
    handled.Put(command);
    switch (handled.size()) {
      case 1:
        return reply(absl::UnavailableError("not mine"));
      case 2:
        return;  // drops the reply
      default:
        return reply(std::string("done"));
    }
  });
  EXPECT_EQ(this->Submit("x", "id"), typename TestFixture::Reply(absl::OkStatus(), "done"));
  EXPECT_THAT(handled.Take(), testing::ElementsAre("x", "x", "x"));
}

TYPED_TEST_P(CommandBusContract, ACommandThatNeverSucceedsIsGivenUp) {
  Collector<std::string> handled;
  auto a = this->bus().Serve("engine-a", [&](std::string command, bool, CommandBus::ReplyFn reply) {
    handled.Put(command);
    reply(absl::UnavailableError("never"));
  });
  EXPECT_TRUE(absl::IsAborted(this->Submit("x", "id", absl::Seconds(55)).first));
  EXPECT_EQ(handled.size(), static_cast<size_t>(this->backend_.ingress_attempts()));
}

TYPED_TEST_P(CommandBusContract, AHeldCommandIsNotClaimedTwice) {
  Collector<std::string> handled;
  Collector<CommandBus::ReplyFn> held;
  auto a = this->bus().Serve("engine-a", [&](std::string command, bool, CommandBus::ReplyFn reply) {
    handled.Put(command);
    held.Put(std::move(reply));
  });
  EXPECT_TRUE(absl::IsDeadlineExceeded(this->Submit("x", "id", absl::Seconds(5)).first));
  EXPECT_EQ(handled.size(), 1u);
  for (CommandBus::ReplyFn& reply : held.Take()) reply(std::string("done at last"));
}

TYPED_TEST_P(CommandBusContract, TheSameIdIsDoneOnceAndAllWhoWaitAreAnswered) {
  Collector<CommandBus::ReplyFn> held;
  auto a = this->bus().Serve("engine-a", [&](std::string, bool, CommandBus::ReplyFn reply) {
    held.Put(std::move(reply));
  });
  typename TestFixture::Replies first, second;
  this->bus().Submit("x", "same", absl::Seconds(20), TestFixture::Into(&first));
  ASSERT_TRUE(held.Await(this->backend_, 1));
  this->bus().Submit("x", "same", absl::Seconds(20), TestFixture::Into(&second));
  for (CommandBus::ReplyFn& reply : held.Take()) reply(std::string("once"));
  EXPECT_EQ(this->Awaited(&first), typename TestFixture::Reply(absl::OkStatus(), "once"));
  EXPECT_EQ(this->Awaited(&second), typename TestFixture::Reply(absl::OkStatus(), "once"));
  EXPECT_EQ(held.size(), 0u);
}

TYPED_TEST_P(CommandBusContract, AReplyMayComeAfterTheServiceHasGone) {
  Collector<CommandBus::ReplyFn> held;
  auto a = this->bus().Serve("engine-a", [&](std::string, bool, CommandBus::ReplyFn reply) {
    held.Put(std::move(reply));
  });
  typename TestFixture::Replies sent, submitted;
  this->bus().Send("engine-a", "x", absl::Seconds(20), TestFixture::Into(&sent));
  this->bus().Submit("y", "id", absl::Seconds(20), TestFixture::Into(&submitted));
  ASSERT_TRUE(held.Await(this->backend_, 2));
  a.reset();
  for (CommandBus::ReplyFn& reply : held.Take()) reply(std::string("last words"));
  EXPECT_EQ(this->Awaited(&sent), typename TestFixture::Reply(absl::OkStatus(), "last words"));
  EXPECT_EQ(this->Awaited(&submitted), typename TestFixture::Reply(absl::OkStatus(), "last words"));
}

REGISTER_TYPED_TEST_SUITE_P(CommandBusContract, SendReachesTheEngineNamed,
                            SendToNobodyIsUnavailable, WithoutAReplyTheDeadlinePasses,
                            ABadStatusReachesTheSender, OneEngineClaimsEachIngressCommand,
                            TheIngressKeepsCommandsUntilSomebodyServes,
                            ACommandHandedBackIsTriedAgain, ACommandThatNeverSucceedsIsGivenUp,
                            AHeldCommandIsNotClaimedTwice,
                            TheSameIdIsDoneOnceAndAllWhoWaitAreAnswered,
                            AReplyMayComeAfterTheServiceHasGone);

}  // namespace jaque
