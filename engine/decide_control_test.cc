// SPDX-License-Identifier: Apache-2.0
// Suspending, resuming, and beginning in the middle.
#include "engine/core_fixture.h"
#include "engine/snapshot.h"
#include "gmock/gmock.h"

namespace jaque::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kTwoCalls[] = R"(do:
  - first: {call: http, with: {method: get, endpoint: 'http://127.0.0.1/1'}}
  - second: {call: http, with: {method: get, endpoint: 'http://127.0.0.1/2'}})";

v1::Command SuspendCommand() {
  v1::Command command;
  command.set_actor("ada");
  command.mutable_suspend_instance()->set_reason("looking at it");
  return command;
}

v1::Command ResumeCommand() {
  v1::Command command;
  command.mutable_resume_instance();
  return command;
}

TEST(Suspend, KeepsResultsAndTakesNoStep) {
  Core core(kTwoCalls);
  core.Start();
  const Outcome suspended = core.Execute(SuspendCommand());
  EXPECT_EQ(suspended.reply->instance().status(), v1::INSTANCE_STATUS_SUSPENDED);
  EXPECT_EQ(suspended.reply->instance().error().detail(), "looking at it");
  core.Succeed("1");
  EXPECT_THAT(core.tasks(), IsEmpty());
  EXPECT_EQ(core.Result(), "INSTANCE_STATUS_SUSPENDED");
  const v1::ShardSnapshot snapshot = TakeSnapshot(core.state());
  const auto restored = RestoreSnapshot(snapshot, &core.definitions());
  EXPECT_EQ(TakeSnapshot(*restored).SerializeAsString(), snapshot.SerializeAsString());
  core.Execute(ResumeCommand());
  ASSERT_THAT(core.tasks(), SizeIs(1));
  core.Succeed("2");
  EXPECT_EQ(core.Result(), "2");
}

TEST(Suspend, TimeGoesOn) {
  Core core("do: [{a: {wait: PT10S}}, {b: {set: {done: true}}}]");
  core.Start();
  core.Execute(SuspendCommand());
  ASSERT_TRUE(core.FireNext());
  EXPECT_EQ(core.Result(), "INSTANCE_STATUS_SUSPENDED");
  core.Execute(ResumeCommand());
  EXPECT_EQ(core.Result(), R"({"done":true})");
}

TEST(Suspend, IsSaidOnce) {
  Core core(kTwoCalls);
  core.Start();
  core.Execute(SuspendCommand());
  EXPECT_THAT(core.Execute(SuspendCommand()).facts, IsEmpty());
  EXPECT_THAT(core.Execute(ResumeCommand()).facts, SizeIs(1));
  EXPECT_THAT(core.Execute(ResumeCommand()).facts, IsEmpty());
}

TEST(Suspend, CanBeCancelledAndNotRevived) {
  Core core(kTwoCalls);
  core.Start();
  core.Execute(SuspendCommand());
  v1::Command cancel;
  cancel.mutable_cancel_instance();
  core.Execute(cancel);
  EXPECT_EQ(core.Execute(ResumeCommand()).reply->code(), v1::CommandReply::CODE_CONFLICT);
}

TEST(Suspend, WhatIsNotThereIsNotFound) {
  Core core(kTwoCalls);
  EXPECT_EQ(core.Execute(SuspendCommand()).reply->code(), v1::CommandReply::CODE_NOT_FOUND);
  EXPECT_EQ(core.Execute(ResumeCommand()).reply->code(), v1::CommandReply::CODE_NOT_FOUND);
}

TEST(Suspend, ResumingLiftsAQuarantine) {
  Core core(kTwoCalls);
  core.Start();
  core.tasks().clear();
  core.state().quarantined.insert("i");
  core.Execute(ResumeCommand());
  EXPECT_THAT(core.state().quarantined, IsEmpty());
  ASSERT_THAT(core.tasks(), SizeIs(1));  // its work, which nobody did, is dispatched again
  core.Succeed("1");
  core.Succeed("2");
  EXPECT_EQ(core.Result(), "2");
}

v1::Command StartFrom(uint32_t position, const std::string& data) {
  v1::Command command;
  v1::StartInstance* start = command.mutable_start_instance();
  start->set_definition("t/main:1.0.0");
  start->set_input(R"({"n":1})");
  start->set_rerun_of("old");
  start->mutable_from()->set_position(position);
  start->mutable_from()->set_data(data);
  start->mutable_from()->set_context(R"({"seen":true})");
  return command;
}

TEST(Rerun, BeginsInTheMiddle) {
  Core core(R"(do:
    - a: {set: {never: 1}}
    - b: {set: '${ {got: ., seen: $context.seen, input: $workflow.input} }'})");
  core.Execute(StartFrom(1, "7"));
  EXPECT_EQ(core.Result(), R"({"got":7,"seen":true,"input":{"n":1}})");
  EXPECT_EQ(core.events()[0].instance_started().rerun_of(), "old");
}

TEST(Rerun, OfWhatIsNotThereIsRefused) {
  Core core("do: [{a: {set: {x: 1}}}]");
  EXPECT_THAT(core.Execute(StartFrom(1, "7")).reply->message(),
              HasSubstr("cannot begin at position 1"));
  EXPECT_THAT(core.Execute(StartFrom(0, "{")).reply->message(), HasSubstr("no JSON"));
}

TEST(Tags, AreToldAndBounded) {
  Core core("do: [{a: {set: {x: 1}}}]");
  v1::Command command;
  command.set_actor("ada");
  v1::StartInstance* start = command.mutable_start_instance();
  start->set_definition("t/main:1.0.0");
  v1::Tag* tag = start->add_tags();
  tag->set_key("team");
  tag->set_value(std::string(limits::kTagBytes + 1, 'x'));
  EXPECT_EQ(core.Execute(command).reply->code(), v1::CommandReply::CODE_INVALID);
  tag->set_value("red");
  core.Execute(command);
  EXPECT_EQ(core.events()[0].instance_started().tags(0).value(), "red");
  EXPECT_EQ(core.events()[0].instance_started().actor(), "ada");
}

}  // namespace
}  // namespace jaque::engine
