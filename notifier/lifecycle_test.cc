// SPDX-License-Identifier: Apache-2.0
// The events that real facts make: those of the engine's own decisions.
#include "notifier/lifecycle.h"

#include <set>

#include "engine/core_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::notifier {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LifecycleTest : public ::testing::Test {
 protected:
  // What the core has decided since, each fact a decision of its own.
  v1::LogBatch Batch(engine::Core& core) {
    v1::LogBatch batch;
    for (; read_ < core.events().size(); ++read_) {
      v1::Decision* decision = batch.add_decisions();
      decision->set_object_id("i");
      decision->set_at_micros(engine::Core::kStart);
      *decision->add_events() = core.events()[read_];
    }
    return batch;
  }
  static std::vector<std::string> Types(LifecycleReader& reader, const v1::LogBatch& batch) {
    std::vector<std::string> types;
    reader.Read(batch, [&](const LifecycleEvent& event) {
      if (event.type.find("status-changed") != std::string_view::npos) return;
      const std::string_view task = event.data.StringOr("task", "");
      types.push_back(Cat(event.type, task.empty() ? "" : " ", task));
    });
    return types;
  }

  size_t read_ = 0;
};

TEST_F(LifecycleTest, TellsOfAWorkflowAndItsTasks) {
  engine::Core core(
      "do:\n  - set: {set: {n: 1}}\n  - skip: {if: '${ false }', set: {n: 2}}\n"
      "  - call: {call: http, with: {method: get, endpoint: 'http://a'}}\n");
  LifecycleReader reader(&core.definitions());
  core.Start();
  EXPECT_THAT(Types(reader, Batch(core)),
              ElementsAre("workflow.started", "task.created /do/0/set", "task.started /do/0/set",
                          "task.completed /do/0/set", "task.created /do/2/call",
                          "task.started /do/2/call"));
  core.Succeed("{}");
  EXPECT_THAT(Types(reader, Batch(core)),
              ElementsAre("task.completed /do/2/call", "workflow.completed"));
  EXPECT_EQ(reader.instances(), 0u);
}

TEST_F(LifecycleTest, TellsOfRetriesAndFaults) {
  engine::Core core(R"(do:
  - try:
      try:
        - call: {call: http, with: {method: get, endpoint: 'http://a'}}
      catch:
        retry: {delay: {seconds: 1}, limit: {attempt: {count: 1}}}
)");
  LifecycleReader reader(&core.definitions());
  core.Start();
  Batch(core);
  read_ = 0;
  const std::vector<std::string> begun = Types(reader, Batch(core));
  core.Fail(503);
  core.FireNext();
  EXPECT_THAT(
      Types(reader, Batch(core)),
      ElementsAre("task.faulted /do/0/try/try/0/call", "task.retried /do/0/try",
                  "task.created /do/0/try/try/0/call", "task.started /do/0/try/try/0/call"));
  core.Fail(503);
  std::vector<LifecycleEvent> events;
  reader.Read(Batch(core), [&](LifecycleEvent event) { events.push_back(std::move(event)); });
  ASSERT_FALSE(events.empty());
  const auto fault = std::find_if(events.begin(), events.end(), [](const LifecycleEvent& event) {
    return event.type == "workflow.faulted";
  });
  ASSERT_NE(fault, events.end());
  EXPECT_THAT(ToJson(fault->data), HasSubstr("\"name\":\"i.t\""));
  EXPECT_THAT(ToJson(fault->data), HasSubstr("\"faultedAt\":\"2027-01-15T08:00:00+00:00\""));
  EXPECT_THAT(ToJson(fault->data), HasSubstr("\"status\":503"));
  EXPECT_EQ(fault->namespace_ + "/" + fault->name + ":" + fault->version, "t/main:1.0.0");
}

TEST_F(LifecycleTest, ACancelEndsWhatIsOpen) {
  engine::Core core("do:\n  - rest: {wait: {seconds: 5}}\n");
  LifecycleReader reader(&core.definitions());
  core.Start();
  Types(reader, Batch(core));
  v1::Command command;
  command.mutable_cancel_instance()->set_reason("enough");
  core.Execute(std::move(command));
  EXPECT_THAT(Types(reader, Batch(core)),
              ElementsAre("task.cancelled /do/0/rest", "workflow.cancelled"));
}

TEST_F(LifecycleTest, AListenCorrelates) {
  engine::Core core("do:\n  - hear: {listen: {to: {one: {with: {type: a}}}}}\n");
  LifecycleReader reader(&core.definitions());
  core.Start();
  EXPECT_THAT(Types(reader, Batch(core)), testing::Contains("workflow.correlation-started"));
  core.Send(R"({"specversion": "1.0", "id": "1", "source": "/s", "type": "a", "data": 1})");
  EXPECT_THAT(Types(reader, Batch(core)), testing::Contains("workflow.correlation-completed"));
}

TEST_F(LifecycleTest, GoesOnFromWhatWasSaved) {
  engine::Core core("do:\n  - a: {wait: {seconds: 5}}\n  - b: {set: {n: 1}}\n");
  LifecycleReader first(&core.definitions()), second(&core.definitions()),
      unaware(&core.definitions());
  core.Start();
  Types(first, Batch(core));
  ASSERT_TRUE(second.Restore(first.Save()).ok());
  core.FireNext();
  const v1::LogBatch rest = Batch(core);
  EXPECT_THAT(Types(second, rest),
              ElementsAre("task.completed /do/0/a", "task.created /do/1/b", "task.started /do/1/b",
                          "task.completed /do/1/b", "workflow.completed"));
  EXPECT_THAT(Types(unaware, rest), IsEmpty());
  EXPECT_FALSE(second.Restore("nonsense").ok());
}

TEST_F(LifecycleTest, KeysAreUniqueAndTheSameForEveryReader) {
  engine::Core core(
      "do:\n  - a: {set: {n: 1}}\n  - b: {fork: {branches: [{c: {wait: {seconds: 1}}},"
      " {d: {wait: {seconds: 1}}}]}}\n");
  core.Start();
  v1::Command command;
  command.mutable_cancel_instance();
  core.Execute(std::move(command));
  const v1::LogBatch batch = Batch(core);
  const auto keys = [&] {
    LifecycleReader reader(&core.definitions());
    std::vector<std::string> found;
    reader.Read(batch, [&](const LifecycleEvent& event) { found.push_back(event.key); });
    return found;
  };
  const std::vector<std::string> once = keys();
  EXPECT_EQ(once, keys());
  EXPECT_EQ(std::set<std::string>(once.begin(), once.end()).size(), once.size());
  EXPECT_GT(once.size(), 10u);
}

}  // namespace
}  // namespace jaque::notifier
