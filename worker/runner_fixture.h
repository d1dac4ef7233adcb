// SPDX-License-Identifier: Apache-2.0
// For the tests of the runners: runs one task of a definition, given as YAML, against the real
// world.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <string>

#include "base/text.h"
#include "dsl/load.h"
#include "expression/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "worker/runner.h"

namespace jaque {

class MapSecretStore final : public SecretStore {
 public:
  absl::StatusOr<Value> Get(const std::string& name) const override {
    const auto found = secrets.find(name);
    if (found == secrets.end()) return absl::NotFoundError(name);
    return found->second;
  }
  std::map<std::string, Value> secrets;
};

class RunnerFixture : public ::testing::Test {
 protected:
  explicit RunnerFixture(const HttpClientOptions& options = {}) { UseClient(options); }
  ~RunnerFixture() override { threads_.Stop(); }

  void UseClient(const HttpClientOptions& options) {
    auto client = HttpClient::Create(options, clock_);
    ASSERT_TRUE(client.ok()) << client.status();
    http_ = *std::move(client);
  }

  // Two spaces before each line.
  static std::string Indented(const std::string& text, int spaces) {
    std::string indented(spaces, ' ');
    for (const char c : text) {
      indented += c;
      if (c == '\n') indented.append(spaces, ' ');
    }
    return indented;
  }

  // A run of the only task of a definition; nullptr after a failure.
  std::shared_ptr<TaskRun> Prepare(const std::string& task, const std::string& input = "{}",
                                   absl::Duration timeout = absl::ZeroDuration()) {
    std::string text =
        "document: {dsl: '1.0.3', namespace: test, name: runner, version: '1.0.0'}\n";
    if (!use_.empty()) text += "use:\n" + Indented(use_, 2) + "\n";
    text += "do:\n  - only:\n" + Indented(task, 6) + "\n";
    const dsl::LoadResult loaded = dsl::Load(text);
    for (const dsl::Finding& finding : loaded.findings) {
      ADD_FAILURE() << dsl::FormatFinding("test", finding) << "\n" << text;
    }
    if (loaded.workflow == nullptr) return nullptr;
    v1::TaskRequest request;
    request.set_instance_id("instance");
    request.set_frame(1);
    request.set_attempt(1);
    request.set_task_index(loaded.workflow->tasks[0]->index);
    request.set_input(input);
    for (const auto& [name, json] : variables_) (*request.mutable_variables())[name] = json;
    if (timeout > absl::ZeroDuration()) {
      request.set_deadline_micros(absl::ToUnixMicros(clock_->Now() + timeout));
    }
    auto run = TaskRun::Create(clock_, &secrets_, loaded.workflow, request);
    if (auto* problem = std::get_if<v1::Problem>(&run)) {
      ADD_FAILURE() << problem->ShortDebugString();
      return nullptr;
    }
    return std::get<std::shared_ptr<TaskRun>>(run);
  }

  std::future<Outcome> Start(std::shared_ptr<TaskRun> run) {
    auto promise = std::make_shared<std::promise<Outcome>>();
    std::future<Outcome> future = promise->get_future();
    if (run == nullptr) {
      promise->set_value(Value());
      return future;
    }
    RunTask({http_.get(), processes_.get(), &documents_, &threads_}, std::move(run),
            [promise](Outcome outcome) { promise->set_value(std::move(outcome)); });
    return future;
  }

  Outcome Run(const std::string& task, const std::string& input = "{}",
              absl::Duration timeout = absl::ZeroDuration()) {
    return Start(Prepare(task, input, timeout)).get();
  }

  // The output as JSON, or "<last part of the error's type> <status>: <detail>".
  static std::string Text(const Outcome& outcome) {
    if (const Value* output = std::get_if<Value>(&outcome)) return ToJson(*output);
    const v1::Problem& problem = std::get<v1::Problem>(outcome);
    return Cat(problem.type().substr(problem.type().rfind('/') + 1), " ", problem.status(), ": ",
               problem.detail());
  }
  std::string RunText(const std::string& task, const std::string& input = "{}",
                      absl::Duration timeout = absl::ZeroDuration()) {
    return Text(Run(task, input, timeout));
  }

  const Clock* const clock_ = &SystemClock();
  std::string use_;                               // YAML of `use`
  std::map<std::string, std::string> variables_;  // JSON by name
  MapSecretStore secrets_;
  OpenApiDocuments documents_{clock_};
  Threads threads_{1};
  std::unique_ptr<HttpClient> http_;
  std::unique_ptr<ProcessRunner> processes_ =
      ProcessRunner::Create({.term_grace = absl::Milliseconds(50)}, clock_);
};

}  // namespace jaque
