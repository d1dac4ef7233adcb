// SPDX-License-Identifier: Apache-2.0
// What careful mode and quarantine do to a shard's state, and to commands; how a shard marks what
// it runs is in tests/simulation and tests/cluster.
#include "absl/time/time.h"
#include "base/limits.h"
#include "engine/apply.h"
#include "engine/decide.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::engine {
namespace {

class CarefulTest : public testing::Test {
 protected:
  void Open(bool unclean) {
    Fact fact;
    fact.event.mutable_shard_opened()->set_engine("e");
    fact.event.mutable_shard_opened()->set_unclean(unclean);
    Apply(&state_, "", now_, fact, nullptr);
  }
  void Mark(const std::string& object) {
    Fact fact;
    fact.event.mutable_execution_marked();
    Apply(&state_, object, now_, fact, nullptr);
  }
  void Quarantine(const std::string& object) {
    Fact fact;
    fact.event.mutable_instance_quarantined();
    Apply(&state_, object, now_, fact, nullptr);
  }
  Outcome Execute(v1::Command command) {
    command.set_object_id("i");
    Environment environment;
    environment.now = now_;
    return Decide(&state_, command, environment);
  }

  ShardState state_;
  Micros now_ = 1'800'000'000'000'000;
};

TEST_F(CarefulTest, WhatWasMarkedWhenOwnersDiedIsSuspected) {
  Open(/*unclean=*/false);
  Mark("i");
  Open(/*unclean=*/true);
  EXPECT_THAT(state_.suspects, testing::ElementsAre(testing::Pair("i", 1)));
  EXPECT_EQ(state_.marked, "");
  Mark("i");
  Open(/*unclean=*/true);
  EXPECT_THAT(state_.suspects, testing::ElementsAre(testing::Pair("i", 2)));
  EXPECT_EQ(state_.deaths.size(), 2u);
}

TEST_F(CarefulTest, WhatWentWellOrWasHandedOverIsNot) {
  Mark("i");
  Mark("");  // it went well, without a fact
  Open(/*unclean=*/true);
  Mark("i");
  Open(/*unclean=*/false);  // the owner before lives
  Open(/*unclean=*/true);
  EXPECT_TRUE(state_.suspects.empty());
  EXPECT_EQ(state_.deaths.size(), 2u);
}

TEST_F(CarefulTest, DeathsThatLieFarApartAreForgotten) {
  Mark("i");
  Open(/*unclean=*/true);
  now_ += limits::kDeathWindowMicros + 1;
  Mark("i");
  Open(/*unclean=*/true);
  EXPECT_EQ(state_.deaths.size(), 1u);
  EXPECT_THAT(state_.suspects, testing::ElementsAre(testing::Pair("i", 1)));
}

TEST_F(CarefulTest, AnObjectInQuarantineIsShownAndNotRun) {
  Quarantine("i");
  v1::Command describe, start, result, cancel;
  describe.mutable_describe_instance();
  Outcome outcome = Execute(describe);
  EXPECT_EQ(outcome.reply->code(), v1::CommandReply::CODE_OK);
  EXPECT_EQ(outcome.reply->instance().status(), v1::INSTANCE_STATUS_SUSPENDED);
  EXPECT_THAT(outcome.reply->instance().error().detail(), testing::HasSubstr("quarantined"));
  start.mutable_start_instance()->set_definition("t/main:1.0.0");
  EXPECT_EQ(Execute(start).reply->code(), v1::CommandReply::CODE_INVALID);
  result.mutable_task_result()->set_output("{}");
  outcome = Execute(result);
  EXPECT_EQ(outcome.reply->code(), v1::CommandReply::CODE_OK);
  EXPECT_TRUE(outcome.facts.empty());
  cancel.mutable_cancel_instance();
  outcome = Execute(cancel);
  ASSERT_EQ(outcome.facts.size(), 1u);
  EXPECT_TRUE(outcome.facts[0].event.has_quarantine_lifted());
  EXPECT_TRUE(state_.quarantined.empty());
}

}  // namespace
}  // namespace jaque::engine
