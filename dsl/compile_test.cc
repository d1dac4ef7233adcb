// SPDX-License-Identifier: Apache-2.0
// The model that Load makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dsl/errors.h"
#include "dsl/load.h"
#include "dsl/text.h"
#include "expression/json.h"

namespace jaque::dsl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::shared_ptr<const Workflow> Compiled(const std::string& body) {
  const LoadResult result =
      Load("document: {dsl: '1.0.3', namespace: t, name: x, version: '1.0.0'}\n" + body);
  for (const Finding& finding : result.findings) ADD_FAILURE() << FormatFinding("f", finding);
  return result.workflow;
}

template <typename Spec>
const Spec& SpecOf(const Workflow& workflow, std::string_view pointer) {
  const Task* task = workflow.FindByPointer(pointer);
  EXPECT_NE(task, nullptr) << pointer;
  return std::get<Spec>(task->spec);
}

TEST(Model, PointersAndIndexes) {
  const auto workflow = Compiled(
      "do:\n"
      "  - l: {for: {in: .x}, do: [{t: {wait: PT1S}}]}\n"
      "  - f: {fork: {branches: [{b: {do: [{c: {wait: PT1S}}]}}, {d: {wait: PT1S}}]}}\n"
      "  - x: {try: [{s: {wait: PT1S}}, {y: {wait: PT1S}}], catch: {do: [{z: {wait: PT1S}}]}}\n"
      "  - e: {listen: {to: {any: []}}, foreach: {do: [{g/h: {wait: PT1S}}]}}\n");
  std::vector<std::string> pointers;
  for (const Task* task : workflow->by_index) {
    EXPECT_EQ(task->index, pointers.size());
    pointers.push_back(task->pointer);
  }
  EXPECT_THAT(pointers,
              ElementsAre("/do/0/l", "/do/0/l/do/0/t", "/do/1/f", "/do/1/f/fork/branches/0/b",
                          "/do/1/f/fork/branches/0/b/do/0/c", "/do/1/f/fork/branches/1/d",
                          "/do/2/x", "/do/2/x/try/0/s", "/do/2/x/try/1/y", "/do/2/x/catch/do/0/z",
                          "/do/3/e", "/do/3/e/foreach/do/0/g~1h"));
  EXPECT_EQ(workflow->FindByPointer("/do/2/x/try/1/y")->position, 1);
  EXPECT_EQ(workflow->FindByPointer("/nowhere"), nullptr);
  EXPECT_EQ(ToJson(workflow->FindByPointer("/do/2/x/try/1/y")->definition), R"({"wait":"PT1S"})");
}

TEST(Model, KindNames) {
  const auto workflow = Compiled(
      "do:\n"
      "  - a: {call: http, with: {method: get, endpoint: https://a.b}}\n"
      "  - b: {run: {shell: {command: ls}}}\n"
      "  - c: {run: {workflow: {namespace: n, name: m, version: latest}}}\n"
      "  - d: {set: {x: 1}}\n");
  std::vector<std::string> names;
  for (const Task* task : workflow->by_index) names.emplace_back(task->kind_name());
  EXPECT_THAT(names, ElementsAre("call", "run", "run", "set"));
}

TEST(Model, Flows) {
  const auto workflow = Compiled(
      "do:\n"
      "  - a: {wait: PT1S, then: c}\n"
      "  - b: {switch: [{x: {when: .x, then: a}}, {y: {then: exit}}], then: end}\n"
      "  - c: {wait: PT1S}\n");
  EXPECT_EQ(workflow->tasks[0]->then.kind, Flow::Kind::kTask);
  EXPECT_EQ(workflow->tasks[0]->then.position, 2);
  EXPECT_EQ(workflow->tasks[1]->then.kind, Flow::Kind::kEnd);
  EXPECT_EQ(workflow->tasks[2]->then.kind, Flow::Kind::kContinue);
  const auto& choice = SpecOf<SwitchTask>(*workflow, "/do/1/b");
  EXPECT_TRUE(choice.cases[0].when.has_value());
  EXPECT_EQ(choice.cases[0].then.position, 0);
  EXPECT_FALSE(choice.cases[1].when.has_value());
  EXPECT_EQ(choice.cases[1].then.kind, Flow::Kind::kExit);
}

