// SPDX-License-Identifier: Apache-2.0
// What Load refuses, where, and in which words.
#include "dsl/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/limits.h"
#include "dsl/text.h"

namespace jaque::dsl {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kHead[] = "document: {dsl: '1.0.3', namespace: t, name: x, version: '1.0.0'}\n";

// "line:column message (pointer)" of each finding; the head is line 1.
std::vector<std::string> Findings(const std::string& body, bool refuse_unbuilt = true) {
  std::vector<std::string> lines;
  for (const Finding& finding : Load(kHead + body, {.refuse_unbuilt = refuse_unbuilt}).findings) {
    lines.push_back(FormatFinding("f", finding).substr(2));
  }
  return lines;
}

// Of a workflow whose only task is `task`.
std::vector<std::string> OfTask(const std::string& task) {
  return Findings("do:\n  - a: " + task + "\n");
}

TEST(Load, FormatsFindings) {
  EXPECT_EQ(FormatFinding("a.yaml", {3, 7, "/do/0", "bad"}), "a.yaml:3:7: bad (/do/0)");
  EXPECT_EQ(FormatFinding("a.yaml", {0, 0, "", "too big"}), "a.yaml: too big");
}

TEST(Load, GoodOne) {
  const LoadResult result = Load(std::string(kHead) + "do: [{a: {set: {b: 1}}}]");
  EXPECT_THAT(result.findings, IsEmpty());
  ASSERT_NE(result.workflow, nullptr);
  EXPECT_EQ(result.workflow->id(), "t/x:1.0.0");
}

TEST(Load, UnknownProperties) {
  EXPECT_THAT(OfTask("{set: {b: 1}, thn: end}"),
              ElementsAre("3:22: unknown property `thn`; did you mean `then`? (/do/0/a/thn)"));
  EXPECT_THAT(Findings("do: [{a: {wait: PT1S}}]\nfoo: 1\n"),
              ElementsAre(HasSubstr("3:1: unknown property `foo`; known here: `document`, ")));
  EXPECT_THAT(OfTask("{call: http, with: {method: get, endpoint: https://a.b, querry: {}}}"),
              ElementsAre(HasSubstr("did you mean `query`?")));
  EXPECT_THAT(OfTask("{st: {b: 1}}"),
              ElementsAre(HasSubstr("unknown property `st`; did you mean `set`?")));
}

TEST(Load, KindsOfTasks) {
  EXPECT_THAT(
      OfTask("{set: {b: 1}, call: http}"),
      ElementsAre("3:22: a task is of one kind, but this one has `set` and `call` (/do/0/a/call)"));
  EXPECT_THAT(OfTask("{then: end}"),
              ElementsAre(HasSubstr("a task needs one of: call, do, emit, ")));
  EXPECT_THAT(OfTask("5"), ElementsAre(HasSubstr("must be an object, not a number")));
  EXPECT_THAT(OfTask("{for: {in: .x}, do: [{b: {wait: PT1S}}]}"), IsEmpty());
  EXPECT_THAT(OfTask("{for: {in: .x}}"), ElementsAre(HasSubstr("missing property `do`")));
}

TEST(Load, AllFindingsInOrderOfPlace) {
  EXPECT_THAT(
      Findings("do:\n  - a: {wait: soon}\n  - b: {set: 5}\n  - c: {then: x, wait: PT1S}\nx: y\n"),
      ElementsAre(HasSubstr("3:15"), HasSubstr("4:14"), HasSubstr("5:15"), HasSubstr("6:1")));
}

TEST(Load, FindingsAreLimited) {
  std::string body = "do:\n";
  for (int i = 0; i < 1'000; ++i) Append(&body, "  - t", i, ": {bad: 1}\n");
  EXPECT_EQ(Findings(body).size(), limits::kFindings);
}

TEST(Load, NumbersWhereTextsBelong) {
  EXPECT_THAT(
      Load("document: {dsl: '1.0.3', namespace: t, name: x, version: 1.0}\ndo: [{a: {wait: PT1S}}]")
          .findings[0]
          .message,
      AllOf(HasSubstr("must be a string, not a number"), HasSubstr("quote it")));
  EXPECT_THAT(OfTask("{if: true, wait: PT1S}"),
              ElementsAre(HasSubstr("must be a string, not a boolean")));
}

// O-DSL-03
TEST(Flow, TargetInAnotherScope) {
  EXPECT_THAT(Findings("do:\n"
                       "  - split:\n"
                       "      fork:\n"
                       "        branches:\n"
                       "          - a: {do: [{a1: {set: {x: 1}}}, {a2: {set: {x: 2}}}]}\n"
                       "          - b: {do: [{b1: {set: {y: 1}, then: a2}}]}\n"
                       "  - after: {set: {z: 1}}\n"),
              ElementsAre(AllOf(HasSubstr("7:47: unknown task `a2` in the scope"),
                                HasSubstr("its scope is /do/0/split/fork/branches/1/b/do"),
                                HasSubstr("`a2` is in /do/0/split/fork/branches/0/a/do"),
                                HasSubstr("(/do/0/split/fork/branches/1/b/do/0/b1/then)"))));
}

TEST(Flow, TargetOfTheParentAndTheChild) {
  EXPECT_THAT(Findings("do: [{o: {do: [{i: {wait: PT1S, then: t}}]}}, {t: {wait: PT1S}}]"),
              ElementsAre(HasSubstr("`t` is in /do")));
  EXPECT_THAT(Findings("do: [{o: {do: [{i: {wait: PT1S}}], then: i}}]"),
              ElementsAre(HasSubstr("`i` is in /do/0/o/do")));
  EXPECT_THAT(
      Findings("do: [{a: {wait: PT1S, then: bb}}, {b: {wait: PT1S}}]"),
      ElementsAre(HasSubstr("there is none of this name (its scope is /do); did you mean `b`?")));
}

TEST(Flow, BranchesDoNotFollowEachOther) {
  EXPECT_THAT(
      OfTask("{fork: {branches: [{b: {wait: PT1S, then: c}}, {c: {wait: PT1S, then: end}}]}}"),
      ElementsAre(HasSubstr("branches of a fork run side by side")));
}

TEST(Flow, SwitchAndCatchTargetsAreSiblings) {
  EXPECT_THAT(Findings("do:\n  - s: {switch: [{c: {when: .x, then: t}}, {d: {then: nope}}]}\n"
                       "  - t: {try: [{u: {wait: PT1S}}], catch: {then: u}}\n"),
              ElementsAre(HasSubstr("unknown task `nope`"), HasSubstr("`u` is in /do/1/t/try")));
}

// O-DSL-04
TEST(Names, DirectivesAndDuplicates) {
  EXPECT_THAT(Findings("do: [{exit: {wait: PT1S}}, {b: {wait: PT1S}}, {b: {wait: PT1S}}]"),
              ElementsAre(HasSubstr("2:7: a task cannot be called `exit`"),
                          "2:48: duplicate task name `b`; the first one is at 2:29 (/do/2/b)"));
  EXPECT_THAT(Findings("do: [{b: {do: [{b: {wait: PT1S}}]}}]"), IsEmpty());  // another scope
}

TEST(Names, TwoTasksInOneItem) {
  EXPECT_THAT(Findings("do:\n  - x: {wait: PT1S}\n    y: {wait: PT1S}\n"),
              ElementsAre(HasSubstr("4:5: one item of the list must hold 1 name only")));
}

TEST(Switch, OneDefault) {
  EXPECT_THAT(OfTask("{switch: [{c: {then: end}}, {d: {then: exit}}]}"),
              ElementsAre(HasSubstr("a switch has one default case at most, and that is `c`")));
}

TEST(Lists, EmptyOnesAreMistakes) {
  EXPECT_THAT(Findings("do: []"), ElementsAre("2:5: the list must not be empty (/do)"));
  EXPECT_THAT(OfTask("{try: [], catch: {}}"), ElementsAre(HasSubstr("must not be empty")));
  EXPECT_THAT(OfTask("{switch: []}"), ElementsAre(HasSubstr("must not be empty")));
  EXPECT_THAT(OfTask("{listen: {to: {all: []}}}"), ElementsAre(HasSubstr("must not be empty")));
  EXPECT_THAT(OfTask("{listen: {to: {any: []}}}"), IsEmpty());
  EXPECT_THAT(OfTask("{try: [{b: {wait: PT1S}}], catch: {do: []}}"), IsEmpty());
}

TEST(Use, UnknownReferences) {
  EXPECT_THAT(
      Findings("use: {retries: {often: {delay: PT1S}}}\ntimeout: long\ndo:\n"
               "  - a: {raise: {error: e}, timeout: t}\n"
               "  - b: {try: [{c: {wait: PT1S}}], catch: {retry: never}}\n"
               "  - d: {call: http, with: {method: get, endpoint: {uri: https://a.b, "
               "authentication: {use: n}}}}\n"),
      ElementsAre(HasSubstr("3:10: unknown timeout `long`: `use.timeouts` has none"),
                  HasSubstr("5:24: unknown error `e`"), HasSubstr("5:37: unknown timeout `t`"),
                  HasSubstr("6:50: unknown retry policy `never`: `use.retries` has `often`"),
                  HasSubstr("unknown authentication `n`")));
}

TEST(Use, Secrets) {
  EXPECT_THAT(
      Findings("use: {secrets: [s]}\ndo: [{a: {run: {shell: {command: ':', environment: {x: '${ "
               "$secrets.s }', y: '${ $secrets.t }'}}}}}]"),
      ElementsAre(HasSubstr("unknown secret `t`")));
  EXPECT_THAT(OfTask("{call: http, with: {method: get, endpoint: {uri: https://a.b, "
                     "authentication: {basic: {use: s}}}}}"),
              ElementsAre(HasSubstr("unknown secret `s`")));
}

TEST(Use, MistakesInWhatNobodyUses) {
  EXPECT_THAT(
      Findings(
          "use:\n  retries:\n    r: {when: '.a |', delay: {seconds: -1}}\ndo: [{a: {wait: PT1S}}]"),
      ElementsAre(HasSubstr("4:"), HasSubstr("`seconds` of a duration cannot be negative")));
}

// O-TIM-01
TEST(Durations, Limits) {
  for (const char* wait :
       {"{days: 200000}", "PT9223372037S", "{milliseconds: 9223372036854775807}", "P101Y"}) {
    EXPECT_THAT(OfTask(Cat("{wait: ", wait, "}")),
                ElementsAre(HasSubstr("longer than the limit of 100 years")));
  }
  EXPECT_THAT(OfTask("{wait: {days: -1}}"), ElementsAre(HasSubstr("cannot be negative")));
  EXPECT_THAT(OfTask("{wait: {}}"), ElementsAre(HasSubstr("must not be empty")));
  EXPECT_THAT(OfTask("{wait: {seconds: 1.5}}"), ElementsAre(HasSubstr("must be a whole number")));
  EXPECT_THAT(OfTask("{wait: P}"), ElementsAre(HasSubstr("no ISO 8601 duration")));
  EXPECT_THAT(OfTask("{wait: PT1S, timeout: {after: PT0S}}"), IsEmpty());
  EXPECT_THAT(Findings("do: [{a: {wait: PT1S}}]\nschedule: {every: {seconds: 0}}", false),
              ElementsAre(HasSubstr("longer than zero")));
  EXPECT_THAT(Findings("do: [{a: {wait: PT1S}}]\nschedule: {after: {days: -1}}", false),
              ElementsAre(HasSubstr("cannot be negative")));
}

TEST(Schedule, IsCompiled) {
  const LoadResult result = Load(std::string(kHead) +
                                 "schedule: {on: {all: [{with: {type: a}}, {with: {type: b}}]}, "
                                 "read: envelope, after: PT2S}\ndo: [{a: {wait: PT1S}}]");
  ASSERT_THAT(result.findings, IsEmpty());
  const Schedule& schedule = *result.workflow->schedule;
  EXPECT_EQ(schedule.after->literal, absl::Seconds(2));
  EXPECT_EQ(schedule.on->mode, EventConsumption::Mode::kAll);
  EXPECT_EQ(schedule.on->filters.size(), 2);
  EXPECT_EQ(schedule.read, ListenTask::Read::kEnvelope);
  EXPECT_FALSE(schedule.every.has_value());
}

// O-CRON-03
TEST(Schedule, Cron) {
  EXPECT_THAT(Findings("schedule: {cron: 0 0 30 2 *}\ndo: [{a: {wait: PT1S}}]", false),
              ElementsAre(HasSubstr("2:18: cron: `0 0 30 2 *` never matches")));
  EXPECT_THAT(Findings("schedule: {cron: '0 0 31 4,5 *'}\ndo: [{a: {wait: PT1S}}]", false),
              IsEmpty());
  EXPECT_THAT(Findings("schedule: {read: data, every: PT1S}\ndo: [{a: {wait: PT1S}}]", false),
              ElementsAre(HasSubstr("`read` is allowed only together with `on`")));
}

// O-RUN-01
TEST(Retry, Policies) {
  const auto of_retry = [](const char* retry) {
    return OfTask(Cat("{try: [{b: {wait: PT1S}}], catch: {retry: ", retry, "}}"));
  };
  EXPECT_THAT(of_retry("{jitter: {from: PT5S, to: {seconds: 1}}}"),
              ElementsAre(HasSubstr("`from` of the jitter")));
  EXPECT_THAT(of_retry("{backoff: {linear: {}, constant: {}}}"),
              ElementsAre(HasSubstr("exclude each other")));
  EXPECT_THAT(of_retry("{backoff: {}}"),
              ElementsAre(HasSubstr("needs `constant`, or `exponential`, or `linear`")));
  EXPECT_THAT(of_retry("{limit: {attempt: {count: -1}}}"),
              ElementsAre(HasSubstr("cannot be negative")));
  EXPECT_THAT(of_retry("{delay: PT5S, backoff: {exponential: {}}, limit: {attempt: {count: 100}}}"),
              IsEmpty());
}

TEST(Expressions, PlaceInsideTheFile) {
  EXPECT_THAT(OfTask("{if: '.a ==', wait: PT1S}"), ElementsAre(HasSubstr("3:1")));
  EXPECT_THAT(
      Findings(
          "do:\n  - a:\n      set:\n        m: |\n          ${\n            $foo\n          }\n"),
      ElementsAre(HasSubstr("7:13: expression: the variable `$foo` is not available here")));
  EXPECT_THAT(OfTask("{set: '${ }'}"), ElementsAre(HasSubstr("the expression is empty")));
  EXPECT_THAT(OfTask("{if: '', wait: PT1S}"), ElementsAre(HasSubstr("the expression is empty")));
}

TEST(Expressions, ErrorsOfTheCompilerInEveryStyle) {
  EXPECT_THAT(
      Findings("do:\n"
               "  - a:\n"
               "      set:\n"
               "        ä: ${ .a | foo }\n"
               "        y: |\n"
               "          ${\n"
               "            .a\n"
               "            + foo\n"
               "          }\n"
               "        z: \"${ \\\"\\u00e4\\\\(.x)\\\" + foo }\"\n"
               "        w: >\n"
               "          ${ .a |\n"
               "          foo }\n"
               "        v: ${ .a } ${ .b }\n"),
      ElementsAre(HasSubstr("5:20: expression: foo/0 is not defined (/do/0/a/set/ä)"),
                  HasSubstr("9:15: expression: foo/0"), HasSubstr("11:35: expression: foo/0"),
                  HasSubstr("14:11: expression: foo/0"),
                  AllOf(HasSubstr("15:18: "), HasSubstr("a text is one expression"))));
}

TEST(Expressions, VariablesByPlace) {
  EXPECT_THAT(OfTask("{if: $input.x, wait: PT1S}"),
              ElementsAre(HasSubstr("`$input` is not available here")));
  EXPECT_THAT(OfTask("{input: {from: $input}, wait: PT1S}"), ElementsAre(HasSubstr("`$input`")));
  EXPECT_THAT(OfTask("{output: {as: $output}, wait: PT1S}"), ElementsAre(HasSubstr("`$output`")));
  EXPECT_THAT(OfTask("{export: {as: '$context + $output + $input'}, wait: PT1S}"), IsEmpty());
  EXPECT_THAT(Findings("input: {from: $context}\noutput: {as: $input}\ndo: [{a: {wait: PT1S}}]"),
              ElementsAre(HasSubstr("`$context`"), HasSubstr("`$input`")));
  EXPECT_THAT(OfTask("{set: {x: '${ [$context, $input, $task, $workflow, $runtime] }'}}"),
              IsEmpty());
  EXPECT_THAT(OfTask("{set: {x: '${ . as $y | $y }'}}"), IsEmpty());  // its own
}

// What the engine evaluates is written to the log, so there are no secrets.
TEST(Expressions, SecretsAreForTheArgumentsOfCallAndRun) {
  constexpr char kAll[] = "${ [$secrets.s, $authorization, $context, $input] }";
  const auto with = [&](const std::string& task) {
    return Findings("use: {secrets: [s]}\ndo:\n  - a: " + task + "\n");
  };
  for (const std::string& task :
       {Cat("{call: http, with: {method: get, endpoint: '", kAll, "'}}"),
        Cat("{call: http, with: {method: get, endpoint: {uri: 'http://h/', authentication: "
            "{bearer: "
            "{token: '",
            kAll, "'}}}}}"),
        Cat("{call: openapi, with: {document: {endpoint: 'http://h/'}, operationId: o, parameters: "
            "{p: '",
            kAll, "'}}}"),
        Cat("{run: {shell: {command: ':', stdin: '", kAll, "'}}}"),
        Cat("{run: {script: {language: js, code: '1', arguments: ['", kAll, "']}}}")}) {
    EXPECT_THAT(with(task), IsEmpty()) << task;
  }
  constexpr char kChild[] =
      "{run: {workflow: {namespace: n, name: w, version: latest, input: {x: '${ $secrets.s }'}}}}";
  for (const char* task :
       {"{set: {x: '${ $secrets.s }'}}", "{if: '$secrets.s == 1', wait: PT1S}",
        "{input: {from: $secrets.s}, wait: PT1S}", "{output: {as: $secrets.s}, wait: PT1S}",
        "{export: {as: $secrets.s}, wait: PT1S}", "{wait: '${ $secrets.s }'}",
        "{timeout: {after: '${ $secrets.s }'}, wait: PT1S}",
        "{switch: [{c: {when: $secrets.s, then: end}}]}",
        "{for: {in: $secrets.s}, do: [{b: {wait: PT1S}}]}",
        "{for: {in: .x}, while: $secrets.s, do: [{b: {wait: PT1S}}]}",
        "{raise: {error: {type: 'https://x/y', status: 400, detail: '${ $secrets.s }'}}}",
        "{emit: {event: {with: {type: t, data: '${ $secrets.s }'}}}}",
        "{listen: {to: {one: {with: {data: '${ $secrets.s }'}}}}}",
        "{try: [{b: {wait: PT1S}}], catch: {when: $secrets.s}}",
        "{try: [{b: {wait: PT1S}}], catch: {retry: {delay: '${ $secrets.s }'}}}", kChild}) {
    EXPECT_THAT(with(task),
                ElementsAre(AllOf(HasSubstr("`$secrets` is not available here; secrets are for the "
                                            "arguments of call, run shell and run script"),
                                  HasSubstr("4:"), HasSubstr("(/do/0/a"))))
        << task;
  }
  EXPECT_THAT(with("{output: {as: $authorization}, wait: PT1S}"),
              ElementsAre(HasSubstr("4:22: expression: the variable `$authorization` is not")));
  EXPECT_THAT(Findings("use: {secrets: [s]}\ninput: {from: $secrets}\noutput: {as: $secrets}\n"
                       "timeout: {after: '${ $secrets }'}\ndo: [{a: {wait: PT1S}}]"),
              ElementsAre(HasSubstr("3:15: "), HasSubstr("4:14: "), HasSubstr("5:22: ")));
}

TEST(Expressions, VariablesOfLoopsAndCatches) {
  EXPECT_THAT(OfTask("{for: {each: e, in: $e, at: i}, while: '$i < 3', do: [{b: {set: {x: '${ $e "
                     "}'}}}], output: {as: $e}}"),
              ElementsAre(HasSubstr("3:28"), HasSubstr("`$e`")));
  EXPECT_THAT(OfTask("{for: {in: .x}, do: [{b: {set: {x: '${ [$item, $index] }'}}}]}"), IsEmpty());
  EXPECT_THAT(OfTask("{try: [{b: {set: {x: '${ $error }'}}}], catch: {when: $error, exceptWhen: "
                     "$error, retry: {when: $error},"
                     " do: [{c: {set: {x: '${ $error }'}}}]}}"),
              ElementsAre(AllOf(HasSubstr("`$error`"), HasSubstr("/do/0/a/try/0/b/set/x"))));
  EXPECT_THAT(OfTask("{listen: {to: {any: []}}, foreach: {item: e, do: [{b: {set: {x: '${ [$e, "
                     "$index] }'}}}], output: {as: $e}}}"),
              IsEmpty());
  EXPECT_THAT(OfTask("{for: {each: input, in: .x}, do: [{b: {wait: PT1S}}]}"),
              ElementsAre(HasSubstr("runtime's own")));
  EXPECT_THAT(OfTask("{for: {each: a, at: a, in: .x}, do: [{b: {wait: PT1S}}]}"),
              ElementsAre(HasSubstr("both called")));
}

TEST(Expressions, OnlyWholeTextsAreExpressionsInData) {
  EXPECT_THAT(OfTask("{set: {x: 'a ${ $nope } b', y: '$nope', z: '.nope |'}}"), IsEmpty());
}

TEST(Expressions, OtherLanguages) {
  EXPECT_THAT(Findings("evaluate: {language: js}\ndo: [{a: {wait: PT1S}}]"),
              ElementsAre(HasSubstr("the language is jq")));
}

TEST(Schemas, PlaceInsideTheDocument) {
  EXPECT_THAT(Findings("input:\n  schema:\n    document:\n      properties:\n        a: {type: "
                       "strin}\ndo: [{a: {wait: PT1S}}]"),
              ElementsAre(AllOf(HasSubstr("6:19: JSON schema: a type is one of"),
                                HasSubstr("(/input/schema/document/properties/a/type)"))));
}

TEST(Unbuilt, RefusedByName) {
  EXPECT_THAT(OfTask("{run: {container: {image: i}}}"),
              ElementsAre("3:15: run container is not built yet (/do/0/a/run/container)"));
  EXPECT_THAT(OfTask("{run: {script: {language: js, source: {endpoint: https://a.b}}}}"),
              ElementsAre(HasSubstr("a script from an external resource is not built yet")));
  EXPECT_THAT(OfTask("{call: https://a.b/f.yaml}"),
              ElementsAre(HasSubstr("calling a custom function is not built yet")));
  EXPECT_THAT(OfTask("{call: htp, with: {method: get, endpoint: 'http://h/'}}"),
              ElementsAre("3:15: unknown function `htp`; did you mean `http`? (/do/0/a/call)"));
  EXPECT_THAT(OfTask("{call: nope}"),
              ElementsAre(HasSubstr("calling"), HasSubstr("unknown function `nope`")));
}

TEST(Unbuilt, PassesWithoutAWorkflowIfAllowed) {
  const LoadResult result = Load(std::string(kHead) + "do: [{a: {run: {container: {image: i}}}}]",
                                 {.refuse_unbuilt = false});
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.workflow, nullptr);
}

TEST(Version, OfTheDsl) {
  EXPECT_THAT(
      Load("document: {dsl: 2.0.0, namespace: t, name: x, version: 1.0.0}\ndo: [{a: {wait: PT1S}}]")
          .findings[0]
          .message,
      HasSubstr("DSL version 2.0.0 is not supported"));
}

std::string ContentOf(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The DSL's own examples, from the folder that JAQUE_DSL_DIR names.
TEST(Specification, ExamplesAreValidAndTheOthersAreNot) {
  const char* folder = std::getenv("JAQUE_DSL_DIR");
  if (folder == nullptr) {
    std::cout << "skipped: JAQUE_DSL_DIR names no folder\n";
    return;
  }
  int seen = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(folder) / "examples")) {
    for (const Finding& finding :
         Load(ContentOf(entry.path()), {.refuse_unbuilt = false}).findings) {
      ADD_FAILURE() << FormatFinding(entry.path().string(), finding);
    }
    ++seen;
  }
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(folder) / "invalid")) {
    EXPECT_FALSE(Load(ContentOf(entry.path()), {.refuse_unbuilt = false}).findings.empty())
        << entry.path();
    ++seen;
  }
  EXPECT_GT(seen, 60);
}

