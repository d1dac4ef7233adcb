// SPDX-License-Identifier: Apache-2.0
#include "cmd/expr.h"

#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::cmd {
namespace {

using ::testing::StartsWith;

struct Ran {
  int code;
  std::string out;
  std::string err;
};

Ran Execute(ExprOptions options, const std::string& input = "") {
  std::istringstream in(input);
  std::ostringstream out, err;
  const int code = RunExprCommand(options, in, out, err);
  return {code, out.str(), err.str()};
}

TEST(ExprCommand, PrettyPrintsEachResult) {
  const Ran ran = Execute({.expression = ".[]"}, "[1,{\"a\":[]}]");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "1\n{\n  \"a\": []\n}\n");
  EXPECT_EQ(ran.err, "");
}

TEST(ExprCommand, ReadsAStreamOfValues) {
  const std::string input = "1 2[3]{\"a\":4}\"x\"null\n\n nan true";
  EXPECT_EQ(Execute({.expression = ".", .compact = true}, input).out,
            "1\n2\n[3]\n{\"a\":4}\n\"x\"\nnull\nnull\ntrue\n");
  EXPECT_EQ(Execute({.expression = "length", .slurp = true}, input).out, "8\n");
  EXPECT_EQ(Execute({.expression = ".", .compact = true, .slurp = true}, "").out, "[]\n");
  EXPECT_EQ(Execute({.expression = "."}, "").out, "");
}

TEST(ExprCommand, NullInputLeavesTheStreamAlone) {
  EXPECT_EQ(Execute({.expression = "[.,1+2]", .compact = true, .null_input = true}, "{{").out,
            "[null,3]\n");
}

TEST(ExprCommand, RawAndJoined) {
  EXPECT_EQ(Execute({.expression = ".[]", .raw = true}, R"(["a\n",1])").out, "a\n\n1\n");
  EXPECT_EQ(Execute({.expression = ".[]", .join = true}, R"(["a",1,"b"])").out, "a1b");
}

TEST(ExprCommand, Layout) {
  const std::string input = R"({"b":[1],"a":"é "})";
  EXPECT_EQ(Execute({.expression = ".", .compact = true, .sort_keys = true}, input).out,
            "{\"a\":\"é \",\"b\":[1]}\n");
  EXPECT_EQ(Execute({.expression = ".", .tab = true}, input).out,
            "{\n\t\"b\": [\n\t\t1\n\t],\n\t\"a\": \"é \"\n}\n");
  EXPECT_EQ(Execute({.expression = ".b", .indent = 4}, input).out, "[\n    1\n]\n");
  EXPECT_EQ(Execute({.expression = ".b", .indent = 0}, input).out, "[1]\n");
  EXPECT_EQ(Execute({.expression = ".a", .ascii = true}, input).out, "\"\\u00e9 \"\n");
  EXPECT_EQ(Execute({.expression = ".", .indent = 8}, "1").code, 2);
}

TEST(ExprCommand, Colors) {
  EXPECT_EQ(Execute({.expression = ".", .colors = true}, "null").out, "\033[0;90mnull\033[0m\n");
  const std::string input = R"({"a":[true,"x",1],"b":{}})";
  // As jq 1.8.2 prints it, where `<…m` is the escape.
  const auto colored = [&input](bool compact) {
    std::string out = Execute({.expression = ".", .compact = compact, .colors = true}, input).out;
    for (size_t at = out.find("\033["); at != std::string::npos; at = out.find("\033[")) {
      out.replace(at, 2, "<");
    }
    return out;
  };
  EXPECT_EQ(colored(true),
            "<1;39m{<0m<1;34m\"a\"<0m<1;39m:<0m<1;39m[<0m<0;39mtrue<0m<1;39m,<0m<0;32m\"x\"<0m"
            "<1;39m,<0m<0;39m1<0m<1;39m]<0m<1;39m,<0m<1;34m\"b\"<0m<1;39m:<0m<1;39m{}<0m"
            "<1;39m}<0m\n");
  EXPECT_EQ(colored(false),
            "<1;39m{<0m\n  <1;34m\"a\"<0m<1;39m:<0m <1;39m[<0m\n    <0;39mtrue<0m<1;39m,<0m\n"
            "    <0;32m\"x\"<0m<1;39m,<0m\n    <0;39m1<0m\n  <1;39m]<0m<1;39m,<0m\n"
            "  <1;34m\"b\"<0m<1;39m:<0m <1;39m{}<0m\n<1;39m}<0m\n");
}

TEST(ExprCommand, Arguments) {
  ExprOptions options{.expression = "[$a, $b.c]", .compact = true, .null_input = true};
  options.args = {{"a", "1"}};
  options.json_args = {{"b", "{\"c\":2}"}};
  EXPECT_EQ(Execute(options).out, "[\"1\",2]\n");
  options.json_args = {{"b", "{"}};
  const Ran bad = Execute(options);
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, StartsWith("jaque: error: --argjson b: "));
}

TEST(ExprCommand, CompileErrorsHaveAPlace) {
  const Ran ran = Execute({.expression = "1 |\n  $nope", .null_input = true});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.err, "jaque: error: 2:3: $nope is not defined\n");
  EXPECT_EQ(Execute({.expression = "1 +", .null_input = true}).code, 3);
}

TEST(ExprCommand, AnErrorDoesNotReachIntoTheTerminal) {
  EXPECT_EQ(Execute({.expression = "error(\"\\u001b[31m\\n!\")", .null_input = true}).err,
            "jaque: error: \\x1b[31m !\n");
}

TEST(ExprCommand, AFailedEvaluationGoesOnWithTheNextInput) {
  const Ran ran = Execute({.expression = ".a"}, "{\"a\":1}\n  [2]\n{\"a\":3}");
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(ran.out, "1\n3\n");
  EXPECT_EQ(ran.err, "jaque: error: Cannot index array with string (\"a\") (input at 2:3)\n");
}

TEST(ExprCommand, BadInputHasAPlaceInTheStream) {
  const Ran ran = Execute({.expression = ".", .compact = true}, "1\n [true,\n  flse]");
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "1\n");
  EXPECT_THAT(ran.err, StartsWith("jaque: error: 3:3: "));
  EXPECT_EQ(Execute({.expression = "."}, "[1").code, 2);
  EXPECT_EQ(Execute({.expression = "."}, "\"a\\").code, 2);
  EXPECT_EQ(Execute({.expression = "."}, "}").code, 2);
}

TEST(ExprCommand, ExitStatus) {
  const auto code = [](const std::string& expression) {
    return Execute({.expression = expression, .null_input = true, .exit_status = true}).code;
  };
  EXPECT_EQ(code("1"), 0);
  EXPECT_EQ(code("true, null"), 1);
  EXPECT_EQ(code("false"), 1);
  EXPECT_EQ(code("empty"), 4);
  EXPECT_EQ(code("error(\"x\")"), 5);
}

TEST(ExprCommand, ProgramsThatNeverEndAreStopped) {
  const Ran ran = Execute({.expression = "def f: f; f", .null_input = true});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, StartsWith("jaque: error: "));
}

TEST(ExprCommand, AResultThatNobodyCouldPrintIsAnError) {
  const Ran ran = Execute({.expression = "reduce range(60) as $i (0; [., .])", .null_input = true});
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(ran.err, "jaque: error: the result is too large to print\n");
}

}  // namespace
}  // namespace jaque::cmd
