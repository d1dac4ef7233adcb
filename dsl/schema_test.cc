// SPDX-License-Identifier: Apache-2.0
#include "dsl/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "dsl/schema_compile.h"
#include "dsl/text.h"
#include "expression/json.h"

namespace jaque::dsl {
namespace {

using ::testing::HasSubstr;

// "" if valid, else the violations.
std::string Violations(const std::string& schema, const std::string& value) {
  const auto compiled = CompileSchema(*ParseJson(schema));
  if (!compiled.ok()) return Cat("schema: ", std::string(compiled.status().message()));
  const absl::Status status = (*compiled)->Validate(*ParseJson(value));
  EXPECT_TRUE(status.ok() || absl::IsInvalidArgument(status));
  return std::string(status.message());
}

TEST(Schema, NamesEachViolation) {
  const char* schema = R"({"type": "object", "required": ["id", "name"],
    "properties": {"id": {"type": "integer", "minimum": 1}, "tags": {"items": {"type": "string"}}},
    "additionalProperties": false})";
  EXPECT_EQ(Violations(schema, R"({"id": 3, "name": "x"})"), "the property `name` is not allowed");
  EXPECT_EQ(
      Violations(schema, R"({"id": 0, "tags": ["a", 1], "x/y": 1})"),
      "missing property `name`; /id: is less than the minimum; /tags/1: must be a string, not a "
      "number; the property `x/y` is not allowed");
  EXPECT_EQ(Violations(schema, "[]"), "must be an object, not a list");
}

TEST(Schema, ViolationsAreFew) {
  EXPECT_THAT(Violations(R"({"items": {"type": "string"}})", "[1,2,3,4,5,6,7,8,9]"),
              HasSubstr("/4: "));
  EXPECT_THAT(Violations(R"({"items": {"type": "string"}})", "[1,2,3,4,5,6,7,8,9]"),
              HasSubstr("; …"));
}

TEST(Schema, Types) {
  EXPECT_EQ(Violations(R"({"type": "integer"})", "1.0"), "");
  EXPECT_EQ(Violations(R"({"type": "integer"})", "1e300"), "");
  EXPECT_THAT(Violations(R"({"type": "integer"})", "1.5"), HasSubstr("an integer"));
  EXPECT_EQ(Violations(R"({"type": ["string", "null"]})", "null"), "");
  EXPECT_THAT(Violations(R"({"type": ["string", "null"]})", "true"), HasSubstr("null or a string"));
}

TEST(Schema, NumbersCompareExactly) {
  EXPECT_EQ(Violations(R"({"const": 9007199254740993})", "9007199254740993"), "");
  EXPECT_NE(Violations(R"({"const": 9007199254740993})", "9007199254740992"), "");
  EXPECT_EQ(Violations(R"({"multipleOf": 0.01})", "1.13"), "");
  EXPECT_NE(Violations(R"({"multipleOf": 7})", "9007199254740993"), "");
  EXPECT_EQ(Violations(R"({"const": 1})", "1.0"), "");
  EXPECT_EQ(Violations(R"({"uniqueItems": true})", "[1, true, \"1\", [1], {\"a\": 1}]"), "");
  EXPECT_NE(
      Violations(R"({"uniqueItems": true})", "[{\"a\": 1, \"b\": 2}, {\"b\": 2, \"a\": 1.0}]"), "");
}

TEST(Schema, LengthCountsCharacters) {
  EXPECT_EQ(Violations(R"({"maxLength": 2})", "\"\U0001F600ä\""), "");
  EXPECT_NE(Violations(R"({"minLength": 3})", "\"\U0001F600ä\""), "");
}

TEST(Schema, ReferencesAndRecursion) {
  const char* tree = R"({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object",
    "properties": {"next": {"$ref": "#/$defs/node"}, "value": {"$ref": "#number"}}},
    "n": {"$anchor": "number", "type": "number"}}})";
  EXPECT_EQ(Violations(tree, R"({"next": {"next": {"value": 1}}})"), "");
  EXPECT_THAT(Violations(tree, R"({"next": {"next": {"value": "x"}}})"),
              HasSubstr("/next/next/value: must"));
}

