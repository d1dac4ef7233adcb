// SPDX-License-Identifier: Apache-2.0
// run script with the real interpreters; those that are not installed show the error that users
// get.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/temp_folder.h"
#include "worker/runner_fixture.h"

namespace jaque {
namespace {

using ::jaque::testing::TempFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ScriptRunnerTest : public RunnerFixture {
 protected:
  std::string Script(const std::string& language, const std::string& code,
                     const std::string& members = "", const std::string& input = "{}",
                     const std::string& rest = "") {
    return RunText(Cat("run:\n  script:\n    language: ", language, "\n    code: |\n",
                       Indented(code, 6), "\n", Indented(members, 4), "\n", Indented(rest, 2)),
                   input);
  }
};

// PATH for a while; processes that are started are looked up in it.
class ScopedPath {
 public:
  explicit ScopedPath(const std::string& path) : old_(getenv("PATH")) {
    setenv("PATH", path.c_str(), 1);
  }
  ~ScopedPath() { setenv("PATH", old_.c_str(), 1); }

 private:
  const std::string old_;
};

TEST_F(ScriptRunnerTest, Python) {
  EXPECT_EQ(Script("python", "print('hello')"), "\"hello\\n\"");
  EXPECT_EQ(
      Script("python",
             "import json, os, sys\n"
             "print(json.dumps([sys.argv[1:], os.environ['NAME'], json.load(sys.stdin)]))",
             "stdin: '${ . }'\narguments: ['${ .v }', two]\nenvironment: {NAME: '${ .v }'}",
             R"({"v":"it's $(id) `id` \"; -n *"})"),
      ToJson(Value::String(R"([["it's $(id) `id` \"; -n *", "two"], "it's $(id) `id` \"; -n *", )"
                           R"({"v": "it's $(id) `id` \"; -n *"}])"
                           "\n")));
  EXPECT_EQ(Script("python", "import sys\nsys.exit(4)", "", "{}", "return: code"), "4");
  EXPECT_THAT(Script("python", "raise ValueError('no such order')"),
              AllOf(StartsWith("runtime 500: the process ended with code 1"),
                    HasSubstr("ValueError: no such order")));
  EXPECT_THAT(Script("python", "this is no python"), HasSubstr("SyntaxError"));
}

TEST_F(ScriptRunnerTest, JavaScript) {
  EXPECT_EQ(Script("js", "console.log('hello')"), "\"hello\\n\"");
  EXPECT_EQ(Script("javascript",
                   "import { readFileSync } from 'node:fs';\n"
                   "const input = JSON.parse(readFileSync(0, 'utf8'));\n"
                   "console.log(process.argv.slice(2).join('|'), process.env.NAME, input.v);",
                   "stdin: '${ . }'\narguments: ['${ .v }', '2']\nenvironment: {NAME: n}",
                   R"({"v":"a b"})"),
            "\"a b|2 n a b\\n\"");
  EXPECT_THAT(
      Script("js", "throw new Error('no such order')"),
      AllOf(StartsWith("runtime 500: the process ended with code 1"), HasSubstr("no such order")));
  EXPECT_EQ(Script("js", "process.exitCode = 5", "", "{}", "return: all"),
            R"({"code":5,"stdout":"","stderr":""})");
}

TEST_F(ScriptRunnerTest, AMissingInterpreterIsNamed) {
  const TempFolder empty;
  ASSERT_TRUE(empty.ok());
  const ScopedPath path(empty.path());
  EXPECT_THAT(Script("js", "1"), AllOf(StartsWith("configuration 400: "), HasSubstr("node")));
  EXPECT_THAT(Script("python", "1"),
              AllOf(StartsWith("configuration 400: "), HasSubstr("python3")));
}

TEST_F(ScriptRunnerTest, NothingIsLeftBehind) {
  const TempFolder folder;
  ASSERT_TRUE(folder.ok());
  ASSERT_EQ(setenv("TMPDIR", folder.path().c_str(), 1), 0);
  EXPECT_THAT(Script("python", "import sys\nprint(__file__)"),
              StartsWith(Cat("\"", folder.path())));
  EXPECT_THAT(
      RunText(
          "run: {script: {language: python, code: 'import threading; threading.Event().wait()'}}",
          "{}", absl::Milliseconds(100)),
      StartsWith("timeout 408: "));
  unsetenv("TMPDIR");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(ScriptRunnerTest, CodeFromDataAndWrongArguments) {
  EXPECT_EQ(RunText("run: {script: {language: python, code: '${ .code }'}}",
                    R"json({"code":"print(1)"})json"),
            "\"1\\n\"");
  EXPECT_THAT(RunText("run: {script: {language: python, code: '${ .none }'}}"),
              StartsWith("validation 400: "));
  EXPECT_THAT(RunText("run: {script: {language: python, code: '1', arguments: ['${ .a }']}}",
                      R"({"a":"x\u0000y"})"),
              StartsWith("validation 400: "));
}

TEST_F(ScriptRunnerTest, AFloodOfOutputIsCut) {
  EXPECT_THAT(Script("python", "while True: print('x' * 1000)"), StartsWith("runtime 500: "));
}

}  // namespace
}  // namespace jaque
