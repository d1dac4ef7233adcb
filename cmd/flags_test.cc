// SPDX-License-Identifier: Apache-2.0
#include "cmd/flags.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Refusal(const Flags& flags) { return std::string(CheckServeFlags(flags).message()); }

TEST(FlagsTest, TargetsAreRoles) {
  EXPECT_THAT(*ParseTarget("all"),
              ElementsAre(Role::kEngine, Role::kWorker, Role::kSink, Role::kNotifier, Role::kUi));
  EXPECT_THAT(*ParseTarget("worker, engine"), ElementsAre(Role::kEngine, Role::kWorker));
}

TEST(FlagsTest, RolesThatAreNotBuiltYetSaySo) {
  EXPECT_EQ(ParseTarget("cook").status().message(),
            "\"cook\" is no role: all, engine, worker, sink, notifier or ui");
  EXPECT_FALSE(ParseTarget("").ok());
}

TEST(FlagsTest, CombinationsThatCannotWorkAreRefused) {
  Flags flags;
  EXPECT_THAT(Refusal(flags), HasSubstr("-target is missing"));
  flags.roles = {Role::kEngine};
  EXPECT_THAT(Refusal(flags), HasSubstr("engine without worker alone cannot work"));
  flags.roles = {Role::kWorker, Role::kUi};
  EXPECT_THAT(Refusal(flags), HasSubstr("worker without engine alone cannot work"));
  flags.roles = {Role::kUi};
  EXPECT_TRUE(CheckServeFlags(flags).ok());
  flags.queue = "nats://127.0.0.1:4222, nats://127.0.0.1:4223";
  EXPECT_TRUE(CheckServeFlags(flags).ok());
  flags.roles = {Role::kEngine};
  flags.coordination = "nats://127.0.0.1:4222";
  EXPECT_TRUE(CheckServeFlags(flags).ok());
  flags.heartbeat_ttl = absl::Milliseconds(500);
  EXPECT_THAT(Refusal(flags), HasSubstr("-heartbeat-ttl: at least 1s"));
  flags.queue = "nats://127.0.0.1:4222,memory";
  EXPECT_THAT(Refusal(flags), HasSubstr("-queue nats://127.0.0.1:4222,memory: write memory, or"));
  flags.queue = "memory";
  flags.roles = {Role::kEngine, Role::kWorker};
  EXPECT_THAT(Refusal(flags), HasSubstr("-coordination nats://… needs -queue nats://…"));
  flags.coordination = "memory";
  flags.heartbeat_ttl = absl::Seconds(10);
  flags.data_dir = "here";
  EXPECT_TRUE(CheckServeFlags(flags).ok());
  flags.queue = "nats://127.0.0.1:4222";
  EXPECT_THAT(Refusal(flags), HasSubstr("-data-dir goes with -queue memory"));
  flags.queue = "memory";
  flags.roles = {Role::kUi};
  EXPECT_THAT(Refusal(flags), HasSubstr("-data-dir is the folder of one process with an engine"));
  flags.data_dir.clear();
  flags.roles = {Role::kNotifier};
  EXPECT_THAT(Refusal(flags), HasSubstr("-target notifier needs -notify-rules"));
  flags.notify_rules = "rules.yaml";
  EXPECT_THAT(Refusal(flags), HasSubstr("a notifier on -queue memory has to be"));
  flags.roles = {Role::kEngine, Role::kWorker};
  EXPECT_THAT(Refusal(flags), HasSubstr("-notify-rules is for the role notifier"));
  flags.roles.insert(Role::kNotifier);
  EXPECT_TRUE(CheckServeFlags(flags).ok());
  flags.store.exports = {"webhook:http://127.0.0.1:1/"};
  EXPECT_THAT(Refusal(flags), HasSubstr("-export is for the role sink"));
  flags.roles.insert({Role::kSink, Role::kUi});
  EXPECT_TRUE(CheckServeFlags(flags).ok());
  flags.coordination = "zookeeper";
  EXPECT_THAT(Refusal(flags), HasSubstr("-coordination zookeeper: write memory"));
}

}  // namespace
}  // namespace jaque::cmd
