// SPDX-License-Identifier: Apache-2.0
// For tests of Decide: one shard, one instance "i", a clock that the test moves. Effects are kept
// for the test to look at and to answer. One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/random.h"
#include "base/text.h"
#include "dsl/load.h"
#include "engine/decide.h"
#include "engine/invariants.h"
#include "expression/json.h"
#include "gtest/gtest.h"
#include "log/memory_definition_store.h"

namespace jaque::engine {

class Core {
 public:
  static constexpr Micros kStart = 1'800'000'000'000'000;

  // The rest of a definition: its document is added.
  explicit Core(const std::string& yaml) { Define("main", yaml); }

  void Define(const std::string& name, const std::string& yaml,
              const std::string& version = "1.0.0") {
    const dsl::LoadResult loaded =
        dsl::Load(Cat("document: {dsl: '1.0.3', namespace: t, name: ", name, ", version: '",
                      version, "'}\n", yaml));
    for (const dsl::Finding& finding : loaded.findings) {
      ADD_FAILURE() << dsl::FormatFinding("test", finding);
    }
    if (loaded.workflow == nullptr) return;
    EXPECT_TRUE(definitions_.Put(loaded.workflow).ok());
  }

  Core& Start(const std::string& input = "{}") {
    v1::Command command;
    command.mutable_start_instance()->set_definition("t/main:1.0.0");
    command.mutable_start_instance()->set_input(input);
    Execute(std::move(command));
    return *this;
  }

  Outcome Execute(v1::Command command, const std::string& object = "i") {
    command.set_object_id(object);
    Environment environment;
    environment.now = now_;
    environment.random = &random_;
    environment.definitions = &definitions_;
    environment.events_position = events_position_;
    Outcome outcome = Decide(&state_, command, environment);
    const absl::Status valid = CheckInvariants(state_);
    EXPECT_TRUE(valid.ok()) << valid;
    for (const Effect& effect : outcome.effects) Note(effect);
    for (const Fact& fact : outcome.facts) {
      EXPECT_LE(fact.event.ByteSizeLong() + limits::kEventOverheadBytes, limits::kBatchBytes);
      EXPECT_TRUE(DecodeFact(fact.event, &definitions_).ok());
      events_.push_back(fact.event);
    }
    return outcome;
  }

  // Lets time pass up to the next timer and fires it; false if none is armed.
  bool FireNext() {
    if (timers_.empty()) return false;
    const auto [due, timer] = *timers_.begin();
    timers_.erase(timers_.begin());
    now_ = std::max(now_, due);
    v1::Command command;
    command.mutable_fire_timer()->set_frame(timer.frame);
    command.mutable_fire_timer()->set_kind(timer.kind);
    command.mutable_fire_timer()->set_due_micros(due);
    Execute(std::move(command), timer.instance);
    return true;
  }

  // Answers the oldest dispatched task: with an output, or with an error of that status.
  void Succeed(const std::string& output) { Answer(&output, 0); }
  void Fail(int status) { Answer(nullptr, status); }

  void Send(const std::string& event) {
    ++events_position_;
    std::map<std::string, v1::Command> commands;
    for (const auto& [type, keys] : state_.listens) {
      for (const ListenKey& key : keys) {
        commands[key.first].mutable_deliver_event()->add_frames(key.second);
      }
    }
    for (auto& [object, command] : commands) {
      command.mutable_deliver_event()->set_event(event);
      command.mutable_deliver_event()->set_sequence(events_position_);
      Execute(std::move(command), object);
    }
  }

  // The output's JSON, "fault STATUS TYPE-NAME POINTER", or the name of the status.
  std::string Result() const {
    auto ended = state_.ended.find("i");
    const Instance* live = state_.Find("i");
    if (ended == state_.ended.end()) {
      return live == nullptr ? "no instance" : v1::InstanceStatus_Name(StatusOf(*live));
    }
    if (ended->second.status == v1::INSTANCE_STATUS_COMPLETED) return ended->second.output;
    const v1::Problem& error = ended->second.error;
    return Cat("fault ", error.status(), " ", error.type().substr(error.type().rfind('/') + 1), " ",
               error.instance());
  }
  std::string Context() const { return ToJson(state_.Find("i")->context); }
  Micros now() const { return now_; }
  std::vector<v1::TaskRequest>& tasks() { return tasks_; }
  const std::vector<v1::Event>& events() const { return events_; }
  const std::vector<CancelTask>& cancelled() const { return cancelled_; }
  const std::vector<SendOutbox>& outbox() const { return outbox_; }
  ShardState& state() { return state_; }
  DefinitionStore& definitions() { return definitions_; }
  void Advance(absl::Duration by) { now_ += absl::ToInt64Microseconds(by); }

 private:
  void Note(const Effect& effect) {
    if (const auto* dispatch = std::get_if<DispatchTask>(&effect))
      tasks_.push_back(dispatch->request);
    if (const auto* timer = std::get_if<ArmTimer>(&effect)) timers_.insert({timer->due, *timer});
    if (const auto* outbox = std::get_if<SendOutbox>(&effect)) outbox_.push_back(*outbox);
    if (const auto* cancel = std::get_if<CancelTask>(&effect)) cancelled_.push_back(*cancel);
    if (const auto* later = std::get_if<ContinueLater>(&effect)) {
      static_cast<void>(later);
      v1::Command command;
      command.mutable_continue_instance();
      Execute(std::move(command));
    }
  }

  void Answer(const std::string* output, int status) {
    ASSERT_FALSE(tasks_.empty());
    v1::Command command;
    v1::TaskResult* result = command.mutable_task_result();
    result->set_instance_id("i");
    result->set_frame(tasks_.front().frame());
    result->set_attempt(tasks_.front().attempt());
    if (output != nullptr) {
      result->set_output(*output);
    } else {
      result->mutable_error()->set_type(
          "https://open-workflow-specification.org/spec/1.0.0/errors/communication");
      result->mutable_error()->set_status(status);
    }
    tasks_.erase(tasks_.begin());
    Execute(std::move(command));
  }

  MemoryDefinitionStore definitions_;
  Random random_{1};
  ShardState state_;
  Micros now_ = kStart;
  std::multimap<Micros, ArmTimer> timers_;
  std::vector<v1::TaskRequest> tasks_;
  std::vector<CancelTask> cancelled_;
  std::vector<SendOutbox> outbox_;
  uint64_t events_position_ = 0;
  std::vector<v1::Event> events_;
};

}  // namespace jaque::engine
