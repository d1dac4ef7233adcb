// SPDX-License-Identifier: Apache-2.0
// Data is data, wherever it comes from: what looks like an expression in it is never evaluated
// (dsl.md, "Runtime Expressions").
#include "engine/core_fixture.h"

namespace jaque::engine {
namespace {

constexpr const char* kTraps[] = {
    "${ $secrets }", "${ $context }", "${ env }", "${ .a }", " ${ 1 + 1 } ", "${", ".a", "{x}"};

// A constant for JSON, and the workflow's context holds what must not be seen.
constexpr char kContext[] = "do: [{init: {set: {x: 1}, export: {as: '${ {hidden: true} }'}}}, ";
// Passes its input through three kinds of evaluation.
constexpr char kEcho[] =
    "{echo: {set: {m: '${ .msg }', n: '${ {deep: .msg} }'}}}, {next: {set: '${ . }'}}, "
    "{loop: {for: {in: '${ [.m, .n.deep] }'}, do: [{one: {set: '${ . + {last: $item} }'}}]}}]";

std::string Echoed(std::string_view trap) {
  return Cat(R"({"m":")", trap, R"(","n":{"deep":")", trap, R"("},"last":")", trap, "\"}");
}
std::string Message(std::string_view trap) { return Cat(R"({"msg":")", trap, "\"}"); }

TEST(HostileDataTest, InTheInput) {
  for (const char* trap : kTraps) {
    Core core(Cat(kContext, "{in: {set: '${ $workflow.input }'}}, ", kEcho));
    EXPECT_EQ(core.Start(Message(trap)).Result(), Echoed(trap));
  }
}

TEST(HostileDataTest, InAnEvent) {
  for (const char* trap : kTraps) {
    Core core(Cat(kContext, "{l: {listen: {to: {one: {with: {type: t}}}}, output: {as: '.[0]'}}}, ",
                  kEcho));
    core.Start();
    core.Send(Cat(R"({"specversion":"1.0","source":"s","id":"1","type":"t","data":)", Message(trap),
                  "}"));
    EXPECT_EQ(core.Result(), Echoed(trap));
  }
}

// The attributes of an event are compared with the filter's, never evaluated.
TEST(HostileDataTest, InTheAttributesOfAnEvent) {
  Core core(
      "do: [{l: {listen: {to: {one: {with: {type: '${ . | .type == \"t\" }', subject: s}}}}}}]");
  core.Start();
  core.Send(R"({"specversion":"1.0","source":"s","id":"1","type":"${ true }","subject":"s"})");
  core.Send(R"({"specversion":"1.0","source":"s","id":"2","type":"t","subject":"${ \"s\" }"})");
  EXPECT_EQ(core.Result(), "INSTANCE_STATUS_WAITING");
}

TEST(HostileDataTest, InTheAnswerOfACall) {
  for (const char* trap : kTraps) {
    Core core(
        Cat(kContext, "{c: {call: http, with: {method: get, endpoint: 'http://h/'}}}, ", kEcho));
    core.Start();
    core.Succeed(Message(trap));
    EXPECT_EQ(core.Result(), Echoed(trap));
  }
}

TEST(HostileDataTest, InWhatGoesToAChildAndComesBack) {
  for (const char* trap : kTraps) {
    Core core(Cat(kContext,
                  "{in: {set: '${ $workflow.input }'}}, {c: {run: {workflow: {namespace: ",
                  "t, name: child, version: latest, input: {msg: '${ .msg }'}}}}}, ", kEcho));
    core.Define("child", "do: [{s: {set: {x: 1}}}]");
    core.Start(Message(trap));
    const OutboxEntry entry = core.state().Find("i")->outbox.begin()->second;
    EXPECT_EQ(entry.json, Message(trap));
    v1::Command ended;
    ended.mutable_child_ended()->set_frame(entry.frame);
    ended.mutable_child_ended()->set_child_id(entry.target);
    ended.mutable_child_ended()->set_output(Message(trap));
    core.Execute(ended);
    v1::Command confirm;
    confirm.mutable_confirm_outbox()->add_entries(1);
    core.Execute(confirm);
    EXPECT_EQ(core.Result(), Echoed(trap));
  }
}

TEST(HostileDataTest, InAnError) {
  for (const char* trap : kTraps) {
    Core core(
        Cat(kContext, "{in: {set: '${ $workflow.input }'}}, ",
            "{t: {try: [{r: {raise: {error: {type: 'https://x/y', status: 400, ",
            "title: '${ .msg }', detail: '${ .msg }'}}}}], catch: {as: e, when: ",
            "'$e.title == $workflow.input.msg', do: [{s: {set: {msg: '${ $e.detail }'}}}]}}}, ",
            kEcho));
    EXPECT_EQ(core.Start(Message(trap)).Result(), Echoed(trap));
  }
}

TEST(HostileDataTest, InWhatIsEmitted) {
  for (const char* trap : kTraps) {
    Core core(Cat(kContext, "{in: {set: '${ $workflow.input }'}}, ",
                  "{e: {emit: {event: {with: {type: '${ .msg }', data: '${ . }'}}}}}]"));
    core.Start(Message(trap));
    const Value event = *ParseJson(core.state().Find("i")->outbox.begin()->second.json);
    EXPECT_EQ(event.StringOr("type", ""), trap);
    EXPECT_EQ(ToJson(*event.Find("data")), Message(trap));
    v1::Command confirm;
    confirm.mutable_confirm_outbox()->add_entries(1);
    core.Execute(confirm);
  }
}

// A duration that data names is read as a duration and not as an expression that gives one.
TEST(HostileDataTest, InADuration) {
  Core core("do: [{w: {wait: '${ .msg }'}}]");
  EXPECT_EQ(core.Start(R"json({"msg":"${ \"PT1S\" }"})json").Result(),
            "fault 400 expression /do/0/w");
}

TEST(HostileDataTest, InKeys) {
  Core core("do: [{s: {set: '${ . }'}}, {t: {set: {in: '${ . }'}}}]");
  EXPECT_EQ(core.Start(R"json({"${ $context }":{"${ .a }":1}})json").Result(),
            R"json({"in":{"${ $context }":{"${ .a }":1}}})json");
}

}  // namespace
}  // namespace jaque::engine
