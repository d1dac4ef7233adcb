// SPDX-License-Identifier: Apache-2.0
// The flow of data and control as the specification has it (dsl.md, "Data Flow", "Task Flow").
#include "engine/core_fixture.h"

namespace jaque::engine {
namespace {

TEST(DataFlowTest, OutputIsTheNextTasksInputAndExportTheContext) {
  Core core(R"(
do:
  - first: {set: {a: 1}, export: {as: '${ $context + {kept: .a} }'}}
  - second: {set: {b: 2}, output: {as: '${ $context + {b: .b} }'}}
)");
  EXPECT_EQ(core.Start().Result(), R"({"kept":1,"b":2})");
}

TEST(DataFlowTest, WithoutAnOutputOnlyTheLastTaskCounts) {
  Core core(R"(
do:
  - first: {set: {a: 1}, export: {as: '${ $context + {kept: .a} }'}}
  - second: {set: {b: 2}}
)");
  EXPECT_EQ(core.Start().Result(), R"({"b":2})");
}

TEST(DataFlowTest, IterationsSeeTheOutputAndTheContextOfTheOneBefore) {
  Core core(R"(
do:
  - init: {set: {acc: []}, export: {as: '${ {page: 1} }'}}
  - loop:
      for: {each: n, in: '${ [10,20,30] }', at: i}
      do:
        - step:
            set: '${ {acc: (.acc + [$n + $i]), page: $context.page} }'
            export: {as: '${ $context + {page: ($context.page + 1)} }'}
  - wait: {wait: {seconds: 1}}
)");
  core.Start();
  EXPECT_EQ(core.Context(), R"({"page":4})");
  core.FireNext();
  EXPECT_EQ(core.Result(), R"({"acc":[10,21,32],"page":3})");
}

TEST(DataFlowTest, AnEmptyLoopGivesItsInput) {
  Core core("do: [{l: {for: {in: '${ [] }'}, do: [{s: {set: {x: 1}}}]}}]");
  EXPECT_EQ(core.Start(R"({"in":1})").Result(), R"({"in":1})");
}

TEST(DataFlowTest, WhatLooksLikeAnExpressionInDataIsData) {
  const std::string yaml = R"(
do:
  - echo: {set: {m: '${ .msg }', n: '${ {deep: .msg} }'}}
  - next: {set: '${ . }'}
)";
  for (const char* text : {"${ $secrets }", "${ $context }", "${ env }", ".a", "{x}"}) {
    Core core(yaml);
    EXPECT_EQ(core.Start(Cat("{\"msg\":\"", text, "\"}")).Result(),
              Cat("{\"m\":\"", text, "\",\"n\":{\"deep\":\"", text, "\"}}"));
  }
}

TEST(DataFlowTest, SchemasAreChecked) {
  const std::string schema = "schema: {document: {type: object, required: [n]}}";
  Core input(Cat("input: {", schema, "}\ndo: [{s: {set: {x: 1}}}]"));
  EXPECT_EQ(input.Start("{}").Result(), "fault 400 validation /");
  Core task(Cat("do: [{s: {input: {", schema, "}, set: {x: 1}}}]"));
  EXPECT_EQ(task.Start("{}").Result(), "fault 400 validation /do/0/s");
  Core output(Cat("do: [{s: {set: {x: 1}, output: {", schema, "}}}]"));
  EXPECT_EQ(output.Start("{}").Result(), "fault 400 validation /do/0/s");
}

// The message of an expression's error is jq's, then its place; a catch may name it without.
TEST(DataFlowTest, ErrorsOfExpressionsNameTheirPlace) {
  const char* failing = R"(
do:
  - attempt:
      try: [{fails: {set: '${ error("boom") }'}}]
      catch: {errors: {with: {detail: DETAIL}}, as: e, do: [{say: {set: '${ $e.detail }'}}]}
)";
  const auto result = [&failing](const std::string& detail) {
    std::string yaml = failing;
    yaml.replace(yaml.find("DETAIL"), 6, detail);
    return Core(yaml).Start().Result();
  };
  EXPECT_EQ(result("boom"), "\"boom (at 5:27)\"");
  EXPECT_EQ(result("'boom (at 5:27)'"), "\"boom (at 5:27)\"");
  EXPECT_EQ(result("'boom (at 5:28)'"), "fault 400 expression /do/0/attempt/try/0/fails");
  EXPECT_EQ(result("boo"), "fault 400 expression /do/0/attempt/try/0/fails");
}

