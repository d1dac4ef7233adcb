// SPDX-License-Identifier: Apache-2.0
#include "coordination/router.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/simulated_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "queue/memory_command_bus.h"

namespace jaque {
namespace {

constexpr uint32_t kShards = 128;

v1::View ViewOf(uint64_t epoch, const std::vector<std::string>& ids) {
  v1::View view;
  view.set_epoch(epoch);
  for (const std::string& id : ids) {
    v1::ViewMember& member = *view.add_members();
    member.set_id(id);
    member.set_weight(1);
  }
  return view;
}

std::shared_ptr<const Ownership> OwnershipOf(uint64_t epoch, const std::vector<std::string>& ids) {
  return std::make_shared<const Ownership>(ViewOf(epoch, ids), kShards);
}

v1::CommandReply Parsed(const std::string& bytes) {
  v1::CommandReply reply;
  EXPECT_TRUE(reply.ParseFromString(bytes));
  return reply;
}

// Engines on one bus, each with its router; "executing" a command notes who did it.
class RouterTest : public testing::Test {
 protected:
  struct Engine {
    Engine(RouterTest* test, const std::string& id)
        : router(id, &test->bus_, &metrics, [test, id](v1::Command command, CommandBus::ReplyFn r) {
            test->executed_.push_back(id + " " + command.object_id() +
                                      (command.forwarded() ? " forwarded" : ""));
            v1::CommandReply reply;
            reply.set_code(test->answer_);
            r(reply.SerializeAsString());
          }) {
      service = test->bus_.Serve(
          id, [this](std::string command, bool from_ingress, CommandBus::ReplyFn reply) {
            router.Handle(std::move(command), from_ingress, std::move(reply));
          });
    }
    Metrics metrics;
    Router router;
    std::unique_ptr<CommandBus::Service> service;
  };

  Engine& Start(const std::string& id) {
    return *(engines_[id] = std::make_unique<Engine>(this, id));
  }

  // An object that `id` owns.
  std::string ObjectOf(const Ownership& ownership, const std::string& id) {
    for (int i = 0;; ++i) {
      const std::string object = absl::StrCat("object-", i);
      if (ownership.OwnerOfObject(object) == id) return object;
    }
  }

  static std::string CommandFor(const std::string& object, bool forwarded = false) {
    v1::Command command;
    command.set_id("c");
    command.set_object_id(object);
    command.set_forwarded(forwarded);
    command.mutable_cancel_instance();
    return command.SerializeAsString();
  }

  absl::StatusOr<std::string> Send(const std::string& engine, const std::string& command) {
    absl::StatusOr<std::string> result = absl::UnknownError("not answered");
    bus_.Send(engine, command, absl::Seconds(60),
              [&](absl::StatusOr<std::string> reply) { result = std::move(reply); });
    return result;
  }

  std::optional<absl::StatusOr<std::string>> Submit(const std::string& command, int steps = 100) {
    auto result = std::make_shared<std::optional<absl::StatusOr<std::string>>>();
    bus_.Submit(command, absl::StrCat("id-", ++submitted_), absl::Seconds(60),
                [result](absl::StatusOr<std::string> reply) { *result = std::move(reply); });
    for (int i = 0; i < steps && !result->has_value(); ++i) Step();
    return *result;
  }
  void Step() {
    clock_.Advance(absl::Milliseconds(100));
    bus_.ExpireOverdue();
  }

