// SPDX-License-Identifier: Apache-2.0
// The readers: what a text means, and where it is refused.
#include "dsl/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "dsl/text.h"
#include "expression/json.h"

namespace jaque::dsl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Reading {
  std::unique_ptr<const Node> root;
  std::vector<std::string> findings;  // "line:column message"
};

Reading Read(std::string_view text) {
  Findings findings;
  Reading reading;
  reading.root = ReadDocument(SkipByteOrderMark(text), &findings);
  for (const Finding& finding : findings.Take()) {
    reading.findings.push_back(Cat(finding.line, ":", finding.column, " ", finding.message));
  }
  return reading;
}

std::string JsonOf(std::string_view text) {
  const Reading reading = Read(text);
  if (reading.root == nullptr) return reading.findings.empty() ? "no finding" : reading.findings[0];
  return ToJson(reading.root->value);
}

TEST(Yaml, CoreSchema) {
  EXPECT_EQ(
      JsonOf("[no, on, yes, off, y, NO, True, FALSE, true, null, ~, Null, '', 'true', !!str 1]"),
      R"(["no","on","yes","off","y","NO",true,false,true,null,null,null,"","true","1"])");
  EXPECT_EQ(
      JsonOf("[1e3, 0o17, 0x1F, 017, 0b1, 1_000, +5, -0, .5, 5., -1.5E-2, 1:30, 0x, 0o8, 1e, '1']"),
      R"([1000,15,31,17,"0b1","1_000",5,-0,0.5,5,-0.015,"1:30","0x","0o8","1e","1"])");
  EXPECT_EQ(JsonOf("a:\nb: ''\nc: 2024-01-01\nd: =\ne: \"x\\ty\""),
            R"({"a":null,"b":"","c":"2024-01-01","d":"=","e":"x\ty"})");
}

TEST(Yaml, NumbersAreExact) {
  EXPECT_EQ(JsonOf("[9007199254740993, 9223372036854775807, 0x7FFFFFFFFFFFFFF]"),
            "[9007199254740993,9223372036854775807,576460752303423487]");
}

TEST(Yaml, WhatJsonCannotHoldIsRefused) {
  EXPECT_THAT(JsonOf("a: 1\nb: .inf"), HasSubstr("2:4 `.inf`"));
  EXPECT_THAT(JsonOf("- -.Inf"), HasSubstr("1:3 `-.Inf`"));
  EXPECT_THAT(JsonOf("- .NaN"), HasSubstr("1:3 `.NaN`"));
  EXPECT_EQ(JsonOf("- '.nan'"), R"([".nan"])");
}

TEST(Yaml, Tags) {
  EXPECT_EQ(JsonOf("[!!int 5, !!float 5, !!bool true, !!null '', !!str true, ! 12]"),
            R"([5,5,true,null,"true","12"])");
  EXPECT_EQ(JsonOf("!!map {a: !!seq [1]}"), R"({"a":[1]})");
  EXPECT_THAT(JsonOf("a: !!int x"), HasSubstr("1:4 `x` is no !!int"));
  EXPECT_THAT(JsonOf("a: !!binary aGk="), HasSubstr("1:4 the tag !!binary"));
  EXPECT_THAT(JsonOf("a: !mine x"), HasSubstr("1:4 the tag !mine"));
  EXPECT_THAT(JsonOf("a: !!python/object:os.system [x]"), HasSubstr("1:4 the tag"));
}

TEST(Yaml, Keys) {
  EXPECT_EQ(JsonOf("200: a\ntrue: b\n'': c\n\"d\": e"), R"({"200":"a","true":"b","":"c","d":"e"})");
  EXPECT_THAT(JsonOf("? [a]\n: b"), HasSubstr("a key must be a scalar"));
  EXPECT_THAT(JsonOf("a: &x b\n*x : c"), HasSubstr("an alias cannot be a key"));
  EXPECT_THAT(JsonOf("x: &x {a: b}\ny:\n  <<: *x"), HasSubstr("3:3 merge keys"));
  EXPECT_EQ(JsonOf("'<<': a"), R"({"<<":"a"})");
}

