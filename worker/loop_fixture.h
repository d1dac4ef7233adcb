// SPDX-License-Identifier: Apache-2.0
// For the tests of the worker's loop: a worker between a real memory queue and a real command bus,
// an engine that records what it gets, and one trace of all that happens, in its order. Time is the
// machine's plus what a test adds.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "base/text.h"
#include "dsl/load.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "jaque/v1/command.pb.h"
#include "log/memory_definition_store.h"
#include "queue/memory_command_bus.h"
#include "queue/memory_task_cancels.h"
#include "queue/memory_task_queue.h"
#include "worker/loop.h"
#include "worker/task_table.h"

namespace jaque {

// Lines in the order in which they came, from any thread.
class Trace {
 public:
  void Add(const std::string& line) {
    absl::MutexLock lock(&mutex_);
    lines_.push_back(line);
  }
  int Count(const std::string& line) const {
    absl::MutexLock lock(&mutex_);
    return CountLocked(line);
  }
  std::vector<std::string> Lines() const {
    absl::MutexLock lock(&mutex_);
    return lines_;
  }
  // Waits until it is there so many times.
  void Await(const std::string& line, int count = 1) const {
    absl::MutexLock lock(&mutex_);
    const auto there = [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return CountLocked(line) >= count; };
    if (mutex_.AwaitWithTimeout(absl::Condition(&there), absl::Seconds(60))) return;
    std::string all;
    for (const std::string& have : lines_) all += Cat("\n  ", have);
    ADD_FAILURE() << "never came: " << line << "; but" << all;
  }

 private:
  int CountLocked(const std::string& line) const {
    return static_cast<int>(std::count(lines_.begin(), lines_.end(), line));
  }
  mutable absl::Mutex mutex_;
  std::vector<std::string> lines_;
};

class MovableClock final : public Clock {
 public:
  absl::Time Now() const override { return SystemClock().Now() + offset(); }
  absl::Duration Monotonic() const override { return SystemClock().Monotonic() + offset(); }
  void Advance(absl::Duration by) {
    absl::MutexLock lock(&mutex_);
    offset_ += by;
  }

 private:
  absl::Duration offset() const {
    absl::MutexLock lock(&mutex_);
    return offset_;
  }
  mutable absl::Mutex mutex_;
  absl::Duration offset_;
};

// Adds "<what> <first task's key>" to the trace: ack, nak, progress.
class TracedQueue final : public TaskQueue {
 public:
  TracedQueue(TaskQueue* inner, Trace* trace) : inner_(inner), trace_(trace) {}

  void Publish(const std::string& pool, const std::string& id, std::string bytes,
               absl::AnyInvocable<void(absl::Status)> done) override {
    inner_->Publish(pool, id, std::move(bytes), std::move(done));
  }
  void Pull(const std::string& pool, int max, absl::Duration wait,
            absl::AnyInvocable<void(std::vector<std::unique_ptr<TaskDelivery>>)> deliver) override {
    inner_->Pull(pool, max, wait,
                 [trace = trace_, deliver = std::move(deliver)](auto deliveries) mutable {
                   std::vector<std::unique_ptr<TaskDelivery>> traced;
                   for (auto& delivery : deliveries) {
                     traced.push_back(std::make_unique<Delivery>(std::move(delivery), trace));
                   }
                   deliver(std::move(traced));
                 });
  }

 private:
  class Delivery final : public TaskDelivery {
   public:
    Delivery(std::unique_ptr<TaskDelivery> inner, Trace* trace)
        : inner_(std::move(inner)), trace_(trace) {}
    const std::string& bytes() const override { return inner_->bytes(); }
    int delivered() const override { return inner_->delivered(); }
    void Ack() override {
      inner_->Ack();
      Note("ack ");
    }
    void InProgress() override {
      inner_->InProgress();
      Note("progress ");
    }
    void Nak(absl::Duration delay) override {
      inner_->Nak(delay);
      Note("nak ");
    }

   private:
    void Note(std::string_view what) {
      v1::TaskMessage message;
      const bool readable = message.ParseFromString(bytes()) && message.tasks_size() > 0;
      trace_->Add(Cat(what, readable ? TaskKey(message.tasks(0).instance_id(),
                                               message.tasks(0).frame(), message.tasks(0).attempt())
                                     : "?"));
    }
    const std::unique_ptr<TaskDelivery> inner_;
    Trace* const trace_;
  };

