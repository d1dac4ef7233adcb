// SPDX-License-Identifier: Apache-2.0
#include "engine/core_fixture.h"
#include "engine/performer.h"
#include "engine/snapshot.h"
#include "gmock/gmock.h"

namespace jaque::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kTask[] = "\ndo: [{a: {wait: PT1S}}]";
constexpr Micros kSecond = 1'000'000;
constexpr Micros kHour = 3'600 * kSecond;

// The schedule of t/main, and what it starts.
class ScheduleTest : public testing::Test {
 protected:
  void Define(const std::string& schedule) {
    core_.emplace(Cat("schedule: ", schedule, kTask));
    v1::Command set;
    set.mutable_set_schedule();
    reply_ = Do(set);
  }

  v1::ScheduleDescription Do(const v1::Command& command) {
    Outcome outcome = core_->Execute(command, "schedule/t/main");
    if (!outcome.reply.has_value()) return {};
    code_ = outcome.reply->code();
    message_ = outcome.reply->message();
    return outcome.reply->schedule();
  }

  // "INSTANCE INPUT" of what was to be started since the last call.
  std::vector<std::string> Fired() {
    std::vector<std::string> fired;
    for (; seen_ < core_->outbox().size(); ++seen_) {
      const v1::Command command = CommandOf(core_->outbox()[seen_]);
      EXPECT_EQ(command.start_instance().schedule(), "schedule/t/main");
      fired.push_back(Cat(command.object_id().substr(14), " ", command.start_instance().input()));
    }
    return fired;
  }

  const Schedule* state() { return core_->state().FindSchedule("schedule/t/main"); }

  void Ended() {
    v1::Command ended;
    ended.mutable_child_ended()->set_child_id(state()->last_instance);
    Do(ended);
  }

  void Confirm(bool refused = false) {
    v1::Command confirm;
    for (const auto& [id, entry] : state()->outbox)
      confirm.mutable_confirm_outbox()->add_entries(id);
    if (refused) confirm.mutable_confirm_outbox()->add_failures()->set_entry(1);
    Do(confirm);
  }

  // Restored from a snapshot, it is byte for byte what it was.
  void ExpectSnapshot() {
    const v1::ShardSnapshot snapshot = TakeSnapshot(core_->state());
    const auto restored = RestoreSnapshot(snapshot, &core_->definitions());
    ASSERT_TRUE(restored.ok()) << restored.status();
    EXPECT_EQ(TakeSnapshot(*restored).SerializeAsString(), snapshot.SerializeAsString());
    EXPECT_TRUE(CheckInvariants(*restored).ok());
  }

  std::optional<Core> core_;
  size_t seen_ = 0;
  v1::ScheduleDescription reply_;
  v1::CommandReply::Code code_ = v1::CommandReply::CODE_UNSPECIFIED;
  std::string message_;
};

// kStart is 2027-01-15T08:00:00Z.
TEST_F(ScheduleTest, EveryKeepsItsRhythm) {
  Define("{every: PT10M}");
  EXPECT_EQ(reply_.next_due_micros(), Core::kStart + kHour / 6);
  ASSERT_TRUE(core_->FireNext());
  EXPECT_THAT(Fired(), ElementsAre("20270115T081000Z {}"));
  core_->Advance(absl::Seconds(3));
  ASSERT_TRUE(core_->FireNext());
  EXPECT_THAT(Fired(), ElementsAre("20270115T082000Z {}"));
  EXPECT_EQ(state()->fired, 2);
  ExpectSnapshot();
}

TEST_F(ScheduleTest, CronIsInUtc) {
  Define("{cron: '30 2 * * *'}");
  ASSERT_TRUE(core_->FireNext());
  EXPECT_THAT(Fired(), ElementsAre("20270116T023000Z {}"));
}

TEST_F(ScheduleTest, ATimerOfAnEarlierRhythmIsIgnored) {
  Define("{every: PT10M}");
  v1::Command timer;
  timer.mutable_fire_timer()->set_kind(v1::TIMER_KIND_SCHEDULE);
  timer.mutable_fire_timer()->set_due_micros(Core::kStart + 5);
  core_->Advance(absl::Hours(1));
  Do(timer);
  EXPECT_THAT(Fired(), IsEmpty());
}

TEST_F(ScheduleTest, NeverFiresEarly) {
  Define("{every: PT10M}");
  v1::Command timer;
  timer.mutable_fire_timer()->set_due_micros(state()->next_due);
  Do(timer);
  EXPECT_THAT(Fired(), IsEmpty());
}