  SimulatedClock clock_;
  MemoryCommandBus bus_{&clock_};
  v1::CommandReply::Code answer_ = v1::CommandReply::CODE_OK;
  std::vector<std::string> executed_;
  std::map<std::string, std::unique_ptr<Engine>> engines_;
  int submitted_ = 0;
};

TEST_F(RouterTest, TheOwnerHandlesItsOwn) {
  Engine& a = Start("a");
  const auto ownership = OwnershipOf(1, {"a", "b"});
  a.router.SetOwnership(ownership);
  const std::string object = ObjectOf(*ownership, "a");
  EXPECT_EQ(Parsed(*Send("a", CommandFor(object))).code(), v1::CommandReply::CODE_OK);
  EXPECT_EQ(Parsed(*Send("a", CommandFor(object, true))).code(), v1::CommandReply::CODE_OK);
  EXPECT_THAT(executed_, testing::ElementsAre("a " + object, "a " + object + " forwarded"));
  EXPECT_EQ(a.metrics.commands_forwarded_sent.Value(), 0);
}

TEST_F(RouterTest, AnothersCommandTravelsOneHopCountedOnceOnEachSide) {
  Engine& a = Start("a");
  Engine& b = Start("b");
  const auto ownership = OwnershipOf(1, {"a", "b"});
  a.router.SetOwnership(ownership);
  b.router.SetOwnership(ownership);
  const std::string object = ObjectOf(*ownership, "b");
  EXPECT_EQ(Parsed(*Send("a", CommandFor(object))).code(), v1::CommandReply::CODE_OK);
  EXPECT_THAT(executed_, testing::ElementsAre("b " + object + " forwarded"));
  EXPECT_EQ(a.metrics.commands_forwarded_sent.Value(), 1);
  EXPECT_EQ(b.metrics.commands_forwarded_sent.Value(), 0);
  EXPECT_EQ(b.metrics.commands_not_owned.Value(), 0);
}

TEST_F(RouterTest, NobodyWaitsForAnEngineThatHasLeft) {
  Engine& a = Start("a");
  std::vector<CommandBus::ReplyFn> never;
  const auto silent = bus_.Serve("b", [&](std::string, bool, CommandBus::ReplyFn reply) {
    never.push_back(std::move(reply));
  });
  const auto ownership = OwnershipOf(1, {"a", "b", "c"});
  a.router.SetOwnership(ownership);
  absl::StatusOr<std::string> result = absl::UnknownError("not answered");
  bus_.Send("a", CommandFor(ObjectOf(*ownership, "b")), absl::Seconds(60),
            [&](absl::StatusOr<std::string> reply) { result = std::move(reply); });
  a.router.SetOwnership(OwnershipOf(2, {"a", "b"}));
  EXPECT_TRUE(absl::IsUnknown(result.status()));  // b is there still
  a.router.SetOwnership(OwnershipOf(3, {"a", "c"}));
  EXPECT_TRUE(absl::IsUnavailable(result.status())) << result.status();
  EXPECT_EQ(a.metrics.commands_forwarded_error.Value(), 1);
  never.clear();
  EXPECT_EQ(a.metrics.commands_forwarded_error.Value(), 1);
}

TEST_F(RouterTest, AnEngineThatLeavesHandsBackWhatItHasSentOn) {
  Engine& a = Start("a");
  std::vector<CommandBus::ReplyFn> never;
  const auto silent = bus_.Serve("b", [&](std::string, bool, CommandBus::ReplyFn reply) {
    never.push_back(std::move(reply));
  });
  const auto ownership = OwnershipOf(1, {"a", "b"});
  a.router.SetOwnership(ownership);
  absl::StatusOr<std::string> result = absl::UnknownError("not answered");
  a.router.Handle(CommandFor(ObjectOf(*ownership, "b")), /*from_ingress=*/true,
                  [&](absl::StatusOr<std::string> reply) { result = std::move(reply); });
  EXPECT_TRUE(absl::IsUnknown(result.status()));
  a.router.Close();
  EXPECT_TRUE(absl::IsUnavailable(result.status())) << result.status();
}

TEST_F(RouterTest, OwnershipThatMovedMeansNotOwnedOnceThenSuccessByAFreshAttempt) {
  Engine& a = Start("a");
  Engine& b = Start("b");
  Engine& c = Start("c");
  const auto old = OwnershipOf(1, {"a", "b"}), now = OwnershipOf(2, {"a", "b", "c"});
  // An object of b that goes to c: a has not heard of it yet.
  std::string object;
  for (int i = 0; object.empty(); ++i) {
    const std::string candidate = absl::StrCat("object-", i);
    if (old->OwnerOfObject(candidate) == "b" && now->OwnerOfObject(candidate) == "c") {
      object = candidate;
    }
  }
  a.router.SetOwnership(old);
  b.router.SetOwnership(now);
  c.router.SetOwnership(now);
  // Straight to a: it says so.
  EXPECT_EQ(Parsed(*Send("a", CommandFor(object))).code(), v1::CommandReply::CODE_NOT_OWNED);
  EXPECT_EQ(b.metrics.commands_not_owned.Value(), 1);
  EXPECT_EQ(a.metrics.commands_forwarded_sent.Value(), 1);
  EXPECT_TRUE(executed_.empty());
  // Through the ingress, which a alone serves: handed back until a knows the view.
  b.service.reset();
  c.service.reset();
  b.service = bus_.Serve("b", [&](std::string command, bool ingress, CommandBus::ReplyFn reply) {
    if (ingress) return reply(absl::UnavailableError("leave it to a"));
    b.router.Handle(std::move(command), false, std::move(reply));
  });
  c.service = bus_.Serve("c", [&](std::string command, bool ingress, CommandBus::ReplyFn reply) {
    if (ingress) return reply(absl::UnavailableError("leave it to a"));
    c.router.Handle(std::move(command), false, std::move(reply));
  });
  EXPECT_FALSE(Submit(CommandFor(object), /*steps=*/3).has_value());
  a.router.SetOwnership(now);
  for (int i = 0; i < 200 && executed_.empty(); ++i) Step();
  EXPECT_THAT(executed_, testing::ElementsAre("c " + object + " forwarded"));
}

TEST_F(RouterTest, NoViewYetHandsTheIngressBack) {
  Engine& a = Start("a");
  EXPECT_EQ(Parsed(*Send("a", CommandFor("x"))).code(), v1::CommandReply::CODE_UNAVAILABLE);
  EXPECT_FALSE(Submit(CommandFor("x"), /*steps=*/2).has_value());
  a.router.SetOwnership(OwnershipOf(1, {"a"}));
  for (int i = 0; i < 200 && executed_.empty(); ++i) Step();
  EXPECT_THAT(executed_, testing::ElementsAre("a x"));
}

TEST_F(RouterTest, AnOwnerThatHasGoneIsAnErrorAndNoSecondHop) {
  Engine& a = Start("a");
  const auto ownership = OwnershipOf(1, {"a", "b"});
  a.router.SetOwnership(ownership);
  const auto result = Send("a", CommandFor(ObjectOf(*ownership, "b")));
  EXPECT_TRUE(absl::IsUnavailable(result.status()));
  EXPECT_EQ(a.metrics.commands_forwarded_error.Value(), 1);
  EXPECT_TRUE(executed_.empty());
}

TEST_F(RouterTest, AnOverloadedOwnerHandsTheIngressBack) {
  Engine& a = Start("a");
  a.router.SetOwnership(OwnershipOf(1, {"a"}));
  answer_ = v1::CommandReply::CODE_OVERLOADED;
  EXPECT_FALSE(Submit(CommandFor("x"), /*steps=*/3).has_value());
  answer_ = v1::CommandReply::CODE_OK;
  const size_t tried = executed_.size();
  for (int i = 0; i < 200 && executed_.size() == tried; ++i) Step();
  EXPECT_EQ(executed_.size(), tried + 1);
  EXPECT_TRUE(bus_.ListDead(0, 1)->empty());
}

TEST_F(RouterTest, WhatCannotBeReadIsInvalid) {
  Engine& a = Start("a");
  a.router.SetOwnership(OwnershipOf(1, {"a"}));
  EXPECT_EQ(Parsed(*Send("a", "\xff\xff\xff")).code(), v1::CommandReply::CODE_INVALID);
  const auto submitted = Submit("\xff\xff\xff");
  ASSERT_TRUE(submitted.has_value() && submitted->ok());
  EXPECT_EQ(Parsed(**submitted).code(), v1::CommandReply::CODE_INVALID);
}

TEST(Ownership, EveryShardHasOneOwnerAndAnotherStandby) {
  const Ownership ownership(ViewOf(7, {"a", "b", "c"}), kShards);
  EXPECT_EQ(ownership.epoch(), 7u);
  size_t owned = 0, standby = 0;
  for (const char* id : {"a", "b", "c"}) {
    owned += ownership.OwnedBy(id).size();
    standby += ownership.StandbyBy(id).size();
  }
  EXPECT_EQ(owned, kShards);
  EXPECT_EQ(standby, kShards);
  for (uint32_t shard = 0; shard < kShards; ++shard) {
    EXPECT_NE(ownership.OwnerOf(shard), ownership.StandbyOf(shard));
  }
  const Ownership alone(ViewOf(1, {"a"}), kShards);
  EXPECT_EQ(alone.OwnedBy("a").size(), kShards);
  EXPECT_EQ(alone.StandbyOf(0), "");
  EXPECT_EQ(Ownership(ViewOf(1, {}), kShards).OwnerOf(0), "");
}

}  // namespace
}  // namespace jaque