TEST(Model, ReferencesAreReplaced) {
  const auto workflow = Compiled(
      "use:\n"
      "  errors: {broken: {type: https://a.b/broken, status: 500, title: '${ .t }'}}\n"
      "  retries: {often: {delay: PT2S, backoff: {exponential: {}}, limit: {attempt: {count: "
      "3}}}}\n"
      "  timeouts: {short: {after: {seconds: 5}}}\n"
      "  authentications: {mine: {bearer: {token: '${ .token }'}}}\n"
      "timeout: short\n"
      "do:\n"
      "  - a: {try: [{b: {raise: {error: broken}}}], catch: {as: e, retry: often}, timeout: "
      "short}\n"
      "  - c: {call: http, with: {method: get, endpoint: {uri: https://a.b, authentication: {use: "
      "mine}}}}\n");
  EXPECT_EQ(workflow->timeout->literal, absl::Seconds(5));
  EXPECT_EQ(workflow->tasks[0]->timeout->literal, absl::Seconds(5));
  const auto& raise = SpecOf<RaiseTask>(*workflow, "/do/0/a/try/0/b");
  EXPECT_EQ(raise.error.type.constant().AsString(), "https://a.b/broken");
  EXPECT_EQ(raise.error.status.constant().AsInt(), 500);
  EXPECT_FALSE(raise.error.title->is_constant());
  EXPECT_FALSE(raise.error.detail.has_value());
  const auto& guarded = SpecOf<TryTask>(*workflow, "/do/0/a");
  EXPECT_EQ(guarded.as, "e");
  EXPECT_EQ(guarded.retry->delay.literal, absl::Seconds(2));
  EXPECT_EQ(guarded.retry->backoff, RetryPolicy::Backoff::kExponential);
  EXPECT_EQ(guarded.retry->attempt_count, 3);
  const Template& arguments = SpecOf<WorkerTask>(*workflow, "/do/1/c").arguments;
  const Template* authentication = arguments.FindMember("endpoint")->FindMember("authentication");
  ASSERT_NE(authentication, nullptr);
  EXPECT_EQ(authentication->FindMember("use"), nullptr);
  EXPECT_THAT(authentication->FindMember("bearer")->InputFootprint().fields, ElementsAre("token"));
}

TEST(Model, ErrorFilterIsNormalised) {
  const auto workflow = Compiled(
      "do:\n"
      "  - a:\n"
      "      try: [{b: {wait: PT1S}}]\n"
      "      catch: {errors: {with: {type: "
      "https://serverlessworkflow.io/dsl/errors/types/communication, status: 404}}}\n");
  const auto& guarded = SpecOf<TryTask>(*workflow, "/do/0/a");
  EXPECT_EQ(guarded.filter.type, kErrorCommunication);
  EXPECT_EQ(guarded.filter.status, 404);
  EXPECT_FALSE(guarded.filter.title.has_value());
  EXPECT_EQ(guarded.as, "error");
  EXPECT_FALSE(guarded.retry.has_value());
}

TEST(Model, Durations) {
  const auto workflow =
      Compiled("do: [{a: {wait: '${ .d }'}}, {b: {wait: {minutes: 1, seconds: 1}}}]");
  EXPECT_TRUE(SpecOf<WaitTask>(*workflow, "/do/0/a").duration.expression.has_value());
  EXPECT_EQ(SpecOf<WaitTask>(*workflow, "/do/1/b").duration.literal, absl::Seconds(61));
}