  TaskQueue* const inner_;
  Trace* const trace_;
};

// A store that can be out of reach.
class UnsteadyDefinitions final : public DefinitionStore {
 public:
  absl::Status Put(WorkflowPtr workflow) override { return inner_.Put(std::move(workflow)); }
  absl::StatusOr<WorkflowPtr> Get(std::string_view id) override {
    {
      absl::MutexLock lock(&mutex_);
      if (refusals_ > 0) {
        --refusals_;
        trace_->Add("definitions out of reach");
        return absl::UnavailableError("no answer");
      }
    }
    return inner_.Get(id);
  }
  absl::StatusOr<WorkflowPtr> GetLatest(std::string_view name) override {
    return inner_.GetLatest(name);
  }
  std::vector<std::string> List() override { return inner_.List(); }

  explicit UnsteadyDefinitions(Trace* trace) : trace_(trace) {}
  void Refuse(int times) {
    absl::MutexLock lock(&mutex_);
    refusals_ = times;
  }

 private:
  Trace* const trace_;
  MemoryDefinitionStore inner_;
  absl::Mutex mutex_;
  int refusals_ = 0;
};

// Adds "<name> <what> <key> <output or error>" to the trace and answers as told.
class FakeEngine {
 public:
  using Code = v1::CommandReply::Code;

  FakeEngine(std::string name, CommandBus* bus, Trace* trace)
      : name_(std::move(name)),
        trace_(trace),
        service_(bus->Serve(name_, [this](std::string bytes, bool, CommandBus::ReplyFn reply) {
          Receive(bytes, std::move(reply));
        })) {}

  // Instead of OK, once each, in that order.
  void AnswerNext(std::vector<Code> codes) {
    absl::MutexLock lock(&mutex_);
    codes_ = std::move(codes);
  }
  // The next command gets no answer until ReleaseReplies.
  void HoldNext() {
    absl::MutexLock lock(&mutex_);
    hold_ = true;
  }
  void ReleaseReplies() {
    std::vector<CommandBus::ReplyFn> held;
    {
      absl::MutexLock lock(&mutex_);
      held.swap(held_);
    }
    for (auto& reply : held) reply(Reply(v1::CommandReply::CODE_OK).SerializeAsString());
  }
  // Frames of every instance that are active still.
  void SetActive(std::vector<uint32_t> frames) {
    absl::MutexLock lock(&mutex_);
    active_ = std::move(frames);
  }
  v1::TaskResult LastResult() const {
    absl::MutexLock lock(&mutex_);
    return last_;
  }
  void Leave() { service_.reset(); }

 private:
  v1::CommandReply Reply(Code code) {
    v1::CommandReply reply;
    reply.set_code(code);
    absl::MutexLock lock(&mutex_);
    for (const uint32_t frame : active_) reply.mutable_instance()->add_active()->set_frame(frame);
    return reply;
  }

  void Receive(const std::string& bytes, CommandBus::ReplyFn reply) {
    v1::Command command;
    ASSERT_TRUE(command.ParseFromString(bytes));
    Code code = v1::CommandReply::CODE_OK;
    bool hold = false;
    {
      absl::MutexLock lock(&mutex_);
      if (command.has_task_result()) last_ = command.task_result();
      if (!codes_.empty()) {
        code = codes_.front();
        codes_.erase(codes_.begin());
      }
      std::swap(hold, hold_);
      if (hold) held_.push_back(std::move(reply));
    }
    trace_->Add(Cat(name_, " ", Describe(command)));
    if (!hold) reply(Reply(code).SerializeAsString());
  }

  static std::string Describe(const v1::Command& command) {
    if (command.has_describe_instance()) return Cat("asked ", command.object_id());
    const v1::TaskResult& result = command.task_result();
    std::string text =
        Cat("result ", TaskKey(result.instance_id(), result.frame(), result.attempt()), " ");
    if (!result.has_error()) return text + result.output();
    const std::string& type = result.error().type();
    return Cat(text, type.substr(type.rfind('/') + 1), " ", result.error().status());
  }

