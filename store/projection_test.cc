// SPDX-License-Identifier: Apache-2.0
#include "store/projection.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/store_fixture.h"
#include "tests/support/temp_folder.h"

namespace jaque::store {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class ProjectionTest : public DatabaseTest {
 protected:
  // Of the task that began last.
  TaskRow LastTask(const std::string& id) {
    return filled().store()->Tasks(id, 0, 100)->items.back();
  }
};
INSTANTIATE_TEST_SUITE_P(Databases, ProjectionTest, ::testing::Values("sqlite", "postgres"),
                         [](const auto& test) { return test.param; });

v1::Event Raised(uint32_t frame, uint32_t task) {
  v1::Event event;
  event.mutable_error_raised()->set_frame(frame);
  event.mutable_error_raised()->set_task(task);
  event.mutable_error_raised()->set_has_task(true);
  event.mutable_error_raised()->mutable_error()->set_title("Bad");
  event.mutable_error_raised()->mutable_error()->set_instance("/do/1/try/try/0/call");
  return event;
}
v1::Event Retry(uint32_t frame, uint32_t attempt, int64_t due) {
  v1::Event event;
  event.mutable_retry_scheduled()->set_frame(frame);
  event.mutable_retry_scheduled()->set_attempt(attempt);
  event.mutable_retry_scheduled()->set_due_micros(due);
  return event;
}

TEST_P(ProjectionTest, AnInstanceFromStartToEnd) {
  const HistorySeq start = filled().Start("i1", {{"team", "blue"}});
  filled().Add("i1", Filled::Done(0, 1, 0));
  filled().Begin("i1", 2, 1, 5);
  EXPECT_EQ(filled().StatusOf("i1"), v1::INSTANCE_STATUS_WAITING);
  filled().Add("i1", Filled::Done(2, 1, 5));
  EXPECT_EQ(filled().StatusOf("i1"), v1::INSTANCE_STATUS_RUNNING);
  const HistorySeq end = filled().Complete("i1");
  const auto record = filled().store()->GetInstance("i1");
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->row.status, v1::INSTANCE_STATUS_COMPLETED);
  EXPECT_EQ(record->row.namespace_, "test");
  EXPECT_EQ(record->row.name, "steps");
  EXPECT_EQ(record->row.version, "1.0.0");
  EXPECT_EQ(record->row.ended, filled().now());
  EXPECT_EQ(record->input, "{\"n\":1}");
  EXPECT_EQ(record->output, "{\"n\":2}");
  EXPECT_EQ(record->last_seq, end);
  EXPECT_THAT(record->row.tags, ElementsAre(std::pair<std::string, std::string>("team", "blue")));
  EXPECT_THAT(filled().Tasks("i1"), ElementsAre("set:completed", "rest:completed"));
  const auto history = filled().store()->History("i1", 0, 100);
  ASSERT_TRUE(history.ok());
  ASSERT_THAT(history->items, SizeIs(5));
  EXPECT_EQ(history->items[0].seq, start);
  EXPECT_EQ(history->items[0].kind, "InstanceStarted");
  EXPECT_EQ(history->items[2].task, "/do/3/rest");
  EXPECT_TRUE(history->items[4].event.has_instance_completed());
}

TEST_P(ProjectionTest, ATaskKnowsWhichIterationAndAttemptItIsIn) {
  filled().Start("i1");
  filled().Begin("i1", 2, 1, 3);
  v1::Event iteration;
  iteration.mutable_iteration_started()->set_frame(2);
  iteration.mutable_iteration_started()->set_iteration(7);
  filled().Add("i1", iteration);
  const HistorySeq inner = filled().Begin("i1", 3, 2, 1);
  filled().Begin("i1", 4, 3, 2);
  TaskRow call = LastTask("i1");
  EXPECT_EQ(call.pointer, "/do/1/try/try/0/call");
  EXPECT_EQ(call.parent, inner);
  EXPECT_EQ(call.iteration, 7);
  EXPECT_EQ(call.attempt, 1);
  EXPECT_EQ(filled().StatusOf("i1"), v1::INSTANCE_STATUS_RUNNING);

  filled().Add("i1", {Raised(3, 2), Retry(3, 2, 5)});
  EXPECT_EQ(filled().StatusOf("i1"), v1::INSTANCE_STATUS_WAITING);
  EXPECT_THAT(filled().Tasks("i1"), ElementsAre("each:running", "try:waiting", "call:faulted"));
  EXPECT_EQ(LastTask("i1").error_title, "Bad");
  v1::Event attempt;
  attempt.mutable_attempt_started()->set_frame(3);
  attempt.mutable_attempt_started()->set_attempt(2);
  filled().Add("i1", attempt);
  filled().Begin("i1", 5, 3, 2);
  EXPECT_EQ(LastTask("i1").attempt, 2);
  EXPECT_EQ(LastTask("i1").iteration, 7);
}

