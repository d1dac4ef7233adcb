// SPDX-License-Identifier: Apache-2.0
#include "expression/json.h"

#include <limits>

#include "gtest/gtest.h"

namespace jaque {
namespace {

std::string Again(std::string_view text) {
  const auto value = ParseJson(text);
  if (!value.ok()) return std::string(value.status().message());
  const std::string printed = ToJson(*value);
  const auto twice = ParseJson(printed);
  EXPECT_TRUE(twice.ok()) << printed;
  EXPECT_EQ(ToJson(*twice), printed);
  EXPECT_EQ(*twice, *value);
  return printed;
}

TEST(Json, KeepsNumbersAsWritten) {
  const char* same[] = {"0",
                        "-1",
                        "9007199254740993",
                        "9223372036854775807",
                        "1.5",
                        "1.000",
                        "1.10",
                        "100000000000000000000",
                        "0.00001",
                        "-0",
                        "-0.0",
                        "123456789012345678901234567890",
                        "0.1",
                        "1E+1000",
                        "-9223372036854775808",
                        "0.12345678901234567890123456789"};
  for (const char* text : same) EXPECT_EQ(Again(text), text);
  EXPECT_EQ(Again("1e1000"), "1E+1000");
  EXPECT_EQ(Again("1e2"), "1E+2");
  EXPECT_EQ(Again("100e-2"), "1.00");
  EXPECT_EQ(Again("123e-20"), "1.23E-18");
  EXPECT_EQ(Again("0.000001"), "0.000001");
  EXPECT_EQ(Again("1e-7"), "1E-7");
  EXPECT_EQ(Again("9999999999E999999990"), "9.999999999E+999999999");
  // What the evaluator computed and we printed stays as it is.
  for (const char* text : {"1e+17", "1e-05", "1.7976931348623157e+308", "12345678901234567000"}) {
    EXPECT_EQ(Again(text), text);
  }
  EXPECT_EQ(ToJson(*ParseJson("1E9999999999")), "1.7976931348623157e+308");
}

TEST(Json, PrintsDoublesAsJq) {
  const std::pair<double, const char*> cases[] = {
      {0.1, "0.1"},
      {1e17, "1e+17"},
      {1e16, "1e+16"},
      {1e15, "1000000000000000"},
      {123456789012345680.0, "123456789012345680"},
      {0.00001, "1e-05"},
      {0.0001, "0.0001"},
      {1.5e300, "1.5e+300"},
      {3e18, "3e+18"},
      {12345678901234567000.0, "12345678901234567000"},
      {-0.0, "-0"},
      {1.2e-7, "1.2e-07"},
      {1e-123, "1e-123"},
      {std::numeric_limits<double>::infinity(), "1.7976931348623157e+308"},
      {std::numeric_limits<double>::quiet_NaN(), "null"}};
  for (const auto& [number, text] : cases) EXPECT_EQ(ToJson(Value::Double(number)), text);
}

TEST(Json, StringsAndEscapes) {
  EXPECT_EQ(Again(R"("Aa\r\n\t\b\f\u03bc\/\\\"")"), R"("Aa\r\n\t\b\fμ/\\\"")");
  EXPECT_EQ(Again(R"("\u0000\u001f\u007f")"), R"("\u0000\u001f\u007f")");
  EXPECT_EQ(Again(R"("\ud83d\ude00")"), "\"\xF0\x9F\x98\x80\"");
  EXPECT_EQ(Again(R"("\ud83d!")"), "\"\xEF\xBF\xBD!\"");
  EXPECT_EQ(Again(R"("\ude00")"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(Again(R"("\ud83d\u0041")"),
            "\"\xEF\xBF\xBD"
            "A\"");
  EXPECT_EQ(Again("\"\xFF\""), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(Again("\xEF\xBB\xBF\"bom\""), "\"bom\"");
}

TEST(Json, DuplicateKeysLastWinsInTheFirstPlace) {
  EXPECT_EQ(Again(R"({"a":1,"b":2,"a":3})"), R"({"a":3,"b":2})");
}

TEST(Json, Containers) {
  EXPECT_EQ(Again(" [ ] "), "[]");
  EXPECT_EQ(Again(" { } "), "{}");
  EXPECT_EQ(Again("[1, [2, {\"a\" : [ ] , \"b\":{}}], null,true,false]"),
            R"([1,[2,{"a":[],"b":{}}],null,true,false])");
}

TEST(Json, ErrorsTellThePlace) {
  EXPECT_EQ(Again("[1,\n 2,]"), "2:4: unexpected character");
  EXPECT_EQ(Again(""), "1:1: unexpected end of text");
  EXPECT_EQ(Again("[1"), "1:3: unexpected end of text");
  EXPECT_EQ(Again("{a:1}"), "1:2: expected a string as key");
  EXPECT_EQ(Again("{\"a\" 1}"), "1:6: expected ':'");
  EXPECT_EQ(Again("[1 2]"), "1:4: expected ',' or ']'");
  EXPECT_EQ(Again("1 2"), "1:3: unexpected text after the value");
  EXPECT_EQ(Again("\"a"), "1:3: unterminated string");
  EXPECT_EQ(Again("\"\\x\""), "1:2: invalid escape");
  EXPECT_EQ(Again("nan"), "1:1: invalid literal");
  for (const char* bad : {"01", "1.", ".5", "+1", "1e", "--1", "tru", "nul", "'a'", "[,]", "{,}",
                          "\"\x01\"", "-", "Infinity", "\"\\u12\"", "]", "}"}) {
    EXPECT_FALSE(ParseJson(bad).ok()) << bad;
  }
}

TEST(Json, NanOnlyWhereAllowed) {
  JsonParseOptions options;
  options.allow_nan = true;
  EXPECT_EQ(ToJson(*ParseJson("[nan,NaN,-NaN,Infinity,-Infinity,null]", options)),
            "[null,null,null,1.7976931348623157e+308,-1.7976931348623157e+308,null]");
}

TEST(Json, DepthIsBounded) {
  const auto nest = [](int n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_TRUE(ParseJson(nest(10'000)).ok());
  EXPECT_EQ(ParseJson(nest(10'001)).status().message(), "1:10001: nests too deeply");
  EXPECT_FALSE(ParseJson(std::string(1'000'000, '[')).ok());
  JsonParseOptions options;
  options.max_depth = 2'000'000;
  const std::string deep = nest(1'000'000);
  EXPECT_EQ(ToJson(*ParseJson(deep, options)), deep);
}

TEST(Json, Formats) {
  const Value value = *ParseJson(R"({"b":[1,{"x":null}],"a":"é😀","c":[],"d":{}})");
  JsonFormat format;
  format.sort_keys = true;
  format.ascii = true;
  EXPECT_EQ(ToJson(value, format),
            "{\n  \"a\": \"\\u00e9\\ud83d\\ude00\",\n  \"b\": [\n    1,\n    {\n      \"x\": null\n"
            "    }\n  ],\n  \"c\": [],\n  \"d\": {}\n}");
  format.indent = 0;
  EXPECT_EQ(ToJson(value, format),
            "{\"a\":\"\\u00e9\\ud83d\\ude00\",\"b\":[1,{\"x\":null}],\"c\":[],\"d\":{}}");
}

}  // namespace
}  // namespace jaque
