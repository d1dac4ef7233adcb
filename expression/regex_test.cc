// SPDX-License-Identifier: Apache-2.0
#include "expression/regex.h"

#include <pthread.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "expression/json.h"
#include "expression/regex_cost.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::expression {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RegexBudget Budget(absl::Duration wall_time = absl::Seconds(1)) {
  return RegexBudget(limits::kRegexRetries, nullptr, wall_time);
}

std::shared_ptr<const Regex> MustCompile(std::string_view pattern, std::string_view flags = "") {
  auto regex = Regex::Compile(pattern, flags);
  EXPECT_TRUE(regex.ok()) << pattern << ": " << regex.status();
  return regex.ok() ? *regex : nullptr;
}

// Matches as "offset+length:text", captures behind.
std::vector<std::string> Matches(std::string_view pattern, std::string_view flags,
                                 std::string_view text) {
  std::vector<std::string> out;
  const auto show = [](const RegexGroup& group) {
    return absl::StrCat(group.offset, "+", group.length, ":", std::string(group.text));
  };
  const absl::Status status =
      MustCompile(pattern, flags)->ForEachMatch(text, Budget(), [&](const RegexMatch& match) {
        std::string line = show(match.whole);
        for (const RegexGroup& capture : match.captures) {
          absl::StrAppend(&line, " ", show(capture));
        }
        out.push_back(line);
        return true;
      });
  EXPECT_TRUE(status.ok()) << status;
  return out;
}

bool Occurs(std::string_view pattern, std::string_view flags, std::string_view text) {
  return MustCompile(pattern, flags)->Test(text, Budget()).value();
}

std::string CompileFailure(std::string_view pattern, std::string_view flags = "") {
  return std::string(Regex::Compile(pattern, flags).status().message());
}

// What happens to a match under the default bounds, and that it takes bounded time.
absl::StatusOr<bool> BoundedTest(std::string_view pattern, std::string_view text) {
  const absl::Duration before = SystemClock().Monotonic();
  const auto regex = Regex::Compile(pattern);
  if (!regex.ok()) return regex.status();
  const absl::StatusOr<bool> result = (*regex)->Test(text, Budget());
  EXPECT_LT(SystemClock().Monotonic() - before, absl::Seconds(20)) << pattern;
  return result;
}

std::string Repeat(std::string_view part, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += part;
  return out;
}

// Runs on a thread with as little stack as an executor could have.
template <typename Body>
void OnSmallStack(Body body) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 512 << 10);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    (*static_cast<Body*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &body), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(Regex, FindsTheFirstMatchOnly) {
  EXPECT_THAT(Matches("o+", "", "foo boo"), ElementsAre("1+2:oo"));
  EXPECT_THAT(Matches("x", "", "foo"), ElementsAre());
}

TEST(Regex, FindsEveryMatchWithG) {
  EXPECT_THAT(Matches("o+", "g", "foo boo"), ElementsAre("1+2:oo", "5+2:oo"));
}

TEST(Regex, CountsCodepoints) {
  EXPECT_THAT(Matches("é(.)", "g", "aébécé"), ElementsAre("1+2:éb 2+1:b", "3+2:éc 4+1:c"));
}

TEST(Regex, EmptyMatchesOccurOnceAtEachCharacterAndAtTheEnd) {
  EXPECT_THAT(Matches("", "g", "éb"), ElementsAre("0+0:", "1+0:", "2+0:"));
  EXPECT_THAT(Matches("", "g", ""), ElementsAre("0+0:"));
  EXPECT_THAT(Matches("b*", "g", "abb"), ElementsAre("0+0:", "1+2:bb", "3+0:"));
  EXPECT_THAT(Matches("$", "g", "a"), ElementsAre("1+0:"));
}

TEST(Regex, AGroupThatTookNoPartHasOffsetMinusOne) {
  EXPECT_THAT(Matches("(a)|(b)", "g", "ab"), ElementsAre("0+1:a 0+1:a -1+0:", "1+1:b -1+0: 1+1:b"));
}

TEST(Regex, LooksAround) {
  EXPECT_THAT(Matches("(?<=a)b(?!c)", "g", "abc ab"), ElementsAre("5+1:b"));
  EXPECT_THAT(Matches("(?=(?<next>b))", "", "ab"), ElementsAre("1+0: 1+1:b"));
}

TEST(Regex, Flags) {
  EXPECT_TRUE(Occurs("ABC", "i", "xabc"));
  EXPECT_TRUE(Occurs("a b # a comment", "x", "ab"));
  EXPECT_FALSE(Occurs("a.b", "", "a\nb"));
  EXPECT_TRUE(Occurs("a.b", "m", "a\nb"));
  EXPECT_TRUE(Occurs("a.b", "p", "a\nb"));
  EXPECT_TRUE(Occurs("a$", "s", "a"));
  EXPECT_THAT(Matches("a|ab", "l", "ab"), ElementsAre("0+2:ab"));
  EXPECT_THAT(Matches("(a)|b(c)|ab", "gl", "abc b"), ElementsAre("0+2:ab -1+0: -1+0:"));
  EXPECT_THAT(Matches("a*", "gn", "ba"), ElementsAre("1+1:a"));
  EXPECT_EQ(CompileFailure("a", "gz"), "gz is not a valid modifier string");
}

