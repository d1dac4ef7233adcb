// SPDX-License-Identifier: Apache-2.0
#include "worker/process_runner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>

#include "absl/synchronization/blocking_counter.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"

namespace jaque {
namespace {

using ::testing::HasSubstr;

ProcessSpec Shell(const std::string& command, std::vector<std::string> arguments = {}) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", command, "sh"};
  for (std::string& argument : arguments) spec.argv.push_back(std::move(argument));
  spec.environment = {{"PATH", "/usr/bin:/bin"}};
  return spec;
}

class ProcessRunnerTest : public ::testing::Test {
 protected:
  ProcessRunnerTest() {
    Create(absl::Milliseconds(50));
    EXPECT_TRUE(temp_.ok());
  }

  void Create(absl::Duration term_grace) {
    ProcessRunnerOptions options;
    options.term_grace = term_grace;
    runner_ = ProcessRunner::Create(options, &SystemClock());
  }

  absl::StatusOr<ProcessResult> Run(ProcessSpec spec) {
    std::promise<absl::StatusOr<ProcessResult>> promise;
    runner_->Start(std::move(spec), [&](absl::StatusOr<ProcessResult> result) {
      promise.set_value(std::move(result));
    });
    return promise.get_future().get();
  }

  // A named pipe that every process of a command keeps open for writing: reading it ends when the
  // last of them is gone.
  std::string MakeFifo() {
    const std::string path = folder_ + "/alive";
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    return path;
  }
  // The bytes written until every writer has gone. Blocks until there was a writer.
  static std::string ReadAll(const std::string& path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  std::unique_ptr<ProcessRunner> runner_;
  const testing::TempFolder temp_;
  const std::string folder_ = temp_.path();
};

TEST_F(ProcessRunnerTest, GivesOutputsAndExitCode) {
  const auto result = Run(Shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->out, "out\n");
  EXPECT_EQ(result->err, "err\n");
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_EQ(result->signal, 0);
}

TEST_F(ProcessRunnerTest, ASignalIsTold) {
  const auto result = Run(Shell("kill -KILL $$"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->signal, 9);
  EXPECT_EQ(result->exit_code, 137);
}

TEST_F(ProcessRunnerTest, StdinIsFedWhole) {
  ProcessSpec spec = Shell("cat");
  spec.stdin_bytes = std::string(700'000, 'x') + "end";
  const std::string expected = *spec.stdin_bytes;
  const auto result = Run(std::move(spec));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->out == expected) << result->out.size();
}

TEST_F(ProcessRunnerTest, StdinThatNobodyReadsIsNoError) {
  ProcessSpec spec = Shell("exec 0<&-; echo done");
  spec.stdin_bytes = std::string(10 << 20, 'x');
  const auto result = Run(std::move(spec));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->out, "done\n");
}

TEST_F(ProcessRunnerTest, WithoutStdinThereIsNothingToRead) {
  const auto result = Run(Shell("cat; echo end"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->out, "end\n");
}

TEST_F(ProcessRunnerTest, ArgumentsAndEnvironmentArriveByteForByte) {
  const std::string evil = "it's $(touch " + folder_ + "/pwn) `id` \"; rm -rf x #\n-n *\xff";
  ProcessSpec spec = Shell("printf '%s|%s' \"$1\" \"$NAME\"", {evil});
  spec.environment.emplace_back("NAME", evil);
  const auto result = Run(std::move(spec));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->out, evil + "|" + evil);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/pwn"));
}

TEST_F(ProcessRunnerTest, SeesOnlyTheGivenEnvironmentAndDescriptors) {
  setenv("JAQUE_TEST_LEAK", "leak", 1);
  const int leak = open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  ASSERT_GE(leak, 0);
  const auto environment = Run(Shell("env; ls /proc/self/fd"));
  close(leak);
  unsetenv("JAQUE_TEST_LEAK");
  ASSERT_TRUE(environment.ok()) << environment.status();
  EXPECT_EQ(environment->out.find("JAQUE_TEST_LEAK"), std::string::npos);
  // 3 is the folder that ls reads.
  EXPECT_THAT(environment->out, ::testing::EndsWith("0\n1\n2\n3\n"));
}

TEST_F(ProcessRunnerTest, AFloodIsKilledWithItsGroup) {
  const std::string alive = MakeFifo();
  for (const char* stream : {"1", "2"}) {
    auto gone = std::async(std::launch::async, [&] { return ReadAll(alive); });
    const auto result =
        Run(Shell("exec 9>" + alive + "; sleep 1000 & yes >&" + std::string(stream)));
    EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted) << result.status();
    EXPECT_EQ(gone.get(), "");
  }
}

TEST_F(ProcessRunnerTest, TheOutputLimitItselfIsAllowed) {
  ProcessSpec spec = Shell("head -c 1000 /dev/zero");
  spec.output_limit = 1000;
  const auto exact = Run(spec);
  ASSERT_TRUE(exact.ok()) << exact.status();
  EXPECT_EQ(exact->out.size(), 1000u);
  spec.output_limit = 999;
  EXPECT_EQ(Run(spec).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(ProcessRunnerTest, ATimeoutKillsTheWholeGroup) {
  const std::string alive = MakeFifo();
  // Children and grandchildren, all deaf to SIGTERM.
  ProcessSpec spec =
      Shell("trap '' TERM; exec 9>" + alive +
            "; (sleep 1000 & sleep 1000 & wait) & echo started >&9; wait; sleep 1000");
  std::string written;
  // Twice the time until it suffices for the start, however slow the machine is.
  for (spec.timeout = absl::Milliseconds(300); written.empty(); spec.timeout *= 2) {
    // Open before there is a writer; read until the last one has gone, if there was one.
    const int reader = open(alive.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(reader, 0);
    EXPECT_EQ(Run(spec).status().code(), absl::StatusCode::kDeadlineExceeded);
    ASSERT_EQ(fcntl(reader, F_SETFL, 0), 0);
    char byte;
    while (read(reader, &byte, 1) == 1) written += byte;
    close(reader);
  }
  EXPECT_EQ(written, "started\n");
}

TEST_F(ProcessRunnerTest, SigtermLetsAProcessCleanUp) {
  Create(absl::Hours(1));
  const std::string alive = MakeFifo();
  std::promise<absl::Status> done;
  const uint64_t id = runner_->Start(
      Shell("trap 'echo cleaned >&9; exit 0' TERM; exec 9>" + alive +
            "; echo started >&9; sleep 1000 & wait"),
      [&](absl::StatusOr<ProcessResult> result) { done.set_value(result.status()); });
  std::ifstream in(alive);
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  EXPECT_EQ(line, "started");
  runner_->Cancel(id);
  ASSERT_TRUE(std::getline(in, line));
  EXPECT_EQ(line, "cleaned");
  EXPECT_FALSE(std::getline(in, line));
  EXPECT_EQ(done.get_future().get().code(), absl::StatusCode::kCancelled);
}

TEST_F(ProcessRunnerTest, WhatACommandLeavesBehindIsKilled) {
  const std::string alive = MakeFifo();
  auto gone = std::async(std::launch::async, [&] { return ReadAll(alive); });
  const auto result = Run(Shell("exec 9>" + alive + "; sleep 1000 & echo quick"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->out, "quick\n");
  EXPECT_EQ(gone.get(), "");
}

TEST_F(ProcessRunnerTest, GoingAwayKillsEverything) {
  const std::string alive = MakeFifo();
  std::promise<absl::Status> done;
  runner_->Start(Shell("exec 9>" + alive + "; echo started >&9; sleep 1000"),
                 [&](absl::StatusOr<ProcessResult> result) { done.set_value(result.status()); });
  std::ifstream in(alive);
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  runner_.reset();
  EXPECT_FALSE(std::getline(in, line));
  EXPECT_EQ(done.get_future().get().code(), absl::StatusCode::kCancelled);
}

TEST_F(ProcessRunnerTest, WhatCannotStartSaysWhy) {
  ProcessSpec spec;
  spec.argv = {"jaque-no-such-program"};
  const auto missing = Run(spec);
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr("jaque-no-such-program"));
  EXPECT_EQ(Run(Shell("true", {std::string(200 << 10, 'x')})).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Run(Shell("true", {std::string("a\0b", 3)})).status().code(),
            absl::StatusCode::kInvalidArgument);
  spec = Shell("true");
  spec.environment = {{"A=B", "c"}};
  EXPECT_EQ(Run(spec).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Run(ProcessSpec()).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ProcessRunnerTest, ManyAtOnceLeaveNoDescriptorAndNoZombie) {
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = descriptors();
  constexpr int kProcesses = 100;
  absl::BlockingCounter left(kProcesses);
  std::atomic<int> good{0};
  for (int i = 0; i < kProcesses; ++i) {
    ProcessSpec spec = Shell("cat; exit " + std::to_string(i % 5));
    spec.stdin_bytes = std::to_string(i);
    runner_->Start(std::move(spec), [&, i](absl::StatusOr<ProcessResult> result) {
      if (result.ok() && result->out == std::to_string(i) && result->exit_code == i % 5) ++good;
      left.DecrementCount();
    });
  }
  left.Wait();
  EXPECT_EQ(good, kProcesses);
  runner_.reset();
  EXPECT_LE(descriptors(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child was not reaped";
}

}  // namespace
}  // namespace jaque