// Whatever is cut from or put into a definition, Load ends with findings or a workflow.
TEST(Robustness, CutAndChangedTexts) {
  const std::string text =
      std::string(kHead) +
      "use: {retries: {r: &r {delay: PT1S, backoff: {linear: {}}}}, secrets: [s]}\n"
      "do:\n"
      "  - a: {for: {in: '${ .x }'}, while: .y, do: [{b: {set: {c: '${ $item }'}}}]}\n"
      "  - d:\n      try: [{e: {call: http, with: {method: get, endpoint: 'https://a/{b}'}}}]\n"
      "      catch: {errors: {with: {status: 500}}, retry: *r, do: [{f: {wait: PT1S}}], then: "
      "end}\n"
      "  - g: {listen: {to: {any: [{with: {type: t, data: '${ .x }'}}], until: .z}}, foreach: {do: "
      "[{h: {wait: PT1S}}]}}\n";
  ASSERT_NE(Load(text).workflow, nullptr);
  for (size_t i = 0; i <= text.size(); ++i) {
    const LoadResult cut = Load(text.substr(0, i));
    EXPECT_EQ(cut.workflow == nullptr, !cut.findings.empty());
  }
  for (size_t i = 0; i < text.size(); ++i) {
    for (const char* instead : {"", "x", ":", "{", "]", "'", "\n", "5", "~", "*r"}) {
      std::string changed = text;
      changed.replace(i, 1, instead);
      const LoadResult result = Load(changed);
      EXPECT_EQ(result.workflow == nullptr, !result.findings.empty());
    }
  }
}

}  // namespace
}  // namespace jaque::dsl
