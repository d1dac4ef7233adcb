// SPDX-License-Identifier: Apache-2.0
#include "expression/value.h"

#include <cmath>
#include <limits>

#include "expression/json.h"
#include "gtest/gtest.h"

namespace jaque {
namespace {

Value Parse(std::string_view text) {
  auto value = ParseJson(text);
  EXPECT_TRUE(value.ok()) << text << ": " << value.status();
  return value.ok() ? *value : Value();
}

TEST(Value, IsSixteenBytes) { EXPECT_EQ(sizeof(Value), 16u); }

TEST(Value, KeepsShortAndLongStrings) {
  for (size_t n : {0, 1, 13, 14, 15, 16, 200}) {
    const std::string text(n, 'x');
    const Value value = Value::String(text);
    EXPECT_EQ(value.AsString(), text);
    EXPECT_EQ(value.size(), n);
    EXPECT_EQ(value, Value::String(text));
    EXPECT_NE(value, Value::String(text + "y"));
  }
}

TEST(Value, RepairsInvalidUtf8) {
  EXPECT_EQ(Value::String("a\xFFz").AsString(), "a\xEF\xBF\xBDz");
  EXPECT_EQ(Value::String("\xED\xA0\x80").AsString(), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Value, CopiesOnWriteOnlyWhenShared) {
  Value a = Value::Array();
  for (int i = 0; i < 100; ++i) a.Append(Value::Int(i));
  const Value* before = &a.at(0);
  a.SetAt(5, Value::Int(55));
  EXPECT_EQ(&a.at(0), before);
  Value b = a;
  b.SetAt(5, Value::Int(5));
  EXPECT_EQ(*a.at(5).AsInt(), 55);
  EXPECT_EQ(*b.at(5).AsInt(), 5);
  EXPECT_EQ(b.size(), 100u);
}

TEST(Value, ObjectsKeepInsertionOrderSmallAndLarge) {
  for (int n : {1, 5, 12, 13, 14, 100, 1000}) {
    Value object = Value::Object();
    for (int i = 0; i < n; ++i) {
      object.Set(std::to_string(i) + (i % 2 ? "-a-key-that-is-long" : ""), Value::Int(i));
    }
    object.Set("0", Value::Int(-1));
    ASSERT_EQ(object.size(), static_cast<size_t>(n));
    int i = 0;
    object.ForEachMember([&](std::string_view key, const Value& value) {
      EXPECT_EQ(key, std::to_string(i) + (i % 2 ? "-a-key-that-is-long" : ""));
      EXPECT_EQ(*value.AsInt(), i == 0 ? -1 : i);
      ++i;
      return true;
    });
    EXPECT_EQ(object.Find("absent"), nullptr);
    Value copy = object;
    copy.Erase("0");
    EXPECT_EQ(copy.Find("0"), nullptr);
    EXPECT_NE(object.Find("0"), nullptr);
    EXPECT_EQ(copy.size() + 1, object.size());
    for (int k = 1; k < n; ++k) {
      EXPECT_NE(copy.Find(std::to_string(k) + (k % 2 ? "-a-key-that-is-long" : "")), nullptr);
    }
  }
}

TEST(Value, FindsThroughNestedObjects) {
  const Value value = Parse(R"({"a":{"b":{"c":7}},"s":"text"})");
  EXPECT_EQ(*value.FindPath({"a", "b", "c"})->AsInt(), 7);
  EXPECT_EQ(value.FindPath({"a", "x", "c"}), nullptr);
  EXPECT_EQ(value.FindPath({"s", "b"}), nullptr);
  EXPECT_EQ(value.StringOr("s", "-"), "text");
  EXPECT_EQ(value.StringOr("a", "-"), "-");
}

TEST(Value, OrdersByType) {
  const char* sorted[] = {
      "null",     "false", "true",  "-1",        "0",         "0.5",
      "1",        "\"\"",  "\"a\"", "\"b\"",     "[]",        "[0]",
      "[0,1]",    "[1]",   "{}",    "{\"a\":1}", "{\"a\":2}", "{\"a\":1,\"b\":0}",
      "{\"b\":0}"};
  for (size_t i = 0; i < std::size(sorted); ++i) {
    for (size_t j = 0; j < std::size(sorted); ++j) {
      const int order = Value::Compare(Parse(sorted[i]), Parse(sorted[j]));
      EXPECT_EQ(order, i < j ? -1 : i > j ? 1 : 0) << sorted[i] << " " << sorted[j];
    }
  }
}

TEST(Value, ComparesIntegersExactly) {
  const Value big = Value::Int(INT64_MAX);
  EXPECT_LT(Value::Compare(Value::Int(9007199254740992), Value::Int(9007199254740993)), 0);
  EXPECT_LT(Value::Compare(big, Value::Double(9223372036854775808.0)), 0);
  EXPECT_GT(Value::Compare(Value::Int(9007199254740993), Value::Double(9007199254740992.0)), 0);
  EXPECT_LT(Value::Compare(Value::Int(-1), Value::Double(-0.5)), 0);
  EXPECT_GT(Value::Compare(Value::Int(0), Value::Double(-0.5)), 0);
}

TEST(Value, NanEqualsNothingAndIsLeast) {
  const Value nan = Value::Double(std::nan(""));
  EXPECT_FALSE(nan == nan);
  EXPECT_LT(Value::Compare(nan, Value::Int(0)), 0);
  EXPECT_GT(Value::Compare(Value::Int(0), nan), 0);
  EXPECT_FALSE(Value::Array({nan}) == Value::Array({nan}));
}

TEST(Value, IntegralDoublesAreIntegers) {
  EXPECT_EQ(*Value::Double(3.0).AsInt(), 3);
  EXPECT_EQ(*Value::Double(-4503599627370496.0).AsInt(), -4503599627370496);
  EXPECT_FALSE(Value::Double(0.5).AsInt().has_value());
  EXPECT_FALSE(Value::Double(1e300).AsInt().has_value());
  EXPECT_TRUE(std::signbit(Value::Double(-0.0).AsDouble()));
}

TEST(Value, MillionDeepNestNeitherPrintsComparesNorDiesByRecursion) {
  const auto nest = [] {
    Value value = Value::Array();
    for (int i = 0; i < 1'000'000; ++i) {
      Value outer = i % 2 == 0 ? Value::Array({std::move(value)}) : Value::Object();
      if (i % 2 == 1) outer.Set("a", std::move(value));
      value = std::move(outer);
    }
    return value;
  };
  const Value a = nest();
  const Value b = nest();
  EXPECT_EQ(a, b);
  EXPECT_EQ(Value::Compare(a, b), 0);
  Value::Effort shallow{.depth = 10'000};
  Value::Equal(a, b, &shallow);
  EXPECT_TRUE(shallow.too_deep);
  Value::Effort brief{.steps = 1000};
  Value::Compare(a, b, &brief);
  EXPECT_TRUE(brief.too_long);
  EXPECT_TRUE(a.DeeperThan(999'999));
  EXPECT_GT(ToJson(a).size(), 3'000'000u);
  EXPECT_EQ(a.MemoryEstimate(1000), 1000u);
}

TEST(Value, CountsTheBytesOfThisThread) {
  const int64_t before = Value::ThreadBytes();
  {
    Value object = Value::Object();
    for (int i = 0; i < 1000; ++i) object.Set("key" + std::to_string(i), Value::Int(i));
    EXPECT_GT(Value::ThreadBytes() - before, 32'000);
    Value text = Value::String(std::string(1000, 'x'));
    text.AppendString(std::string(1000, 'y'));
    text.AppendString("z");
    EXPECT_EQ(text.size(), 2001u);
    object.Set("text", text);
    Value copy = object;
    copy.Erase("text");
  }
  EXPECT_EQ(Value::ThreadBytes(), before);
}

TEST(Value, SurvivesSelfAssignmentFromItsOwnParts) {
  Value value = Parse("[[[1,2,3,\"a string that is long\"]]]");
  for (int i = 0; i < 3; ++i) value = Value(value.at(0));
  EXPECT_EQ(ToJson(value), "1");
  Value other = Parse("[[1]]");
  other = other.at(0);
  EXPECT_EQ(ToJson(other), "[1]");
}

}  // namespace
}  // namespace jaque
