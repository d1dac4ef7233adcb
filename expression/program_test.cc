// SPDX-License-Identifier: Apache-2.0
#include "expression/program.h"

#include <pthread.h>

#include <algorithm>
#include <functional>
#include <map>
#include <thread>

#include "base/clock.h"
#include "expression/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::expression {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Variables : public VariableSource {
 public:
  explicit Variables(std::map<std::string, Value> values) : values_(std::move(values)) {}
  absl::StatusOr<Value> Lookup(std::string_view name) const override {
    ++lookups_[std::string(name)];
    const auto found = values_.find(std::string(name));
    if (found == values_.end()) return absl::UnavailableError("no such variable");
    return found->second;
  }
  std::map<std::string, int>& lookups() const { return lookups_; }

 private:
  std::map<std::string, Value> values_;
  mutable std::map<std::string, int> lookups_;
};

std::shared_ptr<const Program> MustCompile(std::string_view source) {
  CompileResult result = Compile(source);
  EXPECT_NE(result.program, nullptr)
      << source << ": " << (result.errors.empty() ? "" : result.errors[0].message);
  return result.program;
}

// Outputs joined by blanks; a failure as "! message".
std::string Outputs(std::string_view source, std::string_view input = "null",
                    const Evaluation& evaluation = {}) {
  const auto program = MustCompile(source);
  if (program == nullptr) return "";
  std::string outputs;
  const absl::Status status = program->Run(*ParseJson(input), evaluation, [&](Value value) {
    if (!outputs.empty()) outputs += ' ';
    AppendJson(value, &outputs);
    return true;
  });
  if (!status.ok()) outputs += "! " + std::string(status.message());
  return outputs;
}

std::string Errors(std::string_view source, const std::vector<std::string>* known = nullptr) {
  CompileOptions options;
  options.known_variables = known;
  std::string text;
  const CompileResult result = Compile(source, options);
  EXPECT_EQ(result.program == nullptr, !result.errors.empty());
  for (const CompileError& error : result.errors) {
    text += std::to_string(error.place.line) + ":" + std::to_string(error.place.column) + " " +
            error.message + "\n";
  }
  return text;
}

TEST(Program, RunsOnTheMachineAsWithoutIt) {
  // Each expression once where it is expanded, once inside a function that calls itself.
  const char* expressions[] = {".a",
                               ".a.b?",
                               ".c[]",
                               "[.c[] | . * 2]",
                               ".c | map(select(. > 1))",
                               "{x: .a, y: (.c[])}",
                               "\"\\(.a) \\(.c[])\"",
                               ".a as $x | [$x, $x]",
                               "reduce .c[] as $x (0; . + $x)",
                               "[foreach .c[] as $x (0; . + $x; [$x, .])]",
                               "first(.c[] | select(. > 1))",
                               "[limit(2; .c[])]",
                               "[.c[] | if . > 1 then . else \"low\" end]",
                               "try error(\"x\") catch .",
                               "[.c[] | try (if . == 2 then error(\"two\") else . end) catch .]",
                               ".d // \"none\"",
                               "[.c[] | . as $x | label $out | (1, 2) | ., break $out]",
                               ".c |= map(. + 1)",
                               ".c[] += 1",
                               "(.c[] | select(. == 2)) |= empty",
                               "del(.c[0, 1])",
                               "[paths]",
                               "[..]",
                               "path(.a, .c[])",
                               "[range(3)]",
                               "[range(0; 10; 3)]",
                               "to_entries",
                               "with_entries(.key |= \"k\" + .)",
                               ".c | sort_by(-.)",
                               ".c | group_by(. % 2)",
                               "[.c[] as [$p] ?// $p | $p]",
                               ". as {c: [$f, $s]} | $f + $s",
                               "(.c | add) + (.c | length)",
                               "[.c[] and true, (.c[0] == 1 or false)]",
                               "[skip(1; .c[])]",
                               "[.c | until(length > 5; . + [0])]",
                               "walk(if type == \"number\" then . + 1 else . end)",
                               "any(.c[]; . == 2)",
                               "[splits(\"a\")?]",
                               "[1, 2] | .[1:] = [9]",
                               "-(.c[0])",
                               "getpath([\"c\", 1])",
                               "@json \"v=\\(.c)\"",
                               "[.c[]?, .x[]?]",
                               "[tostream] | fromstream(.[])",
                               "[recurse(if . == null then empty else .z? end)] | length"};
  const std::string input = R"({"a":"v","c":[1,2,3]})";
  for (const char* expression : expressions) {
    const std::string direct = Outputs(expression, input);
    EXPECT_THAT(direct, ::testing::Not(HasSubstr("!"))) << expression;
    const std::string recursive =
        std::string("def f($n): if $n == 0 then ") + expression + " else f($n - 1) end; f(3)";
    EXPECT_EQ(Outputs(recursive, input), direct) << expression;
  }
}

