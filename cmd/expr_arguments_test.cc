// SPDX-License-Identifier: Apache-2.0
#include "cmd/expr_arguments.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::string Refusal(const std::vector<std::string>& arguments) {
  return std::string(ParseExprArguments(arguments, false).status().message());
}

TEST(ExprArgumentsTest, FlagsAreJqs) {
  const auto options = ParseExprArguments(
      {"-nr", "--arg", "a", "-x", "-argjson", "b", "[1]", "--indent", "4", ".a", "-C"}, false);
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_TRUE(options->null_input);
  EXPECT_TRUE(options->raw);
  EXPECT_TRUE(options->colors);
  EXPECT_FALSE(options->compact);
  EXPECT_EQ(options->indent, 4);
  EXPECT_EQ(options->expression, ".a");
  EXPECT_THAT(options->args, ElementsAre(Pair("a", "-x")));
  EXPECT_THAT(options->json_args, ElementsAre(Pair("b", "[1]")));
}

TEST(ExprArgumentsTest, AnExpressionMayBeginWithADash) {
  EXPECT_EQ(ParseExprArguments({"-n", "--", "-1 | . + 1"}, false)->expression, "-1 | . + 1");
}

TEST(ExprArgumentsTest, MonochromeUndoesATerminal) {
  EXPECT_TRUE(ParseExprArguments({"."}, true)->colors);
  EXPECT_FALSE(ParseExprArguments({".", "-cM"}, true)->colors);
}

TEST(ExprArgumentsTest, SaysWhatIsWrong) {
  EXPECT_EQ(Refusal({}), "the expression is missing");
  EXPECT_EQ(Refusal({".", ".a"}), "there are two expressions, \".\" and \".a\"");
  EXPECT_EQ(Refusal({"-x", "."}), "unknown flag -x; jaque expr -help lists them");
  EXPECT_EQ(Refusal({"--arg", "a"}), "-arg needs a name and a value");
  EXPECT_EQ(Refusal({"-indent", "9", "."}), "-indent needs a number from 0 to 7");
  EXPECT_TRUE(absl::IsCancelled(ParseExprArguments({"-help"}, false).status()));
}

}  // namespace
}  // namespace jaque::cmd