TEST_F(ScheduleTest, MakesUpForTheNewestOfManyMissed) {
  Define("{every: PT1M}");
  core_->Advance(absl::Hours(10));
  ASSERT_TRUE(core_->FireNext());
  const std::vector<std::string> fired = Fired();
  ASSERT_THAT(fired, SizeIs(limits::kMissedFirings));
  EXPECT_EQ(fired.back(), "20270115T180000Z {}");
  EXPECT_EQ(state()->next_due, core_->now() + kHour / 60);
}

TEST_F(ScheduleTest, ACronThatWasMissedForYearsTakesNoTime) {
  Define("{cron: '* * * * *'}");
  core_->Advance(absl::Hours(24 * 3'650));
  ASSERT_TRUE(core_->FireNext());
  EXPECT_THAT(Fired(), SizeIs(limits::kMissedFirings));
}

TEST_F(ScheduleTest, AfterWaitsForTheEnd) {
  Define("{after: PT5S}");
  ASSERT_TRUE(core_->FireNext());
  EXPECT_THAT(Fired(), ElementsAre("20270115T080000Z {}"));
  EXPECT_FALSE(core_->FireNext());
  Confirm();
  core_->Advance(absl::Minutes(1));
  Ended();
  EXPECT_EQ(state()->next_due, core_->now() + 5 * kSecond);
  Ended();  // told twice
  ASSERT_TRUE(core_->FireNext());
  EXPECT_THAT(Fired(), ElementsAre("20270115T080105Z {}"));
  EXPECT_FALSE(core_->FireNext());
}

TEST_F(ScheduleTest, AfterGoesOnWhereAStartIsRefused) {
  Define("{after: PT5S}");
  ASSERT_TRUE(core_->FireNext());
  Confirm(/*refused=*/true);
  EXPECT_EQ(state()->next_due, core_->now() + 5 * kSecond);
}

TEST_F(ScheduleTest, AfterDoesNotOverlapWhenResumed) {
  Define("{after: PT5S}");
  ASSERT_TRUE(core_->FireNext());
  v1::Command pause, resume;
  pause.mutable_pause_schedule()->set_reason("upgrade");
  resume.mutable_resume_schedule();
  EXPECT_EQ(Do(pause).reason(), "upgrade");
  EXPECT_EQ(Do(resume).next_due_micros(), 0);
  Ended();
  EXPECT_NE(state()->next_due, 0);
}

TEST_F(ScheduleTest, PausedFiresOnlyOutOfTurn) {
  Define("{every: PT10M}");
  v1::Command pause, trigger, resume;
  pause.mutable_pause_schedule();
  trigger.set_id("c1");
  trigger.mutable_trigger_schedule()->set_input(R"({"n":1})");
  resume.mutable_resume_schedule();
  EXPECT_TRUE(Do(pause).paused());
  core_->FireNext();
  EXPECT_THAT(Fired(), IsEmpty());
  EXPECT_THAT(Do(trigger).started(), SizeIs(1));
  Do(trigger);  // the same command again: the same instance
  const std::vector<std::string> fired = Fired();
  ASSERT_THAT(fired, SizeIs(2));
  EXPECT_EQ(fired[0], fired[1]);
  EXPECT_THAT(fired[0], HasSubstr(R"( {"n":1})"));
  EXPECT_EQ(Do(resume).next_due_micros(), core_->now() + kHour / 6);
  ExpectSnapshot();
}

TEST_F(ScheduleTest, BackfillFiresWhatWasDue) {
  Define("{every: PT10M}");
  core_->FireNext();
  core_->Advance(absl::Hours(2));
  core_->FireNext();
  Fired();
  v1::Command backfill;
  backfill.mutable_backfill_schedule()->set_from_micros(Core::kStart);
  backfill.mutable_backfill_schedule()->set_to_micros(Core::kStart + kHour / 2);
  backfill.mutable_backfill_schedule()->add_skip_micros(Core::kStart + kHour / 6);
  EXPECT_THAT(Do(backfill).started(), SizeIs(2));
  EXPECT_THAT(Fired(), ElementsAre("20270115T080000Z {}", "20270115T082000Z {}"));
  backfill.mutable_backfill_schedule()->set_to_micros(core_->now() + 1);
  Do(backfill);
  EXPECT_EQ(code_, v1::CommandReply::CODE_INVALID);
  backfill.mutable_backfill_schedule()->set_to_micros(core_->now());
  backfill.mutable_backfill_schedule()->set_from_micros(1);
  Do(backfill);
  EXPECT_THAT(message_, HasSubstr("more than 1000 firings"));
}

// O-EV-02: the input of an event-driven schedule is an array.
TEST_F(ScheduleTest, EventsFire) {
  Define("{on: {one: {with: {type: t.start}}}}");
  core_->Send(R"({"specversion":"1.0","id":"e0","source":"s","type":"other"})");
  core_->Send(R"({"specversion":"1.0","id":"e1","source":"s","type":"t.start","data":{"n":1}})");
  EXPECT_THAT(Fired(), ElementsAre(R"(e2 [{"n":1}])"));
  v1::Command again;
  again.mutable_deliver_event()->set_sequence(2);
  again.mutable_deliver_event()->set_event(
      R"({"specversion":"1.0","id":"e1","source":"s","type":"t.start","data":{"n":1}})");
  Do(again);
  EXPECT_THAT(Fired(), IsEmpty());
  ExpectSnapshot();
}

TEST_F(ScheduleTest, AllWaitsForEachWithTheSameCorrelation) {
  Define(
      "{on: {all: [{with: {type: a}, correlate: {o: {from: .data.o}}}, "
      "{with: {type: b}, correlate: {o: {from: .data.o}}}]}, read: envelope}");
  const auto event = [](const char* type, int order) {
    return Cat(R"({"specversion":"1.0","id":")", type, order, R"(","source":"s","type":")", type,
               R"(","data":{"o":)", order, "}}");
  };
  core_->Send(event("a", 1));
  core_->Send(event("b", 2));
  EXPECT_THAT(Fired(), IsEmpty());
  ExpectSnapshot();
  core_->Send(event("b", 1));
  const std::vector<std::string> fired = Fired();
  ASSERT_THAT(fired, SizeIs(1));
  EXPECT_THAT(fired[0], HasSubstr(R"("id":"a1")"));
  EXPECT_THAT(fired[0], HasSubstr(R"("id":"b1")"));
  core_->Send(event("a", 2));
  core_->Send(event("b", 2));
  EXPECT_THAT(Fired(), SizeIs(1));
}

