// SPDX-License-Identifier: Apache-2.0
#include "dsl/template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dsl/load.h"
#include "expression/json.h"

namespace jaque::dsl {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// The template of a set task with this value.
Template SetOf(const std::string& yaml, const char* mode = "strict") {
  const LoadResult result = Load(
      std::string(
          "document: {dsl: '1.0.3', namespace: t, name: x, version: '1.0.0'}\nevaluate: {mode: ") +
      mode + "}\ndo:\n  - a:\n      set: " + yaml + "\n");
  for (const Finding& finding : result.findings) ADD_FAILURE() << FormatFinding("f", finding);
  return std::get<SetTask>(result.workflow->tasks[0]->spec).value;
}

class Values : public expression::VariableSource {
 public:
  explicit Values(Value values) : values_(std::move(values)) {}
  absl::StatusOr<Value> Lookup(std::string_view name) const override {
    const Value* value = values_.Find(name);
    return value == nullptr ? Value() : *value;
  }

 private:
  Value values_;
};

std::string Evaluated(const Template& value, const char* input, const char* variables = "{}") {
  const Values source(*ParseJson(variables));
  expression::Evaluation evaluation;
  evaluation.variables = &source;
  const auto result = value.Evaluate(*ParseJson(input), evaluation);
  return result.ok() ? ToJson(*result) : "error: " + std::string(result.status().message());
}

TEST(Template, Constants) {
  const Template value = SetOf("{a: 1, b: [x, {c: null}]}");
  EXPECT_TRUE(value.is_constant());
  EXPECT_EQ(Evaluated(value, "{}"), R"({"a":1,"b":["x",{"c":null}]})");
}

TEST(Template, ExpressionsAnywhere) {
  const Template value =
      SetOf("{a: '${ .x }', b: [1, '${ .y + 1 }'], c: {d: ' ${ $context.z } '}, e: '.x'}");
  EXPECT_FALSE(value.is_constant());
  EXPECT_EQ(value.program(), nullptr);
  EXPECT_EQ(Evaluated(value, R"({"x": {"q": []}, "y": 2})", R"({"context": {"z": 3}})"),
            R"({"a":{"q":[]},"b":[1,3],"c":{"d":3},"e":".x"})");
  EXPECT_THAT(value.Variables(), UnorderedElementsAre("context"));
  EXPECT_THAT(value.InputFootprint().fields, UnorderedElementsAre("x", "y"));
  EXPECT_EQ(value.members().size(), 4u);
}

TEST(Template, WholeValueAsExpression) {
  const Template value = SetOf("${ .x }");
  ASSERT_NE(value.program(), nullptr);
  EXPECT_EQ(Evaluated(value, R"({"x": 5})"), "5");
}

// O-SEC-01: the result of an expression is data.
TEST(Template, DataIsNeverEvaluated) {
  const Template value = SetOf("{m: '${ .msg }', n: '${ {deep: .msg} }'}");
  const char* input = R"({"msg": "${ $secrets }"})";
  const std::string expected = R"({"m":"${ $secrets }","n":{"deep":"${ $secrets }"}})";
  EXPECT_EQ(Evaluated(value, input), expected);
  EXPECT_EQ(Evaluated(SetOf("${ . }"), expected.c_str()), expected);
}

TEST(Template, ErrorsAreReturned) {
  EXPECT_EQ(Evaluated(SetOf("{a: '${ error(\"boom\") }'}"), "{}").substr(0, 6), "error:");
}

TEST(Template, ErrorsNameThePlaceInTheFile) {
  EXPECT_EQ(Evaluated(SetOf("${ error(\"boom\") }"), "{}"), "error: boom (at 5:12)");
  EXPECT_EQ(Evaluated(SetOf("{a: '${ 1 }', b: [2, '${ .x.y }']}"), R"({"x": 1})"),
            "error: Cannot index number with string (\"y\") (at 5:33)");
  EXPECT_EQ(Evaluated(SetOf("\n        a: |\n          ${\n            .x.y }"), R"({"x": 1})"),
            "error: Cannot index number with string (\"y\") (at 6:12)");
  EXPECT_EQ(Evaluated(SetOf("'${ def f: f; f }'"), "{}"),
            "error: the expression used up its steps (at 5:12)");
}

// O-EXP-03: found when the file is read.
TEST(Template, ModulesDoNotCompile) {
  const LoadResult result = Load(
      "document: {dsl: '1.0.3', namespace: t, name: x, version: '1.0.0'}\n"
      "do: [{a: {set: {b: '${ include \"nowhere\"; . }'}}}]\n");
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_THAT(FormatFinding("f", result.findings[0]),
              HasSubstr("f:2:24: expression: modules are not available here"));
}

TEST(Template, PlaceAtTheEndOfAMessage) {
  EXPECT_EQ(PlaceAtEnd("boom (at 5:12)"), " (at 5:12)");
  for (const char* message :
       {"", "boom", "boom (at 5)", "boom (at 5:x)", "boom (at 5:12", " (at "}) {
    EXPECT_EQ(PlaceAtEnd(message), "") << message;
  }
}

TEST(Template, LooseMode) {
  const Template value =
      SetOf("{a: .x, b: Hello World, c: '${ .x }', d: 1 + 1, e: red, f: .x.y}", "loose");
  // What compiles is evaluated; what does not, or fails, is itself.
  EXPECT_EQ(Evaluated(value, R"({"x": 5})"),
            R"({"a":5,"b":"Hello World","c":5,"d":2,"e":"red","f":".x.y"})");
}

TEST(Template, LooseModeKeepsTheBounds) {
  const Template value = SetOf("{a: 'def f: f; f'}", "loose");
  expression::Evaluation evaluation;
  evaluation.bounds.steps = 10'000;
  EXPECT_TRUE(absl::IsResourceExhausted(value.Evaluate(Value(), evaluation).status()));
}

// A list of so many times the same expression.
Template Many(int count, const std::string& expression) {
  std::string items;
  for (int i = 0; i < count; ++i) items += (i == 0 ? "'" : ", '") + expression + "'";
  return SetOf("{all: [" + items + "]}");
}

TEST(Template, ItsExpressionsShareTheTime) {
  expression::Evaluation evaluation;
  absl::Duration now;
  int looks = 0;
  evaluation.monotonic = [&] {
    ++looks;
    return now += absl::Milliseconds(1);
  };
  evaluation.bounds.wall_time = absl::Milliseconds(100);
  // Each is far too short to look at the clock itself.
  for (const char* expression : {"${ 1 }", "${ [range(100)] | length }"}) {
    looks = 0;
    const auto result = Many(10'000, expression).Evaluate(Value(), evaluation);
    EXPECT_TRUE(absl::IsResourceExhausted(result.status())) << result.status();
    EXPECT_LE(looks, 102) << expression;
    EXPECT_TRUE(Many(10, expression).Evaluate(Value(), evaluation).ok());
  }
}

TEST(Template, ItsExpressionsShareTheMemory) {
  expression::Evaluation evaluation;
  evaluation.bounds.memory_bytes = 1 << 20;
  const char* quarter = "${ \"abcdefgh\" * 32768 }";
  EXPECT_TRUE(Many(2, quarter).Evaluate(Value(), evaluation).ok());
  for (const int count : {6, 10'000}) {
    const auto result = Many(count, quarter).Evaluate(Value(), evaluation);
    EXPECT_TRUE(absl::IsResourceExhausted(result.status())) << result.status();
  }
}

TEST(Template, BuiltByHand) {
  EXPECT_TRUE(Template().constant().is_null());
  const Template value =
      Template::Object({{"a", Template::Constant(Value::Int(1))},
                        {"b", Template::Array({Template::Constant(Value::Int(2))})}});
  EXPECT_FALSE(value.is_constant());
  EXPECT_EQ(Evaluated(value, "null"), R"({"a":1,"b":[2]})");
  EXPECT_EQ(value.FindMember("a")->constant().AsInt(), 1);
  EXPECT_EQ(value.FindMember("c"), nullptr);
}

}  // namespace
}  // namespace jaque::dsl