TEST(Yaml, Aliases) {
  EXPECT_EQ(JsonOf("a: &a {x: 1}\nb: *a\nc: [*a, *a]"),
            R"({"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":1}]})");
  EXPECT_EQ(JsonOf("- &a 1\n- *a\n- &a 2\n- *a"), "[1,1,2,2]");
  EXPECT_THAT(JsonOf("a: *b"), HasSubstr("1:4 the alias `*b` refers to no anchor"));
  EXPECT_THAT(JsonOf("a: &a [*a]"), HasSubstr("stands inside what it refers to"));
}

TEST(Yaml, AliasBombIsRefusedBeforeItIsBuilt) {
  std::string text = "a0: &a0 [1,1,1,1,1,1,1,1,1]\n";
  for (int i = 1; i < 40; ++i) {
    Append(&text, "a", i, ": &a", i, " [");
    for (int k = 0; k < 9; ++k) Append(&text, k > 0 ? "," : "", "*a", i - 1);
    Append(&text, "]\n");
  }
  EXPECT_THAT(JsonOf(text), HasSubstr("more than 100000 values"));
}

TEST(Yaml, NestedAnchorsAreNotQuadratic) {
  std::string text;
  for (int i = 0; i < 100; ++i) Append(&text, "&a", i, " [");
  for (int i = 0; i < 5'000; ++i) Append(&text, "1,");
  text.append(100, ']');
  EXPECT_THAT(JsonOf(text), HasSubstr("anchors cover more than"));
}

TEST(Yaml, Depth) {
  const int limit = limits::kDefinitionDepth;
  EXPECT_EQ(Read(std::string(limit - 1, '[') + "1" + std::string(limit - 1, ']')).findings,
            std::vector<std::string>());
  EXPECT_THAT(JsonOf(std::string(10'000, '[')), HasSubstr("1:129 nested deeper than 128 levels"));
  // The depth of an alias counts where it stands.
  EXPECT_THAT(JsonOf("a: &a " + std::string(100, '[') + std::string(100, ']') +
                     "\nb: " + std::string(100, '[') + "*a" + std::string(100, ']')),
              HasSubstr("nested deeper"));
}

TEST(Yaml, DuplicateKeys) {
  const Reading reading = Read("do:\n  - a: 1\nx:\n  with: 1\n  with: 2\ndo: []\n");
  EXPECT_THAT(reading.findings, ElementsAre("5:3 duplicate key `with`; the first one is at 4:3",
                                            "6:1 duplicate key `do`; the first one is at 1:1"));
  EXPECT_NE(reading.root, nullptr);  // the rest can be checked
  EXPECT_THAT(JsonOf("1: a\n'1': b"), HasSubstr("{"));
  EXPECT_THAT(Read("1: a\n'1': b").findings, ElementsAre(HasSubstr("2:1 duplicate key `1`")));
}

TEST(Yaml, DuplicateAmongManyKeys) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) Append(&text, "k", i, ": 1\n");
  text += "k7: 2\n";
  EXPECT_THAT(Read(text).findings,
              ElementsAre("50001:1 duplicate key `k7`; the first one is at 8:1"));
}

TEST(Yaml, OneDocument) {
  EXPECT_THAT(JsonOf("---\na: 1\n---\nb: 2\n"), HasSubstr("3:1 a second document"));
  EXPECT_THAT(JsonOf("a: 1\n---\n"), HasSubstr("2:1 a second document"));
  EXPECT_EQ(JsonOf("---\na: 1\n...\n"), R"({"a":1})");
  EXPECT_EQ(JsonOf("%YAML 1.2\n---\na: no\n"), R"({"a":"no"})");
  EXPECT_THAT(JsonOf("%YAML 1.1\n---\na: no\n"), HasSubstr("asks for YAML 1.1"));
  EXPECT_THAT(JsonOf("# nothing\n"), HasSubstr("the document is empty"));
  EXPECT_THAT(JsonOf(""), HasSubstr("the document is empty"));
}

TEST(Yaml, AnExpressionWithoutQuotesIsExplained) {
  for (const char* text :
       {"a: {x: ${ .y }, z: 1}", "a: ${ {b: 1} }", "b: 1\na: [${ [1] }, ${ .x }]"}) {
    EXPECT_THAT(JsonOf(text), HasSubstr("put the expression into quotes: '${ … }'")) << text;
  }
  EXPECT_THAT(JsonOf("b: ${ .x }\na: [1"), Not(HasSubstr("quotes")));
}

TEST(Yaml, WhatIsNoYaml) {
  EXPECT_THAT(JsonOf("a: \"x\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(JsonOf("a:\n\tb: c\n"), HasSubstr("2:1 not valid YAML: a tab"));
  EXPECT_THAT(JsonOf("a: b\nc: \x01\n"), HasSubstr("2:4 not valid YAML: control"));
  EXPECT_THAT(JsonOf("a: [1\nb: 2"), HasSubstr("not valid YAML"));
  EXPECT_EQ(JsonOf("hello"), R"("hello")");
}

TEST(Text, EncodingAndSize) {
  EXPECT_THAT(JsonOf("a: b\nc: \xFF"), HasSubstr("2:4 the text is not valid UTF-8"));
  EXPECT_THAT(JsonOf("a: \xC3"), HasSubstr("1:4 the text is not valid UTF-8"));
  EXPECT_THAT(JsonOf("a: \xED\xA0\x80"), HasSubstr("not valid UTF-8"));
  EXPECT_THAT(JsonOf(std::string_view("a: \0b", 5)), HasSubstr("1:4 a NUL character"));
  EXPECT_THAT(JsonOf(std::string_view("a\0: \0b\0", 7)),
              HasSubstr("NUL"));  // UTF-16 looks like this
  EXPECT_EQ(JsonOf("\xEF\xBB\xBF{\"a\": 1}"), R"({"a":1})");
  EXPECT_EQ(JsonOf("\xEF\xBB\xBF"
                   "a: 1"),
            R"({"a":1})");
  EXPECT_THAT(JsonOf(std::string(limits::kDefinitionBytes + 1, 'x')),
              HasSubstr("more than the limit"));
}

TEST(Yaml, PlacesCountCharacters) {
  const Reading reading = Read("ä: {ö: [1, x]}\n");
  ASSERT_NE(reading.root, nullptr);
  const Node& list = *reading.root->Find({"ä", "ö"});
  EXPECT_EQ(list.key_place.column, 5);
  EXPECT_EQ(list.place.column, 8);
  EXPECT_EQ(list.children[1].place.column, 12);
  EXPECT_EQ(PointerOf(list.children[1]), "/ä/ö/1");
}

TEST(Yaml, PointersAreEscaped) {
  const Reading reading = Read("a/b: {c~d: 1}");
  EXPECT_EQ(PointerOf(*reading.root->Find({"a/b", "c~d"})), "/a~1b/c~0d");
}

TEST(Json, Values) {
  EXPECT_EQ(
      JsonOf(R"( {"a": [1, -2.5e3, true, false, null, "x\n\u00e4\ud83d\ude00\/"], "b": {}} )"),
      "{\"a\":[1,-2500,true,false,null,\"x\\n\u00e4\U0001F600/\"],\"b\":{}}");
}

TEST(Json, Places) {
  const Reading reading = Read("{\n  \"ä\": {\"b\": 1}\n}");
  const Node& b = *reading.root->Find({"ä", "b"});
  EXPECT_EQ(b.place.line, 2);
  EXPECT_EQ(b.key_place.column, 9);
  EXPECT_EQ(b.place.column, 14);
}

TEST(Json, IsStrictWhereItIsNoYamlEither) {
  EXPECT_THAT(JsonOf("{\"a\": 1,\n \"b\": tru\n"),
              HasSubstr("2:7 not valid JSON: expected a value"));
  EXPECT_THAT(JsonOf("{\"a\": \"\\ud83d\", \"b\": ]"),
              HasSubstr("not valid JSON: half of a surrogate pair"));
  EXPECT_THAT(JsonOf("{\"a\": 1} x"), HasSubstr("not valid JSON: text after the end"));
  EXPECT_THAT(JsonOf("{\"a\": " + std::string(10'000, '[')), HasSubstr("nested deeper than 128"));
}

TEST(Json, DuplicateKeys) {
  EXPECT_THAT(Read("{\"a\": 1,\n\"a\": 2}").findings,
              ElementsAre("2:1 duplicate key `a`; the first one is at 1:2"));
}

TEST(Json, FlowYamlIsYaml) {
  EXPECT_EQ(JsonOf("{a: 1, 'b': [no]}"), R"({"a":1,"b":["no"]})");
  EXPECT_EQ(JsonOf("{\"a\": 1, # comment\n \"b\": 2}"), R"({"a":1,"b":2})");
}

}  // namespace
}  // namespace jaque::dsl