// O-EXP-01
TEST(ExpressionTest, IdentifiersOf64BitsPassUnharmed) {
  Core core(R"yaml(
input: {from: '${ . }'}
do:
  - keep: {set: {id: '${ .id }', text: '${ "\(.id)" }', m: '${ .m }'}, export: {as: '${ . }'}}
  - compare: {set: '${ . + {same: ($context.id == 9007199254740992), next: (.id + 1)} }'}
)yaml");
  EXPECT_EQ(core.Start(R"({"id":9007199254740993,"m":9223372036854775807})").Result(),
            R"({"id":9007199254740993,"text":"9007199254740993","m":9223372036854775807,)"
            R"("same":false,"next":9007199254740994})");
}

// O-EXP-02 to O-EXP-07: a failure is that instance's alone.
TEST(ExpressionTest, WhatFailsFaultsItsInstance) {
  const char* failing[] = {R"x(try (try null catch error("A") | error("B")) catch error)x",
                           "1e18 | todate",
                           "now | strftime(1)",
                           "null | .[536870913] = 1 | length",
                           "def f: f; f",
                           "[range(1e12)] | length",
                           R"x(("a" * 39 + "!") | test("^(a+)+$"))x",
                           R"x("a" * 1e9 | length)x",
                           "[limit(-1; 1, 2)]",
                           R"x("2015-03-05T23:51:47.123Z" | fromdate)x",
                           R"x("2024-01-01T00:00:00+02:00" | fromdate)x"};
  for (const std::string expression : failing) {
    Core core("do:\n  - t:\n      set:\n        x: |\n          ${ " + expression + " }\n");
    EXPECT_EQ(core.Start().Result(), "fault 400 expression /do/0/t") << expression;
  }
}

TEST(FlowTest, ExitLeavesTheListAndEndTheWorkflow) {
  const std::string yaml = R"(
do:
  - outer:
      do:
        - in1: {set: {s: in1}, then: DIRECTIVE}
        - in2: {set: {s: in2}}
  - tail: {set: '${ {got: .s, tail: true} }'}
)";
  const auto with = [&](const std::string& directive) {
    std::string text = yaml;
    text.replace(text.find("DIRECTIVE"), 9, directive);
    Core core(text);
    return core.Start().Result();
  };
  EXPECT_EQ(with("exit"), R"({"got":"in1","tail":true})");
  EXPECT_EQ(with("end"), R"({"s":"in1"})");
  EXPECT_EQ(with("continue"), R"({"got":"in2","tail":true})");
}

TEST(FlowTest, ASkippedTaskPassesItsInputOnAndItsThenIsNotTaken) {
  Core core(R"(
do:
  - a: {if: .never, set: {x: 1}, then: end}
  - b: {set: '${ . + {b: true} }'}
)");
  EXPECT_EQ(core.Start(R"({"i":1})").Result(), R"({"i":1,"b":true})");
}

TEST(FlowTest, EndStopsTheOtherBranches) {
  Core core(R"(
do:
  - split:
      fork:
        branches:
          - slow: {call: http, with: {method: get, endpoint: 'http://127.0.0.1/'}}
          - quick: {do: [{q: {set: {done: true}, then: end}}]}
  - after: {set: {never: true}}
)");
  EXPECT_EQ(core.Start().Result(), R"({"done":true})");
  EXPECT_EQ(core.cancelled().size(), 1u);
}

TEST(FlowTest, ALoopWithoutAnEndFaults) {
  Core core("do: [{a: {set: {x: 1}}}, {b: {set: {x: 2}, then: a}}]");
  EXPECT_EQ(core.Start().Result(), "fault 500 runtime /");
}

TEST(FlowTest, AnEndlessOrHugeExpressionHurtsOnlyItsInstance) {
  for (const char* program :
       {"def f: f; f", "[range(1e12)] | length", "\\\"a\\\" * 1e9 | length"}) {
    Core core(Cat("do: [{a: {set: {x: \"${ ", program, " }\"}}}]"));
    EXPECT_EQ(core.Start().Result(), "fault 400 expression /do/0/a") << program;
  }
}

TEST(FlowTest, AnOutputOverTheLimitFaults) {
  Core core("do: [{a: {set: {x: '${ \"abcdefgh\" * 131072 }'}}}]");
  EXPECT_EQ(core.Start().Result(), "fault 500 runtime /do/0/a");
}

TEST(ForkTest, OutputsAreInOrderOfDeclaration) {
  Core core(R"(
do:
  - split:
      fork:
        branches:
          - a: {call: http, with: {method: get, endpoint: 'http://127.0.0.1/a'}}
          - b: {set: {b: true}}
          - c: {call: http, with: {method: get, endpoint: 'http://127.0.0.1/c'}}
)");
  core.Start();
  ASSERT_EQ(core.tasks().size(), 2u);
  std::swap(core.tasks()[0], core.tasks()[1]);
  core.Succeed("\"c\"");
  core.Succeed("\"a\"");
  EXPECT_EQ(core.Result(), R"(["a",{"b":true},"c"])");
}