TEST_P(ProjectionTest, AnErrorTakesWhatIsBelowItsCatch) {
  filled().Start("i1");
  filled().Begin("i1", 2, 1, 1);  // try
  filled().Begin("i1", 3, 2, 7);  // fork
  filled().Begin("i1", 4, 3, 8);
  filled().Begin("i1", 5, 3, 9);
  v1::Event caught;
  caught.mutable_catch_started()->set_frame(2);
  filled().Add("i1", {Raised(3, 8), caught});
  // The branch failed and with it the fork; the other branch did nothing wrong.
  EXPECT_THAT(filled().Tasks("i1"),
              ElementsAre("try:running", "both:faulted", "a:faulted", "b:cancelled"));
}

TEST_P(ProjectionTest, ATaskThatFailsWhenItBeginsIsShown) {
  filled().Start("i1");
  filled().Add("i1", {Raised(1, 0), Filled::Faulted("Bad", "it was")});
  EXPECT_THAT(filled().Tasks("i1"), ElementsAre("set:faulted"));
  EXPECT_EQ(filled().StatusOf("i1"), v1::INSTANCE_STATUS_FAULTED);
  EXPECT_EQ(filled().store()->GetInstance("i1")->error->detail(), "it was");
}

TEST_P(ProjectionTest, TheEndOfAnInstanceCancelsWhatRan) {
  filled().Start("i1");
  filled().Begin("i1", 2, 1, 7);
  filled().Begin("i1", 3, 2, 8);
  v1::Event cancelled;
  cancelled.mutable_instance_cancelled()->set_reason("enough");
  filled().Add("i1", cancelled);
  EXPECT_THAT(filled().Tasks("i1"), ElementsAre("both:cancelled", "a:cancelled"));
  EXPECT_EQ(filled().store()->GetInstance("i1")->row.reason, "enough");
}

TEST_P(ProjectionTest, TheFirstBranchOfACompetingForkCancelsTheOthers) {
  filled().Start("i1");
  filled().Begin("i1", 2, 1, 7);
  filled().Begin("i1", 3, 2, 8);
  filled().Begin("i1", 4, 2, 9);
  filled().Add("i1", {Filled::Done(3, 2, 8), Filled::Done(2, 1, 7)});
  EXPECT_THAT(filled().Tasks("i1"), ElementsAre("both:completed", "a:completed", "b:cancelled"));
}

TEST_P(ProjectionTest, EndEndsWhatIsAroundIt) {
  filled().Start("i1");
  filled().Begin("i1", 2, 1, 7);
  filled().Begin("i1", 3, 2, 8);
  filled().Begin("i1", 4, 2, 9);
  v1::Event end = Filled::Done(3, 2, 8);
  end.mutable_task_completed()->mutable_next()->set_kind(v1::FlowTaken::KIND_END);
  filled().Add("i1", end);
  EXPECT_THAT(filled().Tasks("i1"), ElementsAre("both:completed", "a:completed", "b:cancelled"));
}

TEST_P(ProjectionTest, SuspendedUntilItIsResumed) {
  filled().Start("i1");
  v1::Event suspended, resumed;
  suspended.mutable_instance_suspended()->set_reason("lunch");
  resumed.mutable_instance_resumed();
  filled().Add("i1", suspended);
  filled().Begin("i1", 2, 1, 5);
  EXPECT_EQ(filled().StatusOf("i1"), v1::INSTANCE_STATUS_SUSPENDED);
  EXPECT_EQ(filled().store()->GetInstance("i1")->row.reason, "lunch");
  filled().Add("i1", resumed);
  EXPECT_EQ(filled().StatusOf("i1"), v1::INSTANCE_STATUS_WAITING);
}

TEST_P(ProjectionTest, ABatchOfAnEpochThatHasPassedMovesThePositionAlone) {
  std::set<std::string> known;
  Projection projection(LookUpSteps, &known);
  ShardPosition position;
  position.shard = 3;
  position.sequence = 9;
  position.epoch = 5;
  v1::LogBatch batch;
  batch.set_epoch(4);
  batch.add_decisions()->set_object_id("i1");
  batch.mutable_decisions(0)->add_events()->mutable_instance_started()->set_definition(kDefinition);
  const auto added = projection.Add(batch, 12, &position);
  ASSERT_TRUE(added.ok());
  EXPECT_FALSE(*added);
  EXPECT_EQ(position.sequence, 12);
  EXPECT_EQ(position.epoch, 5);
  EXPECT_THAT(projection.TakeStatements(), SizeIs(1));
}

