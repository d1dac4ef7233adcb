// SPDX-License-Identifier: Apache-2.0
#include "expression/formats.h"

#include <string>

#include "expression/describe.h"
#include "expression/json.h"
#include "gtest/gtest.h"

namespace jaque::expression {
namespace {

// The result, or "error: " and the message.
std::string Apply(std::string_view name, std::string_view json) {
  const auto result = ApplyFormat(FindFormat(name).value(), ParseJson(json).value());
  return result.ok() ? *result : "error: " + std::string(result.status().message());
}

TEST(Formats, UnknownNames) {
  EXPECT_FALSE(FindFormat("yaml"));
  EXPECT_FALSE(FindFormat(""));
  EXPECT_FALSE(FindFormat("TEXT"));
}

TEST(Formats, TextAndJson) {
  EXPECT_EQ(Apply("text", R"("a\"b")"), "a\"b");
  EXPECT_EQ(Apply("json", R"("a\"b")"), R"("a\"b")");
  EXPECT_EQ(Apply("text", R"([1,{"k":null}])"), R"([1,{"k":null}])");
  EXPECT_EQ(Apply("text", "9007199254740993"), "9007199254740993");
}

TEST(Formats, Csv) {
  EXPECT_EQ(Apply("csv", R"([1,"say \"hi\"",null,true,1.5,"a\tb"])"),
            "1,\"say \"\"hi\"\"\",,true,1.5,\"a\tb\"");
  EXPECT_EQ(Apply("csv", "[]"), "");
  EXPECT_EQ(Apply("csv", "[[1]]"), "error: array ([1]) is not valid in a csv row");
  EXPECT_EQ(Apply("csv", "{}"), "error: object ({}) cannot be csv-formatted, only array");
}

TEST(Formats, Tsv) {
  EXPECT_EQ(Apply("tsv", R"([1,"a\tb\\c\r\n",null,false])"), "1\ta\\tb\\\\c\\r\\n\t\tfalse");
  EXPECT_EQ(Apply("tsv", R"([{"a":1}])"), "error: object ({\"a\":1}) is not valid in a csv row");
  EXPECT_EQ(Apply("tsv", "3"), "error: number (3) cannot be tsv-formatted, only array");
}

TEST(Formats, Html) {
  EXPECT_EQ(Apply("html", R"("<a href='x'>&\"</a>")"),
            "&lt;a href=&apos;x&apos;&gt;&amp;&quot;&lt;/a&gt;");
  EXPECT_EQ(Apply("html", R"(["<"])"), "[&quot;&lt;&quot;]");
}

TEST(Formats, Uri) {
  EXPECT_EQ(Apply("uri", R"("a-b_c.d~e f/é")"), "a-b_c.d~e%20f%2F%C3%A9");
  EXPECT_EQ(Apply("uri", "[1]"), "%5B1%5D");
  EXPECT_EQ(Apply("urid", R"("a%20f%2F%c3%A9+")"), "a f/é+");
  for (const char* bad : {"%", "%4", "%G1", "%FF", "%C3%28", "%ED%A0%80", "%F4%90%80%80"}) {
    EXPECT_EQ(Apply("urid", ToJson(Value::String(bad))),
              "error: string (\"" + std::string(bad) + "\") is not a valid uri encoding");
  }
}

TEST(Formats, Sh) {
  EXPECT_EQ(Apply("sh", R"("it's")"), R"('it'\''s')");
  EXPECT_EQ(Apply("sh", R"([1,"a b",null,true])"), "1 'a b' null true");
  EXPECT_EQ(Apply("sh", "{}"), "error: object ({}) can not be escaped for shell");
  EXPECT_EQ(Apply("sh", "[[]]"), "error: array ([]) can not be escaped for shell");
}

TEST(Formats, Base64) {
  EXPECT_EQ(Apply("base64", R"("")"), "");
  EXPECT_EQ(Apply("base64", R"("a")"), "YQ==");
  EXPECT_EQ(Apply("base64", R"("ab")"), "YWI=");
  EXPECT_EQ(Apply("base64", R"("abc")"), "YWJj");
  EXPECT_EQ(Apply("base64", "[1]"), "WzFd");
  EXPECT_EQ(Apply("base64d", R"("YQ==")"), "a");
  EXPECT_EQ(Apply("base64d", R"("YWI")"), "ab");
  EXPECT_EQ(Apply("base64d", R"("YWJj=YWJj")"), "abc");
  EXPECT_EQ(Apply("base64d", R"("YWJjZ")"), "error: string (\"YWJjZ\") trailing base64 byte found");
  EXPECT_EQ(Apply("base64d", R"("a b")"), "error: string (\"a b\") is not valid base64 data");
}

TEST(Describe, ShortensAsJq) {
  const auto shown = [](std::string_view json) { return ShortJson(ParseJson(json).value()); };
  EXPECT_EQ(shown("null"), "null");
  EXPECT_EQ(shown(R"({"a":[1,2]})"), R"({"a":[1,2]})");
  EXPECT_EQ(shown("[0,1,2,3,4,5,6,7,8,9,10,11,12,13]"), "[0,1,2,3,4,5,6,7,8,9,10,1...]");
  EXPECT_EQ(shown(R"("āāāāāāāāāāāāāāāāāā")"), R"("āāāāāāāāāāāā...")");
  EXPECT_EQ(shown(R"({"a":"āāāāāāāāāāāāāā","b":1})"), R"({"a":"āāāāāāāāā...})");
  EXPECT_EQ(shown(R"("aaaaaaaaaaaaaaaaaaaaaaaaaaa")"), R"("aaaaaaaaaaaaaaaaaaaaaaaaaaa")");
  EXPECT_EQ(shown(R"("aaaaaaaaaaaaaaaaaaaaaaaaaaaa")"), R"("aaaaaaaaaaaaaaaaaaaaaaaa...")");
}

TEST(Describe, IsBoundedByWhatIsShown) {
  EXPECT_EQ(ShortJson(ParseJson(std::string(9'000, '[') + std::string(9'000, ']')).value()),
            "[[[[[[[[[[[[[[[[[[[[[[[[[...]");
}

TEST(Describe, TypeErrors) {
  EXPECT_EQ(TypeError(Value::Int(1), "is odd").message(), "number (1) is odd");
  EXPECT_EQ(TypeError(Value::Bool(true), Value(), "differ").message(),
            "boolean (true) and null (null) differ");
}

}  // namespace
}  // namespace jaque::expression