TEST(Model, Events) {
  const auto workflow = Compiled(
      "do:\n"
      "  - a:\n"
      "      listen:\n"
      "        to:\n"
      "          any: [{with: {data: '${ .x > 1 }', subject: s, type: t}, correlate: {id: {from: "
      ".id, expect: '${ .k }'}}}]\n"
      "          until: {one: {with: {type: u}}}\n"
      "        read: envelope\n"
      "      foreach: {item: event, at: n}\n"
      "  - b: {emit: {event: {with: {type: t, data: {x: '${ .y }'}}}}}\n"
      "  - c: {listen: {to: {one: {with: {type: t}}}}}\n"
      "  - d: {listen: {to: {any: [], until: '( . | length ) > 3'}}}\n");
  const auto& listen = SpecOf<ListenTask>(*workflow, "/do/0/a");
  EXPECT_EQ(listen.to.mode, EventConsumption::Mode::kAny);
  EXPECT_EQ(listen.read, ListenTask::Read::kEnvelope);
  EXPECT_EQ(listen.foreach->item, "event");
  ASSERT_EQ(listen.to.filters[0].with.size(), 3u);
  EXPECT_EQ(listen.to.filters[0].with[0].attribute, "type");
  EXPECT_FALSE(listen.to.filters[0].with[0].is_condition);
  EXPECT_EQ(listen.to.filters[0].with[2].attribute, "data");
  EXPECT_TRUE(listen.to.filters[0].with[2].is_condition);
  EXPECT_EQ(listen.to.filters[0].correlate[0].name, "id");
  EXPECT_TRUE(listen.to.filters[0].correlate[0].expect.has_value());
  EXPECT_EQ(listen.to.until_events->filters.size(), 1u);
  const auto& emit = SpecOf<EmitTask>(*workflow, "/do/1/b");
  EXPECT_NE(emit.event.FindMember("data"), nullptr);
  EXPECT_EQ(SpecOf<ListenTask>(*workflow, "/do/2/c").to.mode, EventConsumption::Mode::kOne);
  EXPECT_TRUE(SpecOf<ListenTask>(*workflow, "/do/3/d").to.until_condition.has_value());
}

TEST(Model, Processes) {
  const auto workflow = Compiled(
      "do:\n"
      "  - a: {run: {shell: {command: ls, arguments: ['${ .v }', second]}, await: false, return: "
      "code}}\n"
      "  - b: {run: {script: {language: python, code: print(1)}}}\n"
      "  - c: {run: {workflow: {namespace: n, name: m, version: 1.2.3, input: {a: '${ .x }'}}, "
      "return: none}}\n");
  const auto& shell = SpecOf<WorkerTask>(*workflow, "/do/0/a");
  EXPECT_EQ(shell.kind, WorkerTask::Kind::kShell);
  EXPECT_FALSE(shell.await);
  EXPECT_EQ(shell.return_kind, "code");
  EXPECT_EQ(shell.pool, "default");
  EXPECT_EQ(shell.arguments.FindMember("command")->constant().AsString(), "ls");
  const auto& child = SpecOf<RunWorkflowTask>(*workflow, "/do/2/c");
  EXPECT_EQ(Cat(child.namespace_, "/", child.name, ":", child.version), "n/m:1.2.3");
  EXPECT_TRUE(child.await);
  EXPECT_EQ(child.return_kind, "none");
  EXPECT_TRUE(child.input.has_value());
}

TEST(Model, DataFlow) {
  const auto workflow = Compiled(
      "input: {schema: {format: json, document: {type: object, required: [id]}}, from: .order}\n"
      "output: {as: {result: '${ . }'}}\n"
      "use: {secrets: [a, b]}\n"
      "do: [{a: {if: '${ .x }', export: {as: $context}, wait: PT1S}}]\n");
  EXPECT_FALSE(workflow->input.schema->Validate(*ParseJson("{}")).ok());
  EXPECT_TRUE(workflow->input.schema->Validate(*ParseJson(R"({"id": 1})")).ok());
  EXPECT_NE(workflow->input.transform->program(), nullptr);
  EXPECT_NE(workflow->output.transform->FindMember("result"), nullptr);
  EXPECT_THAT(workflow->secrets, ElementsAre("a", "b"));
  EXPECT_EQ((*workflow->tasks[0]->condition->program())->source(), " .x ");
  EXPECT_THAT(workflow->tasks[0]->export_to.transform->Variables(), ElementsAre("context"));
}

TEST(Model, AnyOrderOfKeysAndAliases) {
  const auto workflow = Compiled(
      "do:\n"
      "  - a: {then: b, set: &s {x: '${ .y }', z: [1, '${ .w }']}}\n"
      "  - b: {set: *s}\n");
  EXPECT_THAT(SpecOf<SetTask>(*workflow, "/do/1/b").value.InputFootprint().fields,
              ElementsAre("y", "w"));
}

TEST(Model, JsonAndYamlAreTheSame) {
  const auto yaml = Compiled("do: [{a: {set: {x: 1, y: '${ .z }'}}}]");
  const LoadResult json = Load(ToJson(yaml->document));
  ASSERT_NE(json.workflow, nullptr);
  EXPECT_EQ(ToJson(json.workflow->document), ToJson(yaml->document));
}

}  // namespace
}  // namespace jaque::dsl