TEST(Regex, NamesOfCaptures) {
  EXPECT_THAT(MustCompile("(?<a>.)(?<b>.)|(?<a>x)")->capture_names(), ElementsAre("a", "b", "a"));
  EXPECT_THAT(MustCompile("(.)(.)")->capture_names(), ElementsAre("", ""));
}

TEST(Regex, ValueIsWhatMatchYields) {
  const auto regex = MustCompile("(?<y>é)|(?<n>b)");
  std::string json;
  ASSERT_TRUE(regex
                  ->ForEachMatch("aé", Budget(),
                                 [&](const RegexMatch& match) {
                                   json = ToJson(regex->ToValue(match));
                                   return true;
                                 })
                  .ok());
  EXPECT_EQ(json, R"({"offset":1,"length":1,"string":"é","captures":[)"
                  R"({"offset":1,"length":1,"string":"é","name":"y"},)"
                  R"({"offset":-1,"length":0,"string":null,"name":"n"}]})");
}

TEST(Regex, BadPatternsSayWhatJqSays) {
  EXPECT_EQ(CompileFailure("("), "Regex failure: end pattern with unmatched parenthesis");
  EXPECT_EQ(CompileFailure("*"), "Regex failure: target of repeat operator is not specified");
  EXPECT_EQ(Regex::Compile("[").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Regex, StopsWhenTheVisitorHasEnough) {
  int seen = 0;
  const auto regex = MustCompile("a", "g");
  ASSERT_TRUE(
      regex->ForEachMatch("aaaa", Budget(), [&](const RegexMatch&) { return ++seen < 2; }).ok());
  EXPECT_EQ(seen, 2);
}

TEST(Regex, PatternsCannotCallOut) {
  EXPECT_NE(CompileFailure("(?{x})"), "");
  EXPECT_NE(CompileFailure("(*FAIL)"), "");
}

TEST(RegexBounds, DeepNestingIsAnErrorOnASmallStack) {
  OnSmallStack([] {
    for (const std::string_view open : {"(", "(?:", "(?=", "(?<!", "(?>", "(?<a>", "(?~"}) {
      const std::string deep = Repeat(open, 100'000) + "a" + Repeat(")", 100'000);
      EXPECT_THAT(CompileFailure(deep), HasSubstr("Regex failure:"));
      const std::string shorter = Repeat(open, 2'000) + "a" + Repeat(")", 2'000);
      EXPECT_THAT(CompileFailure(shorter), HasSubstr("Regex failure:")) << open;
    }
  });
}

TEST(RegexBounds, NestingUpToTheLimitNeedsLittleStack) {
  OnSmallStack([] {
    constexpr int kDepth = limits::kRegexNesting / 2 - 2;
    const std::string deep = Repeat("(?:(?=a)", kDepth) + "a" + Repeat(")*", kDepth);
    (void)BoundedTest(deep, Repeat("a", 100));
    const std::string sets = Repeat("[", 5'000);
    EXPECT_FALSE(Regex::Compile(sets).ok());
    (void)Regex::Compile(Repeat("a|", 8'000));
    (void)Regex::Compile(Repeat("(?i)", 4'000));
    (void)Regex::Compile(Repeat("(?i:", 4'000));
    (void)Regex::Compile("a" + Repeat("{2}", 5'000));
    (void)Regex::Compile("a" + Repeat("*", 16'000));
    (void)Regex::Compile(Repeat("()", 8'000));
    (void)Regex::Compile(Repeat("\\g<1>", 3'000) + "(a)");
    (void)Regex::Compile("(?<=" + Repeat("a|", 8'000) + "a)");
    (void)Regex::Compile(Repeat("ß", 8'000), "i");
  });
}

TEST(RegexBounds, CatastrophicBacktrackingEndsWithinTheLimit) {
  for (const size_t length : {40, 1'000, 100'000}) {
    const auto result = BoundedTest("^(a+)+$", Repeat("a", length) + "!");
    EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted) << length;
  }
  EXPECT_EQ(BoundedTest("(a+)+$", Repeat("a", 500'000) + "!").status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(BoundedTest("(x+x+)+y", Repeat("x", 5'000)).ok());
  EXPECT_FALSE(BoundedTest("(.*)*(.*)*(.*)*z$", Repeat("xz", 5'000) + "\n\n").ok());
}

TEST(RegexBounds, WorkWithoutRetriesIsRefusedOrTimed) {
  EXPECT_FALSE(BoundedTest("(?:(?:(?:b?){9999}){9999}){9999}x", "a x").ok());
  EXPECT_FALSE(BoundedTest("(?:(?>(?:(?>(?=a){9999}){9999})){9999})x", Repeat("a", 100)).ok());
  EXPECT_FALSE(BoundedTest("^(?:a(?=.*))*$", Repeat("a", 500'000)).ok());
  EXPECT_FALSE(BoundedTest("^.*?(?>(?:ab)*)(?:xy|zw)", Repeat("ab", 500'000) + "zyxw").ok());
  EXPECT_FALSE(BoundedTest("a.*x[yz]", Repeat("a", 1'000'000) + "x").ok());
  (void)BoundedTest("(?<x>a(?=\\g<x>)\\g<x>?)b", Repeat("a", 10'000));
  (void)BoundedTest("(?<x>a|b\\g<x>c)+$", Repeat("b", 100'000));
  (void)BoundedTest("(?~|abc|(?:a|b)*)c", Repeat("ab", 20'000));
  (void)BoundedTest("(a*)(?:\\1)*b", Repeat("a", 20'000));
}

TEST(RegexBounds, ALongTextNeedsNoRetries) {
  const std::string text = Repeat("b", 4 << 20) + "a";
  const auto found = BoundedTest("[ac]$", text);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(*found);
  EXPECT_THAT(Matches("(?:ab)*", "", Repeat("ab", 50'000)).front(), HasSubstr("0+100000:"));
}

TEST(RegexBounds, ATextInPortionsGivesTheSameMatches) {
  // A text of this size is searched in many portions; every hundredth place matches.
  const std::string text = Repeat(Repeat("é", 99) + "x", 5'000);
  const std::vector<std::string> found = Matches("x(?=é|$)|\\Aé", "g", text);
  ASSERT_EQ(found.size(), 5'001u);
  EXPECT_EQ(found.front(), "0+1:é");
  EXPECT_EQ(found.back(), "499999+1:x");
}

TEST(RegexBounds, HugePatternsAreErrors) {
  EXPECT_THAT(CompileFailure(Repeat("a", 1 << 20)), HasSubstr("longer than"));
  EXPECT_THAT(CompileFailure("a{100001}"), HasSubstr("Regex failure: too big number"));
  EXPECT_FALSE(Regex::Compile(Repeat("(a)", 2'000)).ok());
  (void)BoundedTest("(a{1,1000}){1,1000}b", Repeat("a", 5'000));
  (void)BoundedTest("((a{100}){100}){100}", Repeat("a", 5'000));
}

TEST(RegexBounds, TimeComesFromTheBudget) {
  absl::Duration now;
  // Each look at the clock finds a second gone.
  const RegexBudget budget(
      limits::kRegexRetries, [&] { return now += absl::Seconds(1); }, absl::Seconds(3));
  const auto result = MustCompile("(a+)+$")->Test(Repeat("a", 300'000) + "!", budget);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_LT(now, absl::Seconds(30));
}

TEST(RegexCost, Estimates) {
  EXPECT_EQ(EstimateCost("a{1000}", false).repeats, 1);
  EXPECT_EQ(EstimateCost("(?:(?=b){100}){100}", false).repeats, 10'000);
  EXPECT_EQ(EstimateCost("(?:a?){100}|b{7}", false).repeats, 100);
  EXPECT_EQ(EstimateCost("(?:[({9}][:alpha:]{50}]){10}", false).repeats, 1);
  EXPECT_EQ(EstimateCost("(?:(?!foo).)*", false).rescans, 0);
  EXPECT_EQ(EstimateCost("(?:(?!\\s*;).)*", false).rescans, 1);
  EXPECT_EQ(EstimateCost("(?:a(?=(?:a(?=.*))*))*", false).rescans, 2);
  EXPECT_TRUE(EstimateCost("\\Ga", false).from_start);
  EXPECT_EQ(EstimateCost("(?x)a # ) {9}\n b", false).rescans, 0);
  EXPECT_GT(EstimateCost("a)(", false).rescans, 2);
}

TEST(Regex, IsSharedByThreads) {
  const auto regex = MustCompile("(?<n>[0-9]+)", "g");
  std::vector<std::thread> threads;
  std::vector<int> counts(4);
  for (int& count : counts) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        (void)Regex::Compile(absl::StrCat("(a{", i, "})"));
        (void)regex->ForEachMatch("1 22 333", Budget(), [&](const RegexMatch&) {
          ++count;
          return true;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(counts, ElementsAre(600, 600, 600, 600));
}

TEST(RegexCache, KeepsWhatIsAskedForAgainAndStaysBounded) {
  RegexCache cache;
  const auto first = cache.Get("a", "g");
  EXPECT_EQ(*cache.Get("a", "g"), *first);
  EXPECT_NE(*cache.Get("a", ""), *first);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(cache.Get(absl::StrCat("b", i), "").ok());
  EXPECT_NE(*cache.Get("a", "g"), *first);
  EXPECT_FALSE(cache.Get("(", "").ok());
}

TEST(Search, IsUnanchored) {
  EXPECT_TRUE(Search("b+", "abbc").value());
  EXPECT_FALSE(Search("^b", "abbc").value());
  EXPECT_TRUE(Search("^\\p{L}{3}$", "äöü").value());
  EXPECT_FALSE(Search("(", "a").ok());
}

}  // namespace
}  // namespace jaque::expression