TEST_P(ProjectionTest, OfTwoThatProjectTheSameOneIsRefused) {
  v1::LogBatch batch;
  batch.set_epoch(1);
  std::set<std::string> known;
  ShardPosition one, other;
  Projection first(LookUpSteps, &known), second(LookUpSteps, &known);
  ASSERT_TRUE(first.Add(batch, 4, &one).ok());
  ASSERT_TRUE(second.Add(batch, 4, &other).ok());
  EXPECT_TRUE(filled().database()->Write(first.TakeStatements()).ok());
  EXPECT_TRUE(absl::IsAborted(filled().database()->Write(second.TakeStatements()).status()));
}

TEST_P(ProjectionTest, TheSameIdAgainIsAnotherInstance) {
  filled().Start("i1", {{"team", "blue"}});
  filled().Begin("i1", 2, 1, 5);
  filled().Complete("i1");
  filled().Start("i1", {{"team", "red"}});
  filled().Begin("i1", 2, 1, 5);
  EXPECT_THAT(filled().Tasks("i1"), ElementsAre("rest:waiting"));
  EXPECT_THAT(filled().store()->History("i1", 0, 100)->items, SizeIs(2));
  InstanceFilter blue, red;
  blue.tags = {{"team", "blue"}};
  red.tags = {{"team", "red"}};
  EXPECT_THAT(filled().Ids(blue), SizeIs(0));
  EXPECT_THAT(filled().Ids(red), ElementsAre("i1"));
}

TEST_P(ProjectionTest, FactsOfAnInstanceThatIsNotThereAreDropped) {
  filled().Begin("gone", 2, 1, 5);
  filled().Complete("gone");
  EXPECT_TRUE(absl::IsNotFound(filled().store()->GetInstance("gone").status()));
  EXPECT_THAT(filled().Tasks("gone"), SizeIs(0));
}

TEST_P(ProjectionTest, ADefinitionThatNobodyHasLeavesTasksWithoutNames) {
  filled().Start("i1", {}, "test/lost:2.0.0");
  filled().Begin("i1", 2, 1, 5);
  EXPECT_THAT(filled().Tasks("i1"), ElementsAre(":running"));
  EXPECT_EQ(filled().store()->GetInstance("i1")->row.name, "lost");
}

TEST_P(ProjectionTest, SchedulesAreKept) {
  v1::Event set, fired, paused;
  set.mutable_schedule_set()->set_definition(kDefinition);
  set.mutable_schedule_set()->set_next_due_micros(50);
  fired.mutable_schedule_fired()->set_due_micros(50);
  fired.mutable_schedule_fired()->set_instance_id("i9");
  fired.mutable_schedule_fired()->set_next_due_micros(60);
  paused.mutable_schedule_paused()->set_reason("night");
  filled().Add("schedule/test/steps", set);
  filled().Add("schedule/test/steps", fired);
  auto schedules = filled().store()->ListSchedules();
  ASSERT_TRUE(schedules.ok());
  ASSERT_THAT(*schedules, SizeIs(1));
  EXPECT_EQ((*schedules)[0].name, "steps");
  EXPECT_EQ((*schedules)[0].schedule.next_due_micros(), 60);
  EXPECT_EQ((*schedules)[0].schedule.last_instance(), "i9");
  EXPECT_EQ((*schedules)[0].schedule.fired(), 1);
  filled().Add("schedule/test/steps", paused);
  schedules = filled().store()->ListSchedules();
  EXPECT_TRUE((*schedules)[0].schedule.paused());
  EXPECT_EQ((*schedules)[0].schedule.next_due_micros(), 0);
}

TEST_P(ProjectionTest, OpeningsAndConsumedEventsAreFound) {
  v1::Event opened, consumed;
  opened.mutable_shard_opened()->set_engine("e1");
  opened.mutable_shard_opened()->set_unclean(true);
  filled().Add("", opened);
  filled().Start("i1");
  filled().Begin("i1", 2, 1, 6);
  EXPECT_EQ(filled().StatusOf("i1"), v1::INSTANCE_STATUS_WAITING);
  consumed.mutable_event_consumed()->set_frame(2);
  consumed.mutable_event_consumed()->set_source("urn:s");
  consumed.mutable_event_consumed()->set_id("e7");
  filled().Add("i1", consumed);
  const auto matches = filled().store()->EventMatches("urn:s", "e7", 10);
  ASSERT_TRUE(matches.ok());
  ASSERT_THAT(*matches, SizeIs(1));
  EXPECT_EQ((*matches)[0].instance, "i1");
  EXPECT_EQ((*matches)[0].task, "/do/4/hear");
  const auto openings = filled().store()->Openings(10);
  ASSERT_THAT(*openings, SizeIs(1));
  EXPECT_TRUE((*openings)[0].unclean);
}

}  // namespace
}  // namespace jaque::store