TEST(Program, ErrorsHaveTheWordsOfJq) {
  EXPECT_EQ(Outputs(".a", "1"), "! Cannot index number with string (\"a\")");
  EXPECT_EQ(Outputs("1, error({a: 1})"), "1! (not a string): {\"a\":1}");
  EXPECT_EQ(Outputs("error(null)"), "! (not a string): null");
  EXPECT_EQ(Outputs("try (try null catch error(\"A\") | error(\"B\")) catch ."), "\"B\"");
}

TEST(Program, StopsWhenTheCallerHasEnough) {
  int outputs = 0;
  const auto program = MustCompile("repeat(1)");
  const absl::Status status = program->Run(Value(), {}, [&](Value) { return ++outputs < 3; });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(outputs, 3);
}

TEST(Program, LooksUpVariablesOnceAndOnlyWhenUsed) {
  const Variables variables({{"a", Value::Int(1)}, {"b", Value::Int(2)}});
  Evaluation evaluation;
  evaluation.variables = &variables;
  const auto program = MustCompile("[range(5) | $a + .] | if length > 9 then $b else . end");
  EXPECT_THAT(program->variables(), ElementsAre("a", "b"));
  EXPECT_EQ(ToJson(*Evaluate(*program, Value(), evaluation)), "[1,2,3,4,5]");
  EXPECT_EQ(variables.lookups()["a"], 1);
  EXPECT_EQ(variables.lookups()["b"], 0);
  EXPECT_EQ(Outputs("try $c catch 1", "null", evaluation), "! no such variable");
}

TEST(Program, EvaluateMakesOneValueOfAll) {
  EXPECT_EQ(ToJson(*Evaluate(*MustCompile("empty"), Value(), {})), "null");
  EXPECT_EQ(ToJson(*Evaluate(*MustCompile("[1]"), Value(), {})), "[1]");
  EXPECT_EQ(ToJson(*Evaluate(*MustCompile("1, 2"), Value(), {})), "[1,2]");
  EXPECT_EQ(
      Evaluate(*MustCompile("reduce range(10001) as $i (1; [.])"), Value(), {}).status().message(),
      "the result nests too deeply");
}

TEST(Program, CompileErrorsNameAllPlaces) {
  EXPECT_EQ(Errors("foo | $x + bar(1)\n| baz"),
            "1:1 foo/0 is not defined\n1:12 bar/1 is not defined\n2:3 baz/0 is not defined\n");
  const std::vector<std::string> known = {"x"};
  EXPECT_EQ(Errors("$x + $y", &known), "1:6 $y is not defined\n");
  EXPECT_EQ(Errors("$x + $y"), "");
  EXPECT_EQ(Errors("def f: unknown; 1"), "1:8 unknown/0 is not defined\n");
  EXPECT_EQ(Errors(".a |\n  }"), "2:3 syntax error, unexpected INVALID_CHARACTER\n");
  for (const char* unfinished : {"\"\\", "\"a\\", "\"\\u", "\"\\u12", "\"\\(\"\\"}) {
    EXPECT_THAT(Errors(unfinished), HasSubstr("1:")) << unfinished;
  }
  EXPECT_THAT(Errors("halt"), HasSubstr("1:1 halt/0 is not available here"));
  EXPECT_THAT(Errors("import \"a\" as a; 1"), HasSubstr("modules are not available"));
  EXPECT_THAT(Errors("input_line_number"), HasSubstr("not available"));
  EXPECT_THAT(Errors("break $x"), HasSubstr("$*label-x is not defined"));
  EXPECT_THAT(Errors("_until(1; 2)"), HasSubstr("not defined"));
}

