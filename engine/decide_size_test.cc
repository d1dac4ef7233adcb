// SPDX-License-Identifier: Apache-2.0
// Whatever a workflow makes of little input, each event fits one message of the log: too much is a
// fault that says so. The fixture checks the size of every event.
#include "base/limits.h"
#include "engine/core_fixture.h"

namespace jaque::engine {
namespace {

constexpr char kTwoMegabytes[] = R"(${ "abcdefgh" * 262144 })";
constexpr char kFault[] = "fault 500 runtime /do/0/a";

// How the workflow of this one task (or of all, without a name) ends.
std::string ResultOf(const std::string& yaml, const std::string& input = "{}") {
  Core core(yaml);
  return core.Start(input).Result();
}
std::string ResultOfTask(const std::string& task) {
  return ResultOf(Cat("do: [{a: {", task, "}}, {z: {wait: PT1S}}]"));
}
// A text of so many bytes, as an expression.
std::string Text(size_t bytes) { return Cat("\"x\" * ", bytes); }

TEST(SizeTest, OfInputAndOutput) {
  EXPECT_EQ(ResultOfTask(Cat("set: {x: '", kTwoMegabytes, "'}")), kFault);
  EXPECT_EQ(ResultOfTask(Cat("set: {x: 1}, output: {as: '", kTwoMegabytes, "'}")), kFault);
  EXPECT_EQ(ResultOfTask(Cat("set: {x: 1}, export: {as: '", kTwoMegabytes, "'}")), kFault);
  EXPECT_EQ(ResultOfTask(Cat("input: {from: '", kTwoMegabytes, "'}, wait: PT1S")), kFault);
  EXPECT_EQ(ResultOfTask(Cat("input: {from: '", kTwoMegabytes, "'}, call: http, ",
                             "with: {method: get, endpoint: 'http://h/'}")),
            kFault);
  EXPECT_EQ(ResultOfTask("for: {in: '${ [range(200000)] }'}, do: [{b: {set: {x: 1}}}]"), kFault);
}

TEST(SizeTest, OfTheWorkflowsOwnTransformations) {
  EXPECT_EQ(ResultOf(Cat("input: {from: '", kTwoMegabytes, "'}\ndo: [{a: {set: {x: 1}}}]")),
            "fault 500 runtime /");
  EXPECT_EQ(ResultOf(Cat("output: {as: '", kTwoMegabytes, "'}\ndo: [{a: {set: {x: 1}}}]")),
            "fault 500 runtime /");
  // Each fits, both together do not.
  EXPECT_EQ(ResultOf("input: {from: '${ {twice: [., .]} }'}\ndo: [{a: {set: {x: 1}}}]",
                     Cat("\"", std::string(400'000, 'x'), "\"")),
            "fault 500 runtime /");
}

TEST(SizeTest, TheLimitItselfIsAllowed) {
  const auto result = [](size_t bytes) {
    return ResultOf(Cat("do: [{a: {set: {x: '${ ", Text(bytes), " }'}}}, {b: {set: {y: 1}}}]"));
  };
  EXPECT_EQ(result(limits::kValueBytes - 100), R"({"y":1})");
  EXPECT_EQ(result(limits::kValueBytes + 1), kFault);
}

// Each branch is let through or refused by itself, whatever the others hold.
TEST(SizeTest, OfContextsThatBranchesExport) {
  const auto with = [](size_t bytes) {
    std::string branches;
    for (const char* name : {"p", "q", "r"}) {
      branches += Cat("{", name, ": {set: {x: 1}, export: {as: '${ {", name, ": (", Text(bytes),
                      ")} }'}}}, ");
    }
    Core core(Cat("do: [{a: {fork: {branches: [", branches, "]}}}, {z: {wait: PT1S}}]"));
    core.Start();
    const Instance* live = core.state().Find("i");
    return live == nullptr || live->ended != 0 ? core.Result() : core.Context().substr(0, 5);
  };
  EXPECT_EQ(with(900'000), R"({"r":)");
  EXPECT_EQ(with(900 << 10), "fault 500 runtime /do/0/a/fork/branches/0/p");
}

TEST(SizeTest, OfErrors) {
  EXPECT_EQ(
      ResultOfTask(Cat("raise: {error: {type: 'https://x/y', status: 400, title: '", kTwoMegabytes,
                       "', detail: '", kTwoMegabytes, "', instance: '", kTwoMegabytes, "'}}"))
          .substr(0, 30),
      "fault 400 y abcdefghabcdefghab");
  EXPECT_EQ(ResultOfTask(Cat("try: [{b: {raise: {error: {type: 'https://x/y', status: 400, ",
                             "title: '", kTwoMegabytes, "', detail: '", kTwoMegabytes,
                             "'}}}}], catch: {do: [{c: {wait: PT1S}}]}")),
            "INSTANCE_STATUS_WAITING");
}

TEST(SizeTest, OfTheReasonOfACancel) {
  Core core("do: [{w: {wait: PT1H}}]");
  core.Start();
  v1::Command command;
  command.mutable_cancel_instance()->set_reason(std::string(2 << 20, 'x'));
  core.Execute(command);
  EXPECT_EQ(core.Result(), "fault 0  ");
  EXPECT_EQ(core.state().ended.at("i").error.detail().size(), limits::kProblemDetailBytes);
}

TEST(SizeTest, OfEvents) {
  EXPECT_EQ(ResultOfTask(Cat("emit: {event: {with: {type: t, data: '", kTwoMegabytes, "'}}}")),
            kFault);
  // The event is in the log, and so is the task's output: the event again.
  EXPECT_EQ(ResultOfTask(Cat("emit: {event: {with: {type: t, data: '${ ", Text(500'000), " }'}}}")),
            kFault);
  EXPECT_EQ(ResultOfTask(Cat("emit: {event: {with: {type: t, data: '${ ", Text(500'000),
                             " }'}}}, output: {as: 'null'}")),
            "INSTANCE_STATUS_WAITING");
}

TEST(SizeTest, OfWhatAListenKeeps) {
  constexpr char kEvent[] = R"({"specversion":"1.0","source":"s","id":"1","type":"t","data":1})";
  Core correlated(Cat("do: [{a: {listen: {to: {one: {with: {type: t}, correlate: {c: {from: '",
                      kTwoMegabytes, "'}}}}}}}]"));
  correlated.Start();
  correlated.Send(kEvent);
  EXPECT_EQ(correlated.Result(), "INSTANCE_STATUS_WAITING");
  for (const char* part : {"output", "export"}) {
    Core iterated(
        Cat("do: [{a: {listen: {to: {any: [], until: '${ false }'}}, foreach: {do: [{b: "
            "{set: {x: 1}}}], ",
            part, ": {as: '", kTwoMegabytes, "'}}}}]"));
    iterated.Start();
    iterated.Send(kEvent);
    EXPECT_EQ(iterated.Result(), kFault);
  }
}

TEST(SizeTest, OfAChildsInput) {
  for (const char* await : {"true", "false"}) {
    Core core(Cat("do: [{a: {run: {await: ", await, ", workflow: {namespace: t, name: child, ",
                  "version: 1.0.0, input: {x: '${ ", Text(600'000), " }'}}}}}]"));
    core.Define("child", "do: [{s: {set: {x: 1}}}]");
    EXPECT_EQ(core.Start().Result(), kFault);
  }
}

// What is written must be read again, by whoever replays it and by whoever gets it wrapped.
TEST(SizeTest, OfDepth) {
  const std::string deep = Cat(std::string(9'980, '['), std::string(9'980, ']'));
  const auto with = [&](const std::string& task) {
    Core core(Cat("do: [{a: {", task, "}}, {z: {wait: PT1S}}]"));
    core.Define("child", "do: [{s: {set: {x: 1}}}]");
    return core.Start(deep).Result();
  };
  constexpr char kWrapped[] = "{p: {q: {r: {s: {t: '${ . }'}}}}}";
  EXPECT_EQ(with("set: {x: '${ . }'}"), "INSTANCE_STATUS_WAITING");
  EXPECT_EQ(with(Cat("set: ", kWrapped)), kFault);
  EXPECT_EQ(with(Cat("set: {x: 1}, output: {as: {x: {y: {z: {w: {v: '${ $input }'}}}}}}")), kFault);
  EXPECT_EQ(with(Cat("set: {x: 1}, export: {as: {x: {y: {z: {w: {v: '${ $input }'}}}}}}")), kFault);
  EXPECT_EQ(with(Cat("input: {from: ", kWrapped, "}, wait: PT1S")), kFault);
  EXPECT_EQ(with(Cat("emit: {event: {with: {type: t, data: ", kWrapped, "}}}, output: {as: '1'}")),
            kFault);
  for (const char* await : {"true", "false"}) {
    EXPECT_EQ(with(Cat("run: {await: ", await, ", workflow: {namespace: t, name: child, version: ",
                       "1.0.0, input: ", kWrapped, "}}")),
              kFault);
  }
  EXPECT_EQ(
      ResultOf("do: [{a: {set: {x: 1}}}]", Cat(std::string(9'999, '['), std::string(9'999, ']'))),
      "fault 500 runtime /");
}

TEST(SizeTest, OfLongNames) {
  const std::string name(500'000, 'n');
  EXPECT_EQ(ResultOf(Cat("do: [{a: {switch: [{? ", name, " : {then: end}}], output: {as: '${ ",
                         Text(500'000), " }'}}}]")),
            kFault);
  EXPECT_EQ(ResultOf(Cat("do: [{? ", name, " : {set: {x: '", kTwoMegabytes, "'}}}]")).substr(0, 28),
            "fault 500 runtime /do/0/nnnn");
}

// What a worker gets is one message as well.
TEST(SizeTest, OfAWorkersTask) {
  const std::string input = Cat("{\"x\": \"", std::string(400'000, 'x'), "\"}");
  const auto with = [&](const std::string& argument) {
    Core core(Cat("do: [{a: {call: http, with: {method: get, endpoint: 'http://h/', body: '${ ",
                  argument, " }'}}}]"));
    core.Start(input);
    return core.tasks().empty() ? core.Result() : Cat(core.tasks()[0].ByteSizeLong() < 410'000);
  };
  EXPECT_EQ(with("[$workflow.input, $task.input, .]"), kFault);
  // Of `$workflow` only what is used goes along.
  EXPECT_EQ(with("$workflow.id + $task.reference"), "1");
}

}  // namespace
}  // namespace jaque::engine
