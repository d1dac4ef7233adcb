// SPDX-License-Identifier: Apache-2.0
// run shell with the real /bin/sh.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/synchronization/notification.h"
#include "tests/support/http_server.h"
#include "tests/support/temp_folder.h"
#include "worker/runner_fixture.h"

namespace jaque {
namespace {

using ::jaque::testing::TempFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ShellRunnerTest : public RunnerFixture {
 protected:
  // `rest`: more members of `run`.
  std::string Shell(const std::string& members, const std::string& input = "{}",
                    const std::string& rest = "") {
    return RunText(Cat("run:\n  shell:\n", Indented(members, 4), "\n", Indented(rest, 2)), input);
  }
};

// O-WK-02
TEST_F(ShellRunnerTest, DataIsNeverShellText) {
  const TempFolder folder;
  ASSERT_TRUE(folder.ok());
  const std::string trap = folder.path() + "/pwned";
  const std::string hostile =
      Cat("it's $(touch ", trap, ") `touch ", trap, "` \"; touch ", trap, " #\n-n *");
  const std::string input = ToJson(Value::Object({{"v", Value::String(hostile)}}));
  const std::string output = Shell(
      "command: 'printf \"%s|%s\\n\" \"$1\" \"$NAME\"'\n"
      "arguments: ['${ .v }', second]\nenvironment: {NAME: '${ .v }'}",
      input);
  EXPECT_EQ(output, ToJson(Value::String(Cat(hostile, "|", hostile, "\n"))));
  EXPECT_NE(access(trap.c_str(), F_OK), 0);
  EXPECT_EQ(Shell("command: 'printf \"%s\\n\" \"$@\"'\narguments: ['-n', '*', '', '--', 'a b']"),
            "\"-n\\n*\\n\\n--\\na b\\n\"");
}

// Each character that a process can be given, and the words that shells and printf take for their
// own.
TEST_F(ShellRunnerTest, EveryByteArrives) {
  std::string all;
  for (int c = 1; c < 128; ++c) all += static_cast<char>(c);
  all += "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
  for (const std::string& text : {all,
                                  std::string("-n"),
                                  std::string("-e \\n"),
                                  std::string("*"),
                                  std::string("?[a-z]"),
                                  std::string("~"),
                                  std::string("%s%n"),
                                  std::string("'"),
                                  std::string("'\\''"),
                                  std::string("\""),
                                  std::string("$0"),
                                  std::string("${NAME}"),
                                  std::string("$(id)"),
                                  std::string("`id`"),
                                  std::string("\\"),
                                  std::string("\\\n"),
                                  std::string("a\n\n"),
                                  std::string(" "),
                                  std::string("!!"),
                                  std::string("#"),
                                  std::string("\r"),
                                  std::string("")}) {
    const std::string input = ToJson(Value::Object({{"v", Value::String(text)}}));
    EXPECT_EQ(Shell("command: 'printf \"%s|%s|%s\" \"$1\" \"$NAME\" \"$2\"; cat'\n"
                    "arguments: ['${ .v }', '${ .v }']\n"
                    "environment: {NAME: '${ .v }'}\nstdin: '${ .v }'",
                    input),
              ToJson(Value::String(Cat(text, "|", text, "|", text, text))));
  }
}

TEST_F(ShellRunnerTest, ArgumentsEnvironmentAndStdin) {
  EXPECT_EQ(Shell("command: |\n  input=$(cat)\n  echo \"STDIN was: $input\"\n"
                  "  echo \"ARGS are $1 $2\"\nstdin: '${ . }'\narguments: [Foo, Bar]",
                  "\"Hello World\""),
            "\"STDIN was: Hello World\\nARGS are Foo Bar\\n\"");
  EXPECT_EQ(
      Shell("command: 'echo $0 $# \"$1\" $N $O'\narguments: ['${ .list }', '2', '${ null }']\n"
            "environment: {N: 5, O: '${ .o }', GONE: null}",
            R"({"list":[1,"x"],"o":{"a":true}})"),
      R"("sh 3 [1,\"x\"] 5 {\"a\":true}\n")");
  EXPECT_EQ(Shell("command: cat\nstdin: '${ .o }'", R"({"o":{"a":1}})"), R"("{\"a\":1}")");
  // Without stdin there is nothing to read.
  EXPECT_EQ(Shell("command: cat"), "\"\"");
}

TEST_F(ShellRunnerTest, TheEnvironmentOfTheWorkerIsNotSeen) {
  ASSERT_EQ(setenv("JAQUE_SECRET_TOKEN", "s3cret", 1), 0);
  const std::string output = Shell("command: env\nenvironment: {PATH: '/bin:/usr/bin', OWN: x}");
  unsetenv("JAQUE_SECRET_TOKEN");
  EXPECT_THAT(output, Not(HasSubstr("s3cret")));
  EXPECT_THAT(output, AllOf(HasSubstr("OWN=x"), HasSubstr("PATH=/bin:/usr/bin\\n"),
                            HasSubstr("HOME="), HasSubstr("LANG=")));
}

TEST_F(ShellRunnerTest, WhatIsReturned) {
  const std::string command = "command: 'echo out; echo err >&2; exit 3'";
  EXPECT_EQ(Shell(command, "{}", "return: code"), "3");
  EXPECT_EQ(Shell(command, "{}", "return: all"), R"({"code":3,"stdout":"out\n","stderr":"err\n"})");
  for (const char* rest : {"", "return: stdout", "return: stderr", "return: none"}) {
    EXPECT_EQ(Shell(command, "{}", rest),
              "runtime 500: the process ended with code 3; stderr ends: err");
  }
  const std::string fine = "command: 'echo out; echo err >&2'";
  EXPECT_EQ(Shell(fine), "\"out\\n\"");
  EXPECT_EQ(Shell(fine, "{}", "return: stderr"), "\"err\\n\"");
  EXPECT_EQ(Shell(fine, "{}", "return: none"), "null");
  EXPECT_EQ(Shell(fine, "{}", "return: code"), "0");
  EXPECT_EQ(Shell("command: 'kill -9 $$'", "{}", "return: code"), "137");
  EXPECT_EQ(Shell("command: 'kill -9 $$'"), "runtime 500: the process was ended by signal 9");
}

TEST_F(ShellRunnerTest, BytesThatAreNoTextAreRepaired) {
  EXPECT_EQ(Shell("command: 'printf \"a\\377b\"'"),
            "\"a\xef\xbf\xbd"
            "b\"");
}

TEST_F(ShellRunnerTest, WrongArgumentsAreErrors) {
  EXPECT_THAT(Shell("command: '${ .none }'"), StartsWith("validation 400: "));
  for (const char* name : {"x=y", "''", "\"a\\0b\""}) {
    EXPECT_THAT(Shell(Cat("command: ':'\nenvironment: {", name, ": '1'}")),
                StartsWith("validation 400: "))
        << name;
  }
  EXPECT_THAT(Shell("command: ':'\narguments: ['${ .a }']", R"({"a":"x\u0000y"})"),
              StartsWith("validation 400: "));
  EXPECT_THAT(Shell("command: '${ .a + 1 }'", R"({"a":"x"})"), StartsWith("expression 400: "));
}

TEST_F(ShellRunnerTest, AFloodOfOutputIsCut) {
  EXPECT_THAT(Shell("command: 'yes'"), StartsWith("runtime 500: "));
  EXPECT_THAT(Shell("command: 'yes >&2'"), StartsWith("runtime 500: "));
}

// The shell says who it is and waits for ever; the timeout ends the whole process group.
TEST_F(ShellRunnerTest, ATimeoutEndsTheWholeGroup) {
  EXPECT_THAT(
      RunText("run: {shell: {command: 'sleep 1000 & sleep 1000'}}", "{}", absl::Milliseconds(100)),
      StartsWith("timeout 408: "));
}

TEST_F(ShellRunnerTest, CancellingEndsTheProcess) {
  const TempFolder folder;
  ASSERT_TRUE(folder.ok());
  const std::string fifo = folder.path() + "/started";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const auto run = Prepare(
      Cat("run: {shell: {command: 'echo > \"$1\"; exec sleep 1000', arguments: ['", fifo, "']}}"));
  ASSERT_NE(run, nullptr);
  auto outcome = Start(run);
  FILE* started = fopen(fifo.c_str(), "r");  // until the command has opened it
  ASSERT_NE(started, nullptr);
  fclose(started);
  run->Cancel();
  EXPECT_THAT(Text(outcome.get()), StartsWith("runtime 500: "));
}

TEST_F(ShellRunnerTest, WithoutAwaitTheInputGoesOn) {
  const TempFolder folder;
  ASSERT_TRUE(folder.ok());
  const std::string fifo = folder.path() + "/done";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(Shell(Cat("command: 'echo late > \"$1\"'\narguments: ['", fifo, "']"), "{\"a\":1}",
                  "await: false"),
            "{\"a\":1}");
  FILE* done = fopen(fifo.c_str(), "r");
  ASSERT_NE(done, nullptr);
  char line[16] = {};
  EXPECT_NE(fgets(line, sizeof line, done), nullptr);
  EXPECT_STREQ(line, "late\n");
  fclose(done);
}

TEST_F(ShellRunnerTest, SecretsReachTheProcessAndNoError) {
  use_ = "secrets: [tok]";
  secrets_.secrets["tok"] = Value::String("s3cret/value");
  EXPECT_EQ(Shell("command: 'printf \"%s\" \"${#T}\"'\nenvironment: {T: '${ $secrets.tok }'}"),
            "\"12\"");
  const std::string error = Shell(
      "command: 'echo \"$T\" >&2; printf %s \"$T\" | base64 >&2; exit 1'\n"
      "environment: {T: '${ $secrets.tok }'}");
  EXPECT_EQ(error, "runtime 500: the process ended with code 1; stderr ends: ***\n***");
}

}  // namespace
}  // namespace jaque
