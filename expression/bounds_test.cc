// SPDX-License-Identifier: Apache-2.0
// Whatever a program does, its evaluation ends within its bounds of time, memory and stack. Every
// program runs in a child process on a small stack; the kernel says how much memory the child
// needed at most.
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ostream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "expression/json.h"
#include "expression/program.h"
#include "gtest/gtest.h"

namespace jaque::expression {
namespace {

// Beyond the bound: the allocator's slack, the growth of a vector while it is copied.
constexpr int64_t kSlackKilobytes = 160 << 10;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsMeasurable = false;
constexpr size_t kStackBytes = 2 << 20;  // their frames are about eight times as large
#else
constexpr bool kMemoryIsMeasurable = true;
constexpr size_t kStackBytes = 256 << 10;
#endif

enum class Ending { kBound, kError, kResult, kAny };

struct Hostile {
  const char* name;
  std::string program;
  Ending ending = Ending::kBound;
  std::string input = "null";
};

std::ostream& operator<<(std::ostream& out, const Hostile& hostile) { return out << hostile.name; }

std::string Repeat(std::string_view part, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += part;
  return out;
}

constexpr int kExitBase = 40;

// The status code of the evaluation, as an exit code; compile errors count as InvalidArgument.
int Evaluate(const Hostile& hostile) {
  const CompileResult compiled = Compile(hostile.program);
  const absl::StatusOr<Value> input = ParseJson(hostile.input);
  if (compiled.program == nullptr || !input.ok()) {
    return kExitBase + static_cast<int>(absl::StatusCode::kInvalidArgument);
  }
  Evaluation evaluation;
  evaluation.monotonic = [] { return SystemClock().Monotonic(); };
  const absl::Status status =
      compiled.program->Run(*input, evaluation, [](const Value&) { return true; });
  return kExitBase + static_cast<int>(status.code());
}

struct Ran {
  int exit_code = -1;  // -1: died
  int64_t peak_kilobytes = 0;
  absl::Duration took;
};

template <typename Body>
Ran RunInChild(Body body) {
  const absl::Duration before = SystemClock().Monotonic();
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a hang becomes a death
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    pthread_t thread;
    const auto run = [](void* argument) -> void* {
      return reinterpret_cast<void*>(static_cast<intptr_t>((*static_cast<Body*>(argument))()));
    };
    if (pthread_create(&thread, &attributes, run, &body) != 0) _exit(1);
    void* code = nullptr;
    pthread_join(thread, &code);
    _exit(static_cast<int>(reinterpret_cast<intptr_t>(code)));
  }
  int wait_status = 0;
  rusage usage = {};
  wait4(child, &wait_status, 0, &usage);
  return {.exit_code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1,
          .peak_kilobytes = usage.ru_maxrss,
          .took = SystemClock().Monotonic() - before};
}

Ran RunHostile(const Hostile& hostile) {
  return RunInChild([&hostile] { return Evaluate(hostile); });
}

class HostilePrograms : public testing::TestWithParam<Hostile> {};

TEST_P(HostilePrograms, EndWithinTheirBounds) {
  static const Ran idle = RunHostile({.name = "", .program = "."});
  const Ran ran = RunHostile(GetParam());
  const auto code = static_cast<absl::StatusCode>(ran.exit_code - kExitBase);
  ASSERT_GE(ran.exit_code, kExitBase) << "the process died or could not start";
  switch (GetParam().ending) {
    case Ending::kBound:
      EXPECT_EQ(code, absl::StatusCode::kResourceExhausted) << absl::StatusCodeToString(code);
      break;
    case Ending::kError:
      EXPECT_EQ(code, absl::StatusCode::kInvalidArgument) << absl::StatusCodeToString(code);
      break;
    case Ending::kResult:
      EXPECT_EQ(code, absl::StatusCode::kOk) << absl::StatusCodeToString(code);
      break;
    case Ending::kAny:
      break;
  }
  // The bound is a second; the rest is for a machine that is busy.
  EXPECT_LT(ran.took, absl::Seconds(8));
  if (kMemoryIsMeasurable) {
    EXPECT_LT(ran.peak_kilobytes - idle.peak_kilobytes,
              static_cast<int64_t>(limits::kExpressionMemory >> 10) + kSlackKilobytes);
  }
}

std::vector<Hostile> EndlessPrograms() {
  return {
      {"endless tail call", "def f: f; f"},
      {"endless recursion", "def f: 1 + f; f"},
      {"endless doubling", "def f: f, f; [f]"},
      {"endless closure", "def f(g): f(g + 1); f(.)"},
      {"endless until", "until(false; .)"},
      {"endless last", "last(repeat(1))"},
      {"endless reduce", "reduce repeat(1) as $x (0; . + $x)"},
      {"endless recurse", "[recurse([.])]"},
      {"endless path", "path(repeat(.a))"},
      {"endless retry", "def f: try error(\"x\") catch f; f"},
      {"endless label", "def f: label $l | (f, break $l); f"},
      {"uncatchable", "def f: try f catch f; f"},
      {"uncatchable by alternatives", "def f: (f // 1)?; f"},
      {"outputs", "repeat(1)"},
      {"a large range", "[range(1e18)]"},
      {"a large count", "[range(1e12)] | length"},
      {"a collected repeat", "[repeat(1)]"},
      {"an added limit", "[limit(1e12; repeat(\"x\"))] | add"},
      {"a backtracking product", "[range(1e4)] | [combinations(3)] | length"},
  };
}

std::vector<Hostile> GreedyPrograms() {
  return {
      {"a repeated string", "\"a\" * 1e9 | length", Ending::kAny},
      {"a repeated string again", "\"a\" * 1e5 * 1e5 | length", Ending::kAny},
      {"a doubled string", "reduce range(100) as $i (\"x\"; . + .)"},
      {"a doubled array", "reduce range(100) as $i ([1]; . + .) | length"},
      {"a growing object", "reduce range(1e8) as $i ({}; .[\"k\\($i)\"] = $i)"},
      {"a distant index", ".[536870913] = 1 | length", Ending::kError},
      {"a far index", ".[1e8] = 1 | length", Ending::kAny},
      {"a far slice", ".[1e8:] = [1] | length", Ending::kAny},
      {"a set path", "setpath([3e7]; 1) | length", Ending::kAny},
      {"a joined string", "[range(3e6) | \"xxxxxxxx\"] | join(\",\") | length"},
      {"an interpolated string", "[range(1e7) | \"\\(.)-\\(.)-\\(.)-\\(.)\"] | length"},
      {"escaped again and again", "reduce range(60) as $i (\"\\\"\"; tojson) | length"},
      {"encoded again and again", "reduce range(60) as $i (\"a b\"; @uri) | length", Ending::kAny},
      {"base64 again and again", "reduce range(200) as $i (\"a\"; @base64) | length"},
      {"exploded", "\"a\" * 3e7 | explode | length", Ending::kAny},
      {"entries", "[range(3e6) | {a: .}] | map(to_entries) | length"},
      {"substituted", "reduce range(60) as $i (\"aaaa\"; gsub(\"a\"; \"aa\")) | length"},
      {"split", "\"a\" * 2e7 | split(\"\") | length", Ending::kAny},
      {"a padded date", "0 | strftime(\"%1000000000d\")", Ending::kError},
  };
}

// Values that share their parts are small in memory and huge to whoever walks them.
std::vector<Hostile> SharedValues() {
  return {
      {"compare", "(reduce range(80) as $i (0; [., .])) == (reduce range(80) as $i (0; [., .]))",
       Ending::kAny},
      {"print", "reduce range(80) as $i (0; [., .]) | tojson | length"},
      {"interpolate", "reduce range(80) as $i (0; [., .]) | \"\\(.)\" | length"},
      {"format", "reduce range(80) as $i (0; [., .]) | @base64 | length"},
      {"flatten", "reduce range(80) as $i (0; [., .]) | flatten | length"},
      {"walk", "reduce range(80) as $i (0; [., .]) | walk(.) | length"},
      {"descend", "[reduce range(80) as $i (0; [., .]) | ..] | length"},
      {"paths", "[reduce range(80) as $i (0; [., .]) | paths] | length"},
      {"stream", "[reduce range(80) as $i (0; [., .]) | tostream] | length"},
      {"sort",
       "[reduce range(80) as $i (0; [., .]), reduce range(80) as $i (0; [., .])] | sort | length",
       Ending::kAny},
      {"unique",
       "[reduce range(80) as $i (0; [., .]), reduce range(80) as $i (1; [., .])] | unique | length",
       Ending::kAny},
      {"contains",
       "reduce range(80) as $i (0; [., .]) | contains(reduce range(80) as $i (1; [., .]))",
       Ending::kAny},
      {"multiply", "reduce range(80) as $i ({a: 1}; {a: ., b: .}) | . * . | length", Ending::kAny},
      {"index",
       "[reduce range(80) as $i (0; [., .])] | index([reduce range(80) as $i (0; [., .])])",
       Ending::kAny},
      {"error message", "reduce range(80) as $i (0; [., .]) | .a", Ending::kError},
      {"error message with the value", "reduce range(80) as $i (0; [., .]) | -.", Ending::kError},
      {"raised", "reduce range(80) as $i (0; [., .]) | error", Ending::kAny},
  };
}

std::vector<Hostile> DeepValues() {
  const std::string deep = "reduce range(100000) as $i (0; [.])";
  return {
      {"made and dropped", deep + " | length", Ending::kAny},
      {"deep compare", "(" + deep + ") == (" + deep + ")", Ending::kAny},
      {"deep sort", "[" + deep + ", (" + deep + ")] | sort | length", Ending::kAny},
      {"deep print", deep + " | tojson | length", Ending::kAny},
      {"deep flatten", deep + " | flatten | length", Ending::kAny},
      {"deep descend", "[" + deep + " | ..] | length", Ending::kAny},
      {"deep paths", "[" + deep + " | paths] | length", Ending::kAny},
      {"deep stream", "[" + deep + " | tostream] | length", Ending::kAny},
      {"deep walk", deep + " | walk(.) | length", Ending::kAny},
      {"deep contains", deep + " | contains(" + deep + ")", Ending::kAny},
      {"deep getpath", "getpath([range(100000) | 0])", Ending::kAny},
      {"deep setpath", "setpath([range(100000) | 0]; 1) | length", Ending::kAny},
      {"deep delpaths", "delpaths([[range(100000) | 0]])", Ending::kAny},
      {"deep multiply", "reduce range(100000) as $i ({}; {a: .}) | . * . | length", Ending::kAny},
      {"deep text", "\"[\" * 100000 | fromjson", Ending::kError},
      {"deep input", ".", Ending::kError, Repeat("[", 100'000)},
      {"deep pipes", "def f: if . > 1e9 then . else . + 1 | f | . end; 0 | f"},
  };
}

std::vector<Hostile> DeepPrograms() {
  const size_t many = 20'000;
  return {
      {"brackets", Repeat("[", many), Ending::kError},
      {"balanced brackets", Repeat("[", many) + Repeat("]", many), Ending::kError},
      {"parentheses", Repeat("(", many) + "1" + Repeat(")", many), Ending::kError},
      {"braces", Repeat("{a:", many), Ending::kError},
      {"minuses", Repeat("-", many) + "1", Ending::kAny},
      {"sums", "1" + Repeat("+1", many), Ending::kAny},
      {"pipes", "." + Repeat("|.", many), Ending::kAny},
      {"commas", "1" + Repeat(",1", many), Ending::kAny},
      {"alternatives", "1" + Repeat("//1", many / 2), Ending::kAny},
      {"questions", "." + Repeat("?", many), Ending::kAny},
      {"fields", Repeat(".a", many), Ending::kAny},
      {"indexes", "." + Repeat("[0]", many / 2), Ending::kAny},
      {"nested indexes", Repeat(".[", many), Ending::kError},
      {"ifs", Repeat("if 1 then ", many / 4) + "1" + Repeat(" end", many / 4), Ending::kAny},
      {"elifs", "if 1 then 1 " + Repeat("elif 1 then 1 ", many / 8) + "end", Ending::kAny},
      {"tries", Repeat("try ", many / 2) + "1", Ending::kAny},
      {"definitions", Repeat("def f: ", many / 4) + "1" + Repeat("; f", many / 4), Ending::kAny},
      {"many definitions", Repeat("def f: 1;", many / 4) + "f", Ending::kAny},
      {"bindings", Repeat("1 as $x|", many / 4) + "$x", Ending::kAny},
      {"patterns", "1 as " + Repeat("[", many) + "$x", Ending::kError},
      {"interpolations", Repeat("\"\\(", many), Ending::kError},
      {"labels", Repeat("label $x|", many / 4) + "1", Ending::kAny},
      {"reduces", Repeat("reduce 1 as $x (0;", many / 16), Ending::kError},
      {"a long program", "1" + Repeat(" ", 1 << 20), Ending::kAny},
  };
}

std::vector<Hostile> Patterns() {
  return {
      {"nested quantifiers", "\"a\" * 40 + \"!\" | test(\"^(a+)+$\")"},
      {"nested quantifiers on a long text", "\"a\" * 100000 + \"!\" | test(\"(a+)+$\")"},
      {"alternatives", "\"a\" * 5000 | test(\"^(a|a|a)*b\")", Ending::kAny},
      {"substitution", "\"a\" * 5000 + \"!\" | gsub(\"(a+)+$\"; \"x\")", Ending::kAny},
      {"scan", "\"a\" * 1000000 | [scan(\".*?x|a\")] | length", Ending::kAny},
      {"nested groups", "\"(\" * 100000 as $p | \"a\" | test($p)", Ending::kError},
      {"a large repeat", "\"a\" | test(\"((a{1000}){1000}){1000}\")", Ending::kAny},
      {"made at run time", "range(1e9) as $i | \"a\" | test(\"(a|b\\($i))*c\")"},
      {"look-arounds", "\"a\" * 1000000 | test(\"^(?:a(?=.*))*$\")"},
      {"empty matches", "\"a\" * 1000000 | gsub(\"\"; \"-\") | length", Ending::kAny},
  };
}

std::string TestName(const testing::TestParamInfo<Hostile>& info) {
  std::string name;
  for (const char c : std::string(info.param.name)) name += std::isalnum(c) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Endless, HostilePrograms, testing::ValuesIn(EndlessPrograms()), TestName);
INSTANTIATE_TEST_SUITE_P(Greedy, HostilePrograms, testing::ValuesIn(GreedyPrograms()), TestName);
INSTANTIATE_TEST_SUITE_P(Shared, HostilePrograms, testing::ValuesIn(SharedValues()), TestName);
INSTANTIATE_TEST_SUITE_P(Deep, HostilePrograms, testing::ValuesIn(DeepValues()), TestName);
INSTANTIATE_TEST_SUITE_P(DeepSource, HostilePrograms, testing::ValuesIn(DeepPrograms()), TestName);
INSTANTIATE_TEST_SUITE_P(Regex, HostilePrograms, testing::ValuesIn(Patterns()), TestName);

// The measurement itself can fail: a child that takes more than the bound allows is seen.
TEST(HostilePrograms, MemoryIsReallyMeasured) {
  if (!kMemoryIsMeasurable) GTEST_SKIP() << "a sanitizer's memory is not the program's";
  const Ran idle = RunInChild([] { return kExitBase; });
  const Ran greedy = RunInChild([] {
    std::vector<std::string> held;
    for (int i = 0; i < 300; ++i) held.push_back(std::string(1 << 20, 'x'));
    return kExitBase + static_cast<int>(held.size() % 2);
  });
  EXPECT_GT(greedy.peak_kilobytes - idle.peak_kilobytes, 290 << 10);
}

TEST(Bounds, EachIsAParameter) {
  const auto code = [](std::string_view program, const Bounds& bounds) {
    Evaluation evaluation;
    evaluation.bounds = bounds;
    const CompileResult compiled = Compile(program);
    return compiled.program->Run(Value(), evaluation, [](const Value&) { return true; }).code();
  };
  Bounds bounds;
  EXPECT_EQ(code("[range(1000)]", bounds), absl::StatusCode::kOk);
  bounds.steps = 100;
  EXPECT_EQ(code("[range(1000)]", bounds), absl::StatusCode::kResourceExhausted);
  bounds = {};
  bounds.outputs = 3;
  EXPECT_EQ(code("range(3)", bounds), absl::StatusCode::kOk);
  EXPECT_EQ(code("range(4)", bounds), absl::StatusCode::kResourceExhausted);
  bounds = {};
  bounds.memory_bytes = 10'000;
  EXPECT_EQ(code("\"a\" * 1000 | length", bounds), absl::StatusCode::kOk);
  EXPECT_EQ(code("\"a\" * 100000 | length", bounds), absl::StatusCode::kResourceExhausted);
  bounds = {};
  bounds.depth = 50;
  EXPECT_EQ(code("def f: if . > 1000 then . else (. + 1 | f) + 0 end; 0 | f", bounds),
            absl::StatusCode::kResourceExhausted);
  bounds = {};
  bounds.regex_retries = 100;
  EXPECT_EQ(code("\"a\" * 40 + \"!\" | test(\"^(a+)+$\")", bounds),
            absl::StatusCode::kResourceExhausted);
}

TEST(Bounds, AResultIsNeverEndlessAsText) {
  const CompileResult compiled = Compile("reduce range(80) as $i (0; [., .])");
  EXPECT_EQ(jaque::expression::Evaluate(*compiled.program, Value(), Evaluation()).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(Bounds, ComparisonsOutsideAreNotLimitedByAnEvaluation) {
  const CompileResult compiled =
      Compile("(reduce range(80) as $i (0; [., .])) == (reduce range(80) as $i (0; [., .]))");
  const absl::Status status =
      compiled.program->Run(Value(), Evaluation(), [](const Value&) { return true; });
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(Value::Array({Value::Int(1)}), Value::Array({Value::Int(2)}));
}

TEST(Bounds, TimeIsAskedOfTheCaller) {
  Evaluation evaluation;
  absl::Duration now;
  evaluation.monotonic = [&now] { return now += absl::Milliseconds(50); };
  evaluation.bounds.wall_time = absl::Seconds(1);
  const CompileResult compiled = Compile("def f: f; f");
  const absl::Status status =
      compiled.program->Run(Value(), evaluation, [](const Value&) { return true; });
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_LT(now, absl::Seconds(3));
}

TEST(Bounds, MemoryThatIsGivenBackCountsNoMore) {
  Evaluation evaluation;
  const CompileResult compiled =
      Compile("reduce range(2000) as $i (null; \"a\" * 100000) | length");
  Value result;
  const absl::Status status = compiled.program->Run(Value(), evaluation, [&result](Value value) {
    result = std::move(value);
    return true;
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(result, Value::Int(100'000));
}

}  // namespace
}  // namespace jaque::expression