TEST(ForkTest, ACompeteHasOneWinnerAndTheOthersAreCancelled) {
  Core core(R"(
do:
  - race:
      fork:
        compete: true
        branches:
          - a: {call: http, with: {method: get, endpoint: 'http://127.0.0.1/a'}}
          - b: {call: http, with: {method: get, endpoint: 'http://127.0.0.1/b'}}
)");
  core.Start();
  const v1::TaskRequest late = core.tasks()[0];
  core.tasks().erase(core.tasks().begin());
  core.Succeed("\"b\"");
  EXPECT_EQ(core.Result(), "\"b\"");
  ASSERT_EQ(core.cancelled().size(), 1u);
  core.tasks().push_back(late);
  core.Succeed("\"too late\"");
  EXPECT_EQ(core.Result(), "\"b\"");
}

TEST(ForkTest, AnErrorInABranchFaultsTheForkAndStopsTheOthers) {
  Core core(R"(
do:
  - split:
      fork:
        branches:
          - a: {call: http, with: {method: get, endpoint: 'http://127.0.0.1/a'}}
          - b: {raise: {error: {type: 'https://x/y', status: 418}}}
)");
  EXPECT_EQ(core.Start().Result(), "fault 418 y /do/0/split/fork/branches/1/b");
  EXPECT_EQ(core.cancelled().size(), 1u);
}

TEST(StartTest, TheSameStartAgainIsAnsweredWithWhatBecameOfTheFirst) {
  Core core("do: [{w: {wait: {seconds: 5}}}]");
  core.Start();
  const size_t before = core.events().size();
  core.Start();
  EXPECT_EQ(core.events().size(), before);
  core.FireNext();
  v1::Command again;
  again.mutable_start_instance()->set_definition("t/main:1.0.0");
  const Outcome outcome = core.Execute(again);
  EXPECT_EQ(outcome.reply->instance().status(), v1::INSTANCE_STATUS_COMPLETED);
}

TEST(StartTest, TheSameIdWithAnotherInputIsAConflict) {
  Core core("do: [{w: {wait: {seconds: 5}}}]");
  core.Start(R"({"a": 1, "b": [2]})");
  v1::Command again;
  again.mutable_start_instance()->set_definition("t/main:1.0.0");
  const auto code = [&](const std::string& input) {
    again.mutable_start_instance()->set_input(input);
    return core.Execute(again).reply->code();
  };
  EXPECT_EQ(code(R"({"b":[2],"a":1})"), v1::CommandReply::CODE_OK);
  EXPECT_EQ(code(R"({"a": 1})"), v1::CommandReply::CODE_CONFLICT);
  core.FireNext();
  EXPECT_EQ(code(R"({"a":1,"b":[2]})"), v1::CommandReply::CODE_OK);  // it has ended
  EXPECT_EQ(code(""), v1::CommandReply::CODE_CONFLICT);
}

TEST(StartTest, AnUnknownDefinitionIsSaidSo) {
  Core core("do: [{s: {set: {x: 1}}}]");
  v1::Command command;
  command.mutable_start_instance()->set_definition("t/none:1.0.0");
  EXPECT_EQ(core.Execute(command).reply->code(), v1::CommandReply::CODE_NOT_FOUND);
}

TEST(ChildTest, TheParentGetsTheChildsOutput) {
  Core core("do: [{c: {run: {workflow: {namespace: t, name: child, version: latest}}}}]");
  core.Define("child", "do: [{s: {set: {x: 1}}}]");
  core.Start();
  const Instance& parent = *core.state().Find("i");
  ASSERT_EQ(parent.outbox.size(), 1u);
  EXPECT_EQ(parent.outbox.begin()->second.definition, "t/child:1.0.0");
  v1::Command ended;
  ended.mutable_child_ended()->set_frame(parent.outbox.begin()->second.frame);
  ended.mutable_child_ended()->set_child_id(parent.outbox.begin()->second.target);
  ended.mutable_child_ended()->set_output("{\"x\":1}");
  core.Execute(ended);
  v1::Command confirm;
  confirm.mutable_confirm_outbox()->add_entries(1);
  core.Execute(confirm);
  EXPECT_EQ(core.Result(), R"({"x":1})");
}

TEST(ChildTest, AnUnknownChildIsAConfigurationError) {
  Core core("do: [{c: {run: {workflow: {namespace: t, name: none, version: 1.0.0}}}}]");
  EXPECT_EQ(core.Start().Result(), "fault 400 configuration /do/0/c");
}

}  // namespace
}  // namespace jaque::engine