  const std::string name_;
  Trace* const trace_;
  mutable absl::Mutex mutex_;
  std::vector<Code> codes_;
  std::vector<uint32_t> active_;
  bool hold_ = false;
  std::vector<CommandBus::ReplyFn> held_;
  v1::TaskResult last_;
  std::unique_ptr<CommandBus::Service> service_;
};

class LoopFixture : public ::testing::Test {
 protected:
  static constexpr char kDefinition[] = R"(
document: {dsl: '1.0.3', namespace: test, name: loop, version: '1.0.0'}
do:
  - echo: {run: {shell: {command: 'printf %s "$1"', arguments: ['${ .text }']}}}
  - fetch: {call: http, with: {method: post, endpoint: '${ .url }'}}
  - inline: {set: {a: 1}}
)";

  LoopFixture() {
    const dsl::LoadResult loaded = dsl::Load(kDefinition);
    EXPECT_NE(loaded.workflow, nullptr);
    workflow_ = loaded.workflow;
    EXPECT_TRUE(definitions_.Put(workflow_).ok());
    options_.worker_id = "w1";
    options_.acknowledge_wait = absl::Seconds(kAckSeconds);
    options_.pools = {{"default", 4}};
    options_.processes.term_grace = absl::Milliseconds(50);
  }
  ~LoopFixture() override { worker_.reset(); }

  void StartWorker() {
    auto worker =
        Worker::Create(options_, {&clock_, &traced_, &bus_, cancels_.get(), &definitions_});
    ASSERT_TRUE(worker.ok()) << worker.status();
    worker_ = *std::move(worker);
    worker_->Start();
  }

  v1::TaskRequest Request(const std::string& task, const std::string& input, uint32_t frame,
                          uint32_t attempt = 1) {
    v1::TaskRequest request;
    request.set_instance_id("i");
    request.set_frame(frame);
    request.set_attempt(attempt);
    request.set_definition("test/loop:1.0.0");
    request.set_engine_id("e1");
    request.set_input(input);
    request.set_task_index(0xffffffff);
    for (const dsl::Task* known : workflow_->by_index) {
      if (known->name == task) request.set_task_index(known->index);
    }
    return request;
  }
  v1::TaskRequest Echo(uint32_t frame, uint32_t attempt = 1) {
    return Request("echo", "{\"text\":\"hi\"}", frame, attempt);
  }
  v1::TaskRequest Fetch(const std::string& url, uint32_t frame, uint32_t attempt = 1) {
    return Request("fetch", Cat("{\"url\":\"", url, "\"}"), frame, attempt);
  }

  void Publish(const std::vector<v1::TaskRequest>& tasks, const std::string& pool = "default") {
    v1::TaskMessage message;
    for (const auto& task : tasks) *message.add_tasks() = task;
    PublishBytes(message.SerializeAsString(), pool);
  }
  void PublishBytes(std::string bytes, const std::string& pool = "default") {
    queue_.Publish(pool, Cat("m", ++published_), std::move(bytes),
                   [](absl::Status status) { EXPECT_TRUE(status.ok()) << status; });
  }
  // As somebody else that never answers: the message is delivered once, then due again.
  void DeliverInVain() {
    queue_.Pull("default", 1, absl::ZeroDuration(),
                [](auto deliveries) { EXPECT_EQ(deliveries.size(), 1u); });
    clock_.Advance(absl::Seconds(kAckSeconds));
    queue_.ExpireOverdue();
  }
  void Pass(absl::Duration time) {
    clock_.Advance(time);
    worker_->Tick();
    queue_.ExpireOverdue();
    bus_.ExpireOverdue();
  }
  void PassUntil(const std::string& line) {
    while (trace_.Count(line) == 0) {
      Pass(absl::Milliseconds(100));
      std::this_thread::yield();
    }
  }

  // Far longer than the steps in which time passes, which goes on while threads work.
  static constexpr int kAckSeconds = 30;

  Trace trace_;
  MovableClock clock_;
  std::shared_ptr<const dsl::Workflow> workflow_;
  MemoryTaskQueue queue_{&clock_, {.ack_wait = absl::Seconds(kAckSeconds)}};
  TracedQueue traced_{&queue_, &trace_};
  MemoryCommandBus bus_{&clock_};
  std::unique_ptr<TaskCancels> cancels_ = MakeMemoryTaskCancels();
  UnsteadyDefinitions definitions_{&trace_};
  FakeEngine engine_{"e1", &bus_, &trace_};
  WorkerOptions options_;
  std::unique_ptr<Worker> worker_;
  int published_ = 0;
};

}  // namespace jaque