TEST(Program, NothingReachesOut) {
  EXPECT_EQ(Outputs("[env, $ENV, input_filename, inputs, debug, stderr]", "7"), "[{},{},null,7,7]");
  EXPECT_EQ(Outputs("try input catch ."), "\"break\"");
  Evaluation evaluation;
  evaluation.now = absl::FromUnixSeconds(1'700'000'000);
  EXPECT_EQ(Outputs("now | todate", "null", evaluation), "\"2023-11-14T22:13:20Z\"");
}

// --- footprints ---

std::string Touched(const Program::Footprint& footprint) {
  if (footprint.all) return "all";
  std::string text;
  for (const std::string& field : footprint.fields) text += (text.empty() ? "" : ",") + field;
  return text;
}

std::string InputOf(std::string_view source) {
  return Touched(MustCompile(source)->input_footprint());
}

TEST(Footprint, OfTheInput) {
  EXPECT_EQ(InputOf("1"), "");
  EXPECT_EQ(InputOf("."), "all");
  EXPECT_EQ(InputOf(".a.b + .c"), "a,c");
  EXPECT_EQ(InputOf("{x: .a, y: [.b[] | .z]}"), "a,b");
  EXPECT_EQ(InputOf(". as $d | $d.a"), "a");
  EXPECT_EQ(InputOf(". as {$a, b: [$c]} | $a + $c"), "a,b");
  EXPECT_EQ(InputOf("if .a then .b else .c end"), "a,b,c");
  EXPECT_EQ(InputOf(".[\"a\"] | .b"), "a");
  EXPECT_EQ(InputOf(".[$k]"), "all");
  EXPECT_EQ(InputOf("keys"), "all");
  EXPECT_EQ(InputOf(".a |= 1"), "all");
  EXPECT_EQ(InputOf("..|.a?"), "all");
  EXPECT_EQ(InputOf("reduce .a[] as $x (0; . + $x)"), "a");
  EXPECT_EQ(InputOf("def f: .a; f, (.b | f)"), "a,b");
  EXPECT_EQ(InputOf("def f(x): if x then 1 else f(x) end; f(.a)"), "all");
  EXPECT_EQ(InputOf("\"\\(.a) \\(.b)\""), "a,b");
  EXPECT_EQ(InputOf("[.a, .b | .c]"), "a,b");
  EXPECT_EQ(InputOf(".a // .b"), "a,b");
  EXPECT_EQ(InputOf("try .a catch .b"), "a");
  EXPECT_EQ(InputOf(".a as $x | range(.n) | $x"), "a,n");
}

TEST(Footprint, OfVariables) {
  const auto program = MustCompile("$v.a.b + $w + (. as $d | $v.c) | $unread | 1");
  EXPECT_THAT(program->variables(), ElementsAre("v", "w", "unread"));
  EXPECT_EQ(Touched(program->variable_footprint("v")), "a,c");
  EXPECT_EQ(Touched(program->variable_footprint("w")), "all");
  EXPECT_EQ(Touched(program->variable_footprint("unread")), "");
  EXPECT_EQ(Touched(program->variable_footprint("other")), "");
}

// --- bounds ---

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kStackBytes = 4 << 20;  // their frames are about eight times as large
#else
constexpr size_t kStackBytes = 512 << 10;
#endif

// Runs `work` on a thread with a small stack, which is all that any source or data may use.
void OnSmallStack(std::function<void()> work) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStackBytes), 0);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

class BoundsTest : public ::testing::Test {
 protected:
  BoundsTest() {
    evaluation_.monotonic = [this] {  // asked every few hundred steps
      peak_ = std::max(peak_, Value::ThreadBytes());
      return SystemClock().Monotonic();
    };
  }

  // The status of a program that must end by itself, within the memory and the stack it was given.
  absl::Status Bounded(std::string_view source, std::string_view input = "null") {
    absl::Status status;
    OnSmallStack([&] {
      const auto program = MustCompile(source);
      const Value value = *ParseJson(input);
      const int64_t before = Value::ThreadBytes();
      peak_ = before;
      const absl::Duration started = SystemClock().Monotonic();
      status = program->Run(value, evaluation_, [](Value) { return true; });
      EXPECT_LT(SystemClock().Monotonic() - started, absl::Seconds(30)) << source;
      EXPECT_EQ(Value::ThreadBytes(), before) << source;
      // What was asked for is counted before it is there, but for the growth of arrays by half.
      EXPECT_LT(peak_ - before, static_cast<int64_t>(evaluation_.bounds.memory_bytes) * 2 + 65536)
          << source;
    });
    return status;
  }

  void ExpectExhausted(std::string_view source, std::string_view input = "null") {
    const absl::Status status = Bounded(source, input);
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << source << ": " << status;
    const absl::Status caught = Bounded("try (" + std::string(source) + ") catch 1", input);
    EXPECT_EQ(caught.code(), absl::StatusCode::kResourceExhausted) << source;
  }

  Evaluation evaluation_;
  int64_t peak_ = 0;
};