TEST_F(ScheduleTest, AnyUntilGathers) {
  Define("{on: {any: [{with: {type: a}}], until: '${ length == 2 }'}}");
  core_->Send(R"({"specversion":"1.0","id":"1","source":"s","type":"a","data":1})");
  EXPECT_THAT(Fired(), IsEmpty());
  core_->Send(R"({"specversion":"1.0","id":"2","source":"s","type":"a","data":2})");
  EXPECT_THAT(Fired(), ElementsAre("e2 [1,2]"));
}

// O-EV-03
TEST_F(ScheduleTest, FollowsTheNewestVersion) {
  Define("{on: {one: {with: {type: t}}}}");
  core_->Define("main", Cat("schedule: {on: {one: {with: {type: t}}}}", kTask), "1.0.1");
  v1::Command set;
  set.mutable_set_schedule();
  EXPECT_EQ(Do(set).definition(), "t/main:1.0.1");
  core_->Send(R"({"specversion":"1.0","id":"1","source":"s","type":"t"})");
  EXPECT_THAT(Fired(), SizeIs(1));
  EXPECT_EQ(core_->outbox().back().entry.definition, "t/main:1.0.1");
  core_->Define("main", "do: [{a: {wait: PT1S}}]", "1.0.2");
  Do(set);
  Confirm();
  EXPECT_EQ(state(), nullptr);
  core_->Send(R"({"specversion":"1.0","id":"2","source":"s","type":"t"})");
  EXPECT_THAT(Fired(), IsEmpty());
}

TEST_F(ScheduleTest, KeepsItsRhythmWhereOnlyTheRestChanged) {
  Define("{every: PT10M}");
  core_->Advance(absl::Minutes(4));
  core_->Define("main", "schedule: {every: PT10M}\ndo: [{a: {wait: PT2S}}]", "1.0.1");
  v1::Command set;
  set.mutable_set_schedule();
  EXPECT_EQ(Do(set).next_due_micros(), Core::kStart + kHour / 6);
}

TEST_F(ScheduleTest, WhatIsNotThereIsNotFound) {
  Define("{every: PT10M}");
  v1::Command pause;
  pause.mutable_pause_schedule();
  const Outcome outcome = core_->Execute(pause, "schedule/t/none");
  EXPECT_EQ(outcome.reply->code(), v1::CommandReply::CODE_NOT_FOUND);
  EXPECT_EQ(outcome.reply->message(), "there is no schedule t/none");
}

}  // namespace
}  // namespace jaque::engine
