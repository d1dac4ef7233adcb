// SPDX-License-Identifier: Apache-2.0
#include "cmd/arguments.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ArgumentsTest : public ::testing::Test {
 protected:
  ArgumentsTest() : app_("jaque test: tests\n\nUsage:\n  jaque test [FILE...]\n", "jaque test") {
    app_.set_help_flag();
    app_.add_option("FILE", files_);
    app_.add_option("--http-listen", listen_, "address")
        ->type_name("HOST:PORT")
        ->capture_default_str()
        ->group("Serving");
    app_.add_option("--shards", shards_, "parts")->check(CLI::Range(1, 8).description(""));
    app_.add_option("--resolve", resolve_, "names")->allow_extra_args(false);
    app_.add_option("--config", config_, "file");
    app_.add_flag("--quiet", quiet_, "less");
  }

  absl::Status Parse(const std::vector<std::string>& arguments) {
    const Surroundings surroundings = {
        [this](const std::string& name) -> const char* {
          const auto found = environment_.find(name);
          return found == environment_.end() ? nullptr : found->second.c_str();
        },
        [this](const std::string& path) -> absl::StatusOr<std::string> {
          const auto found = disk_.find(path);
          if (found == disk_.end()) return absl::NotFoundError("cannot read " + path);
          return found->second;
        }};
    return ParseArguments(&app_, arguments, surroundings);
  }
  std::string Message(const std::vector<std::string>& arguments) {
    return std::string(Parse(arguments).message());
  }

  std::map<std::string, std::string> environment_, disk_;
  CLI::App app_;
  std::vector<std::string> files_, resolve_;
  std::string listen_ = "127.0.0.1:8080", config_;
  int shards_ = 4;
  bool quiet_ = false;
};

TEST_F(ArgumentsTest, OneDashOrTwoWithSpaceOrEquals) {
  ASSERT_TRUE(Parse({"-http-listen", "a:1", "--shards=2", "-quiet", "x.yaml"}).ok());
  EXPECT_EQ(listen_, "a:1");
  EXPECT_EQ(shards_, 2);
  EXPECT_TRUE(quiet_);
  EXPECT_THAT(files_, ElementsAre("x.yaml"));
}

TEST_F(ArgumentsTest, ValuesMayLookLikeFlagsOrLists) {
  ASSERT_TRUE(Parse({"-http-listen", "-5", "-resolve", "[1,2]", "-resolve", "{}", "a", "-"}).ok());
  EXPECT_EQ(listen_, "-5");
  EXPECT_THAT(resolve_, ElementsAre("[1,2]", "{}"));
  EXPECT_THAT(files_, ElementsAre("a", "-"));
}

TEST_F(ArgumentsTest, AfterTwoDashesNothingIsAFlag) {
  ASSERT_TRUE(Parse({"-quiet", "--", "-shards", "--"}).ok());
  EXPECT_THAT(files_, ElementsAre("-shards", "--"));
}

TEST_F(ArgumentsTest, CommandLineBeforeEnvironmentBeforeFileBeforeDefault) {
  disk_["c.conf"] = "# comment\nhttp-listen: file:1\nshards = 3\n\nresolve: 'f 1'\nresolve: f2\n";
  environment_ = {{"JAQUE_CONFIG", "c.conf"}, {"JAQUE_SHARDS", "5"}};
  ASSERT_TRUE(Parse({}).ok());
  EXPECT_EQ(listen_, "file:1");
  EXPECT_EQ(shards_, 5);
  EXPECT_THAT(resolve_, ElementsAre("f 1", "f2"));
}

TEST_F(ArgumentsTest, TheCommandLineReplacesAListOfTheFile) {
  disk_["c.conf"] = "resolve: f1\nshards: 3\n";
  ASSERT_TRUE(Parse({"-config", "c.conf", "-resolve", "mine", "-shards", "6"}).ok());
  EXPECT_THAT(resolve_, ElementsAre("mine"));
  EXPECT_EQ(shards_, 6);
}

TEST_F(ArgumentsTest, AListInTheEnvironmentHasCommas) {
  environment_ = {{"JAQUE_RESOLVE", "a:1:b, c:2:d"}, {"JAQUE_QUIET", "true"}};
  ASSERT_TRUE(Parse({}).ok());
  EXPECT_THAT(resolve_, ElementsAre("a:1:b", "c:2:d"));
  EXPECT_TRUE(quiet_);
}

TEST_F(ArgumentsTest, SaysWhatIsWrongAndWhereItCameFrom) {
  EXPECT_EQ(Message({"-nonsense"}), "unknown flag -nonsense; jaque test -help lists them");
  EXPECT_EQ(Message({"-shards"}), "flag -shards needs a value");
  EXPECT_THAT(Message({"-shards", "99"}), HasSubstr("-shards: "));
  environment_["JAQUE_SHARDS"] = "many";
  EXPECT_THAT(Message({}), HasSubstr("JAQUE_SHARDS: shards:"));
  environment_.clear();
  disk_["c.conf"] = "\nshards: 99\n";
  EXPECT_THAT(Message({"-config", "c.conf"}), HasSubstr("c.conf:2: shards:"));
  disk_["c.conf"] = "speed: 9\n";
  EXPECT_EQ(Message({"-config", "c.conf"}),
            "c.conf:1: unknown flag \"speed\"; jaque test -help lists them");
  disk_["c.conf"] = "shards: 1\nshards: 2\n";
  EXPECT_EQ(Message({"-config", "c.conf"}), "c.conf:2: \"shards\" stands twice");
  EXPECT_EQ(Message({"-config", "none"}), "cannot read none");
}

TEST_F(ArgumentsTest, HelpHasGroupsFlagsAndDefaults) {
  const absl::Status help = Parse({"-help"});
  EXPECT_TRUE(absl::IsCancelled(help));
  const std::string text(help.message());
  EXPECT_THAT(text, HasSubstr("Usage:\n  jaque test [FILE...]\n"));
  EXPECT_THAT(text, HasSubstr("Serving:\n  -http-listen HOST:PORT      address (default "
                              "127.0.0.1:8080)\n"));
}

TEST(EnvironmentNameTest, IsUpperCaseWithUnderscores) {
  EXPECT_EQ(EnvironmentName("http-listen"), "JAQUE_HTTP_LISTEN");
}

}  // namespace
}  // namespace jaque::cmd