TEST_F(BoundsTest, HostileProgramsEnd) {
  evaluation_.bounds.steps = 3'000'000;
  ExpectExhausted("def f: f; f");
  ExpectExhausted("def f: ., f; f");
  ExpectExhausted("def f: (., 1) | f; f");
  ExpectExhausted("def f: 1 + f; f");
  ExpectExhausted("def f: [f]; f");
  ExpectExhausted("def f(x): f(x | x); f(.)");
  ExpectExhausted("def f(x): x | f(f(x)); f(1)");
  ExpectExhausted("[repeat(1)]");
  ExpectExhausted("[recurse]  | [recurse(1)]");
  ExpectExhausted("[range(1e18)]");
  ExpectExhausted("[range(0; 1; 1e-300)] | length");
  ExpectExhausted("[limit(1e12; repeat(\"x\"))] | add");
  ExpectExhausted("last(range(1e18))");
  ExpectExhausted("0 | until(false; . + 1)");
  ExpectExhausted("reduce range(1e18) as $i (0; . + 1)");
  ExpectExhausted("[foreach range(1e18) as $i (0; . + 1)]");
  ExpectExhausted("reduce range(64) as $i (\"x\"; . + .)");
  ExpectExhausted("reduce range(64) as $i ([1]; . + .)");
  ExpectExhausted("[1] | reduce range(64) as $i (.; [., .] | add) | length");
  ExpectExhausted("\"x\" * 1e9 | length");
  ExpectExhausted("[range(100000)] | combinations(3)");
  ExpectExhausted("[[range(3000)], [range(3000)], [range(3000)]] | [combinations]");
  ExpectExhausted("null | .[500000000] = 1");
  ExpectExhausted("[range(1000)] | map(range(1000)) | map(tostring) | combinations(2)");
  ExpectExhausted("\"x\" * 30000000 | explode");
  ExpectExhausted("\"x\" * 30000000 | split(\"\")");
  ExpectExhausted("[range(3000)] | [range(3000) as $i | .] | transpose | transpose");
}

TEST_F(BoundsTest, JqsOwnLimitsAreErrors) {
  EXPECT_EQ(Bounded("\"abc\" * 1e9").message(), "Repeat string result too long");
  EXPECT_EQ(Bounded(".[536870913] = 1").message(), "Array index too large");
  EXPECT_EQ(Outputs("try (.[536870913] = 1 | length) catch 0"), "0");
}

TEST_F(BoundsTest, CatastrophicPatternsEnd) {
  const std::string text = "\"" + std::string(39, 'a') + "!\"";
  const absl::Status status = Bounded("test(\"^(a+)+$\")", text);
  EXPECT_TRUE(status.ok() || status.code() == absl::StatusCode::kResourceExhausted) << status;
}

TEST_F(BoundsTest, SearchesAreLinear) {
  const std::string text = "(\"a\" * 2000000)";
  const std::string part = "(\"a\" * 1000000 + \"b\")";
  for (const std::string search : {"index", "indices", "contains", "split"}) {
    EXPECT_TRUE(Bounded(text + " | " + search + part + " | length? // 0").ok()) << search;
  }
  ExpectExhausted(text + " | indices(\"a\" * 1000000) | length");
}

TEST_F(BoundsTest, EachBoundAlone) {
  evaluation_.bounds.steps = 1000;
  EXPECT_THAT(Bounded("[range(100000)] | length").message(), HasSubstr("steps"));
  evaluation_.bounds = Bounds();
  evaluation_.bounds.memory_bytes = 10'000;
  EXPECT_THAT(Bounded("[range(100000)] | length").message(), HasSubstr("memory"));
  evaluation_.bounds = Bounds();
  evaluation_.bounds.outputs = 10;
  EXPECT_THAT(Bounded("range(11)").message(), HasSubstr("outputs"));
  EXPECT_TRUE(Bounded("range(10)").ok());
  evaluation_.bounds = Bounds();
  evaluation_.bounds.depth = 100;
  EXPECT_THAT(Bounded("def f: 1 + f; f").message(), HasSubstr("depth"));
  evaluation_.bounds = Bounds();
  evaluation_.bounds.wall_time = absl::Milliseconds(5);
  evaluation_.bounds.steps = UINT64_MAX;
  EXPECT_THAT(Bounded("last(range(1e18))").message(), HasSubstr("time"));
}

TEST_F(BoundsTest, TailCallsNeedNoDepth) {
  evaluation_.bounds.depth = 50;
  EXPECT_TRUE(Bounded("def f: if . > 100000 then . else . + 1 | f end; 0 | f").ok());
  EXPECT_TRUE(Bounded("def f($n): if $n == 0 then 0 else f($n - 1) end; f(100000)").ok());
  EXPECT_TRUE(Bounded("last(limit(100000; repeat(1)))").ok());
  EXPECT_TRUE(Bounded("[limit(100000; 0 | recurse(. + 1))] | length").ok());
}