TEST(Schema, MistakesHaveAPlace) {
  const auto problem_of = [](const char* schema) {
    SchemaProblem problem;
    EXPECT_EQ(CompileSchema(*ParseJson(schema), &problem), nullptr) << schema;
    return problem.pointer;
  };
  EXPECT_EQ(problem_of(R"({"properties": {"a/b": {"type": "strin"}}})"), "/properties/a~1b/type");
  EXPECT_EQ(problem_of(R"({"items": {"pattern": "("}})"), "/items/pattern");
  EXPECT_EQ(problem_of(R"({"required": ["a", 1]})"), "/required/1");
  EXPECT_EQ(problem_of(R"({"minLength": -1})"), "/minLength");
  EXPECT_EQ(problem_of(R"({"maximum": "1"})"), "/maximum");
  EXPECT_EQ(problem_of(R"({"$ref": "#/$defs/x"})"), "/$ref");
  EXPECT_EQ(problem_of(R"({"$ref": "https://example.com/schema.json"})"), "/$ref");
  EXPECT_EQ(problem_of(R"({"anyOf": []})"), "/anyOf");
  EXPECT_EQ(problem_of(R"({"multipleOf": 0})"), "/multipleOf");
  EXPECT_EQ(problem_of("5"), "");
}

// Hostile schemas and values end, within their bounds.
TEST(Schema, EndlessReference) {
  EXPECT_THAT(Violations(R"({"$ref": "#"})", "1"), HasSubstr("nest deeper"));
  EXPECT_THAT(Violations(R"({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]},
    "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}})",
                         "1"),
              HasSubstr("nest deeper"));
}

TEST(Schema, ExponentialReferences) {
  std::string schema = R"({"$ref": "#/$defs/d60", "$defs": {"d0": {"type": "integer"})";
  for (int i = 1; i <= 60; ++i) {
    Append(&schema, R"(, "d)", i, R"(": {"allOf": [{"$ref": "#/$defs/d)", i - 1,
           R"("}, {"$ref": "#/$defs/d)", i - 1, R"("}]})");
  }
  schema += "}}";
  EXPECT_THAT(Violations(schema, "1"), HasSubstr("takes too long"));
}

TEST(Schema, DeepValue) {
  const std::string deep = std::string(5'000, '[') + std::string(5'000, ']');
  EXPECT_THAT(Violations(R"({"items": {"$ref": "#"}})", deep), HasSubstr("nest deeper"));
  EXPECT_EQ(Violations(R"({"type": "array"})", deep), "");
}

TEST(Schema, GreatUniqueArray) {
  std::string items = "[0";
  for (int i = 1; i < 200'000; ++i) Append(&items, ",", i);
  EXPECT_EQ(Violations(R"({"uniqueItems": true})", items + "]"), "");
  EXPECT_NE(Violations(R"({"uniqueItems": true})", items + ",7]"), "");
}

TEST(Schema, CatastrophicPattern) {
  const std::string text = "\"" + std::string(5'000, 'a') + "!\"";
  // Either answer, or the bound: but soon.
  EXPECT_NE(Violations(R"x({"pattern": "^(a+)+$"})x", text), "");
}

TEST(Schema, Draft7) {
  EXPECT_EQ(Violations(R"({"items": [{"type": "string"}], "additionalItems": {"type": "number"}})",
                       R"(["a", 1])"),
            "");
  EXPECT_NE(Violations(R"({"additionalItems": {"type": "number"}, "items": [{"type": "string"}]})",
                       R"(["a", "b"])"),
            "");
  EXPECT_EQ(Violations(R"({"additionalItems": false})", "[1]"), "");
  EXPECT_NE(Violations(R"({"dependencies": {"a": ["b"]}})", R"({"a": 1})"), "");
  EXPECT_NE(
      Violations(R"({"$ref": "#/definitions/x", "definitions": {"x": {"type": "null"}}})", "1"),
      "");
}

// The official test suite, where its folder is named (JSON_SCHEMA_TESTS: …/tests/draft2020-12).
// What is left out: other documents, dynamic scopes, vocabularies, and `format` as an annotation.
TEST(Schema, OfficialSuite) {
  const char* folder = std::getenv("JSON_SCHEMA_TESTS");
  if (folder == nullptr) {
    std::cout << "skipped: JSON_SCHEMA_TESTS names no folder\n";
    return;
  }
  int passed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(".json") || name == "refRemote.json" || name == "dynamicRef.json" ||
        name == "format.json" || name == "vocabulary.json") {
      continue;
    }
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const Value groups = *ParseJson(text.str());
    for (size_t g = 0; g < groups.size(); ++g) {
      const std::string title(groups.at(g).StringOr("description", ""));
      const auto schema = CompileSchema(*groups.at(g).Find("schema"));
      if (title.find("same $anchor with different base uri") != std::string::npos) continue;
      if (!schema.ok()) {
        EXPECT_THAT(std::string(schema.status().message()), HasSubstr("another document"))
            << name << title;
        continue;
      }
      const Value& tests = *groups.at(g).Find("tests");
      for (size_t t = 0; t < tests.size(); ++t) {
        const bool valid = (*schema)->Validate(*tests.at(t).Find("data")).ok();
        EXPECT_EQ(valid, tests.at(t).Find("valid")->truthy())
            << name << ": " << title << ": " << tests.at(t).StringOr("description", "");
        ++passed;
      }
    }
  }
  EXPECT_GT(passed, 1'000);
}

}  // namespace
}  // namespace jaque::dsl
