// SPDX-License-Identifier: Apache-2.0
// emit and listen (reference, "Emit", "Listen", "Event Consumption Strategy").
#include "engine/core_fixture.h"

namespace jaque::engine {
namespace {

std::string Event(const std::string& id, const std::string& type, const std::string& data) {
  return Cat(R"({"specversion":"1.0","source":"urn:s","id":")", id, R"(","type":")", type,
             R"(","data":)", data, "}");
}

TEST(ListenTest, OneEventThatMatches) {
  Core core("do: [{l: {listen: {to: {one: {with: {type: a, data: '${ .n > 1 }'}}}}}}]");
  core.Start();
  core.Send(Event("1", "b", "{\"n\":5}"));
  core.Send(Event("2", "a", "{\"n\":1}"));
  core.Send(Event("3", "a", "\"text\""));  // the filter fails on it: no match, no fault
  EXPECT_EQ(core.Result(), "INSTANCE_STATUS_WAITING");
  core.Send(Event("4", "a", "{\"n\":2}"));
  EXPECT_EQ(core.Result(), R"([{"n":2}])");
}

TEST(ListenTest, AllNeedsEachFilterOnce) {
  Core core("do: [{l: {listen: {to: {all: [{with: {type: a}}, {with: {type: b}}]}}}}]");
  core.Start();
  core.Send(Event("1", "b", "1"));
  core.Send(Event("2", "b", "2"));
  EXPECT_EQ(core.Result(), "INSTANCE_STATUS_WAITING");
  core.Send(Event("3", "a", "3"));
  EXPECT_EQ(core.Result(), "[1,3]");
}

TEST(ListenTest, AnyWithoutUntilTakesTheFirst) {
  Core core("do: [{l: {listen: {to: {any: []}}}}]");
  core.Start();
  core.Send(Event("1", "whatever", "7"));
  EXPECT_EQ(core.Result(), "[7]");
}

TEST(ListenTest, UntilAConditionHolds) {
  Core core("do: [{l: {listen: {to: {any: [], until: '( . | length ) > 2'}}}}]");
  core.Start();
  for (int i = 1; i <= 3; ++i) core.Send(Event(Cat(i), "a", Cat(i)));
  EXPECT_EQ(core.Result(), "[1,2,3]");
}

TEST(ListenTest, UntilAnotherEventComesWhichIsNoItem) {
  Core core(
      "do: [{l: {listen: {to: {any: [{with: {type: a}}], until: {one: {with: {type: stop}}}}}}}]");
  core.Start();
  core.Send(Event("1", "a", "1"));
  core.Send(Event("2", "stop", "2"));
  EXPECT_EQ(core.Result(), "[1]");
}

TEST(ListenTest, ForeachRunsForOneAfterTheOther) {
  Core core(R"(
do:
  - l:
      listen: {to: {any: [{with: {type: a}}], until: {one: {with: {type: stop}}}}}
      foreach:
        item: e
        at: i
        do: [{c: {call: http, with: {method: get, endpoint: 'http://127.0.0.1/'}}}]
        output: {as: '${ {e: $e, i: $i, r: .} }'}
)");
  core.Start();
  core.Send(Event("1", "a", "10"));
  core.Send(Event("2", "a", "20"));
  core.Send(Event("3", "stop", "0"));
  ASSERT_EQ(core.tasks().size(), 1u);
  core.Succeed("\"x\"");
  ASSERT_EQ(core.tasks().size(), 1u);
  core.Succeed("\"y\"");
  EXPECT_EQ(core.Result(), R"([{"e":10,"i":0,"r":"x"},{"e":20,"i":1,"r":"y"}])");
}

TEST(ListenTest, UntilIsAskedAfterEachIterationOfAForeach) {
  Core core(R"(
do:
  - l:
      listen: {to: {any: [], until: '${ $context.n == 2 }'}}
      foreach:
        do: [{s: {set: {x: 1}}}]
        export: {as: '${ {n: (($context.n // 0) + 1)} }'}
)");
  core.Start();
  for (int i = 1; i <= 3; ++i) core.Send(Event(Cat(i), "a", Cat(i)));
  EXPECT_EQ(core.Result(), R"([{"x":1},{"x":1}])");
}

TEST(ListenTest, TheEnvelopeCanBeRead) {
  Core core(
      "do: [{l: {listen: {to: {one: {with: {type: a}}}, read: envelope}, "
      "output: {as: '.[0].id'}}}]");
  core.Start();
  core.Send(Event("e7", "a", "1"));
  EXPECT_EQ(core.Result(), "\"e7\"");
}

TEST(ListenTest, CorrelationHoldsTheEventsTogether) {
  Core core(R"(
do:
  - l:
      listen:
        to:
          all:
            - {with: {type: a}, correlate: {room: {from: .data.room}}}
            - {with: {type: b}, correlate: {room: {from: .data.room}}}
)");
  core.Start();
  core.Send(Event("1", "a", "{\"room\":1}"));
  core.Send(Event("2", "b", "{\"room\":2}"));
  EXPECT_EQ(core.Result(), "INSTANCE_STATUS_WAITING");
  core.Send(Event("3", "b", "{\"room\":1}"));
  EXPECT_EQ(core.Result(), R"([{"room":1},{"room":1}])");
}

TEST(ListenTest, OneEventDoesNotSatisfyTwoWaits) {
  Core core(
      "do: [{l: {listen: {to: {one: {with: {type: a}}}}}}, "
      "{m: {listen: {to: {one: {with: {type: a}}}}}}]");
  core.Start();
  core.Send(Event("1", "a", "1"));
  core.Send(Event("1", "a", "1"));
  EXPECT_EQ(core.Result(), "INSTANCE_STATUS_WAITING");
  core.Send(Event("2", "a", "2"));
  EXPECT_EQ(core.Result(), "[2]");
}

TEST(EmitTest, TheEventIsCompleteAndItsIdDeterministic) {
  Core core("do: [{e: {emit: {event: {with: {type: x, data: {n: '${ .n }'}}}}}}]");
  core.Start(R"({"n":3})");
  const Instance& instance = *core.state().Find("i");
  ASSERT_EQ(instance.outbox.size(), 1u);
  const Value event = *ParseJson(instance.outbox.begin()->second.json);
  EXPECT_EQ(event.StringOr("id", ""), "i-e1");
  EXPECT_EQ(event.StringOr("source", ""), "urn:jaque:t:main");
  EXPECT_EQ(event.StringOr("specversion", ""), "1.0");
  EXPECT_EQ(ToJson(*event.Find("data")), R"({"n":3})");
  v1::Command confirm;
  confirm.mutable_confirm_outbox()->add_entries(1);
  core.Execute(confirm);
}

TEST(EmitTest, AnEventWithoutATypeFaults) {
  Core core("do: [{e: {emit: {event: {with: {type: '${ .t }'}}}}}]");
  EXPECT_EQ(core.Start().Result(), "fault 400 expression /do/0/e");
}

}  // namespace
}  // namespace jaque::engine