TEST_F(BoundsTest, DeepDataNeedsNoStack) {
  const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
  for (const char* source :
       {"flatten", "tojson | fromjson", "[..] | length", ". == .", "[., .] | sort | length",
        "contains([[]])", "[paths] | length", "getpath([range(9999) | 0])",
        "setpath([range(9999) | 0]; 1)", "delpaths([[range(9999) | 0]])", "tostring | length"}) {
    const absl::Status status = Bounded(source, deep);
    EXPECT_TRUE(status.ok() || status.code() == absl::StatusCode::kResourceExhausted)
        << source << ": " << status;
  }
}

TEST_F(BoundsTest, DeepSourceIsRefusedOrRuns) {
  const auto repeated = [](std::string_view text, size_t n) {
    std::string all;
    for (size_t i = 0; i < n; ++i) all += text;
    return all;
  };
  const std::string sources[] = {std::string(60'000, '('),
                                 std::string(60'000, '['),
                                 std::string(60'000, '{'),
                                 std::string(60'000, '-'),
                                 repeated("\"\\(", 20'000),
                                 repeated("[.", 20'000),
                                 repeated("1+", 30'000) + "1",
                                 repeated("1|", 30'000) + "1",
                                 repeated("1,", 30'000) + "1",
                                 repeated(".a", 30'000),
                                 repeated(".[]", 20'000),
                                 ".a" + repeated("?", 60'000),
                                 repeated("if 1 then ", 6'000),
                                 repeated("if 1 then 2 elif ", 3'500) + "1 then 1 end",
                                 repeated("def f: ", 8'000),
                                 repeated("def f: 1; ", 6'000) + "f",
                                 repeated("1 as $x|", 8'000) + "$x",
                                 repeated("try ", 15'000) + "1",
                                 repeated("1//", 20'000) + "1",
                                 repeated("1 and ", 10'000) + "1",
                                 repeated("reduce ", 9'000),
                                 ". as " + std::string(60'000, '['),
                                 repeated("{a:", 20'000),
                                 repeated("label $x|", 7'000) + "1",
                                 repeated("f(", 30'000),
                                 repeated("@base64 \"\\(", 5'000)};
  for (const std::string& source : sources) {
    OnSmallStack([&] {
      const CompileResult result = Compile(source);
      if (result.program != nullptr) {
        result.program->Run(Value(), evaluation_, [](Value) { return true; }).IgnoreError();
      } else {
        EXPECT_FALSE(result.errors.empty());
      }
    });
  }
  EXPECT_EQ(Errors(std::string(70'000, ' ')), "1:1 the expression is too long\n");
}

// Expansion must not make a small source a huge program.
TEST_F(BoundsTest, ExpansionIsBounded) {
  std::string source = "def f0(x): x | x;";
  for (int i = 1; i < 40; ++i) {
    source += "def f" + std::to_string(i) + "(x): f" + std::to_string(i - 1) + "(x | x);";
  }
  OnSmallStack([&] {
    const CompileResult result = Compile(source + "f39(.)");
    if (result.program != nullptr) {
      result.program->Run(Value(), evaluation_, [](Value) { return true; }).IgnoreError();
    } else {
      EXPECT_FALSE(result.errors.empty());
    }
  });
}

TEST_F(BoundsTest, AppendingInALoopIsLinear) {
  const auto time = [this](const std::string& source) {
    const absl::Duration started = SystemClock().Monotonic();
    EXPECT_TRUE(Bounded(source).ok()) << source;
    return absl::ToDoubleSeconds(SystemClock().Monotonic() - started);
  };
  for (const std::string body :
       {"(null; .a += [$i])", "(null; .a[$i] = $i)", "(\"\"; . + \"x\")", "([]; . + [$i])",
        "({}; .[\"k\\($i)\"] = $i)", "({a: {b: []}}; .a.b |= . + [$i])"}) {
    const double small = time("reduce range(2000) as $i " + body + " | length");
    const double large = time("reduce range(40000) as $i " + body + " | length");
    EXPECT_LT(large, 20 * 8 * small + 0.05) << body;  // quadratic would be 400 times
  }
}

TEST(Program, OneProgramServesManyThreads) {
  const auto program = MustCompile(
      "def f($n): if $n == 0 then [] else f($n - 1) + [$n] end; {r: (f(50) | add), t: .t}");
  const Value input = *ParseJson(R"({"t":{"shared":["text that is long enough", 1]}})");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const auto value = Evaluate(*program, input, {});
        ASSERT_TRUE(value.ok());
        EXPECT_EQ(ToJson(*value), R"({"r":1275,"t":{"shared":["text that is long enough",1]}})");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace jaque::expression
