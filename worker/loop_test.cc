// SPDX-License-Identifier: Apache-2.0
#include "worker/loop.h"

#include <functional>
#include <thread>

#include "tests/support/http_server.h"
#include "worker/loop_fixture.h"

namespace jaque {
namespace {

using ::jaque::testing::TestHttpServer;
using ::jaque::testing::TestRequest;
using ::jaque::testing::TestResponse;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using Code = v1::CommandReply;

TestResponse Ok() {
  TestResponse response;
  response.body = "1";
  response.content_type = "application/json";
  return response;
}

// Requests stand until the test opens the door or their client goes; "hit" and "aborted" are in the
// trace.
class LoopTest : public LoopFixture {
 protected:
  ~LoopTest() override {
    Open();
    worker_.reset();
  }
  void Open() {
    absl::MutexLock lock(&mutex_);
    open_ = true;
  }
  TestResponse Stand() {
    absl::MutexLock lock(&mutex_);
    highest_ = std::max(highest_, ++standing_);
    trace_.Add("hit");
    mutex_.Await(absl::Condition(&open_));
    --standing_;
    return Ok();
  }
  int highest() {
    absl::MutexLock lock(&mutex_);
    return highest_;
  }
  TestResponse StandUntilClosed(const TestRequest& request) {
    trace_.Add("hit");
    request.wait_closed();
    trace_.Add("aborted");
    return Ok();
  }

  absl::Mutex mutex_;
  bool open_ = false;
  int standing_ = 0, highest_ = 0;
  TestHttpServer slow_{[this](const TestRequest&) { return Stand(); }};
  TestHttpServer endless_{[this](const TestRequest& request) { return StandUntilClosed(request); }};
  TestHttpServer quick_{[](const TestRequest&) { return Ok(); }};
};

TEST_F(LoopTest, TheResultThenTheAcknowledgement) {
  StartWorker();
  Publish({Echo(1)});
  trace_.Await("ack i/1/1");
  EXPECT_THAT(trace_.Lines(), ElementsAre("e1 result i/1/1 \"hi\"", "ack i/1/1"));
  EXPECT_EQ(engine_.LastResult().worker_id(), "w1");
  EXPECT_EQ(queue_.size(), 0u);
}

TEST_F(LoopTest, AnErrorSaysWhichTask) {
  StartWorker();
  Publish({Fetch("nonsense", 1)});
  trace_.Await("ack i/1/1");
  EXPECT_THAT(trace_.Lines(), ElementsAre("e1 result i/1/1 validation 400", "ack i/1/1"));
  EXPECT_EQ(engine_.LastResult().error().instance(), "/do/1/fetch");
}

TEST_F(LoopTest, TasksThatCannotBeRun) {
  StartWorker();
  v1::TaskRequest unknown = Echo(1), inlined = Request("inline", "{}", 2), none = Echo(3),
                  broken = Echo(4);
  unknown.set_definition("test/other:1.0.0");
  none.set_task_index(77);
  broken.set_input("{bad");
  Publish({unknown, inlined, none, broken});
  trace_.Await("ack i/1/1");
  for (const char* key : {"i/1/1", "i/2/1", "i/3/1", "i/4/1"}) {
    EXPECT_EQ(trace_.Count(Cat("e1 result ", key, " runtime 500")), 1) << key;
  }
}

TEST_F(LoopTest, AMessageThatCannotBeReadIsDropped) {
  StartWorker();
  PublishBytes("\xff\xff nonsense");
  Publish({Echo(1)});
  trace_.Await("ack i/1/1");
  EXPECT_EQ(trace_.Count("ack ?"), 1);
  EXPECT_EQ(queue_.size(), 0u);
}

TEST_F(LoopTest, AnOutputOverTheLimitIsAnError) {
  TestHttpServer large([](const TestRequest&) {
    TestResponse response;
    response.content_type = "text/plain";
    response.body = std::string(limits::kValueBytes, 'x');
    return response;
  });
  StartWorker();
  Publish({Fetch(large.Url("/"), 1)});
  trace_.Await("ack i/1/1");
  EXPECT_EQ(trace_.Count("e1 result i/1/1 runtime 500"), 1);
  EXPECT_THAT(engine_.LastResult().error().detail(), HasSubstr(Cat(limits::kValueBytes)));
}

TEST_F(LoopTest, AMessageOfManyTasksIsAcknowledgedAfterTheLast) {
  StartWorker();
  engine_.HoldNext();
  Publish({Echo(1)});
  trace_.Await("e1 result i/1/1 \"hi\"");
  std::vector<v1::TaskRequest> tasks;
  for (uint32_t frame = 2; frame < 12; ++frame) tasks.push_back(Echo(frame));
  tasks.push_back(Fetch(slow_.Url("/"), 12));
  Publish(tasks);
  for (uint32_t frame = 2; frame < 12; ++frame) {
    trace_.Await(Cat("e1 result i/", frame, "/1 \"hi\""));
  }
  trace_.Await("hit");
  EXPECT_EQ(trace_.Count("ack i/2/1"), 0);
  Open();
  trace_.Await("ack i/2/1");
  EXPECT_EQ(trace_.Count("e1 result i/12/1 1"), 1);
  EXPECT_EQ(trace_.Count("ack i/1/1"), 0);
  engine_.ReleaseReplies();
  trace_.Await("ack i/1/1");
}

TEST_F(LoopTest, AnEngineThatIsGoneIsReplacedByTheIngress) {
  FakeEngine other("e2", &bus_, &trace_);
  engine_.Leave();
  StartWorker();
  Publish({Echo(1)});
  trace_.Await("ack i/1/1");
  EXPECT_THAT(trace_.Lines(), ElementsAre("e2 result i/1/1 \"hi\"", "ack i/1/1"));
}

TEST_F(LoopTest, WithoutAnyEngineTheResultWaits) {
  engine_.Leave();
  StartWorker();
  Publish({Fetch(quick_.Url("/"), 1)});
  while (quick_.requests() == 0) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) Pass(absl::Seconds(10));
  EXPECT_EQ(trace_.Count("ack i/1/1"), 0);
  FakeEngine back("e1", &bus_, &trace_);
  for (int i = 0; i < 4; ++i) Pass(absl::Seconds(10));
  trace_.Await("ack i/1/1");
  EXPECT_EQ(quick_.requests(), 1);
}

TEST_F(LoopTest, AResultIsSentAgainUntilItIsTaken) {
  engine_.AnswerNext({Code::CODE_OVERLOADED, Code::CODE_UNAVAILABLE});
  StartWorker();
  Publish({Fetch(quick_.Url("/"), 1)});
  PassUntil("ack i/1/1");
  EXPECT_EQ(trace_.Count("e1 result i/1/1 1"), 3);
  EXPECT_EQ(quick_.requests(), 1);
}

TEST_F(LoopTest, AnOutcomeThatIsUnknownIsNoAcknowledgement) {
  engine_.HoldNext();
  StartWorker();
  Publish({Fetch(quick_.Url("/"), 1)});
  trace_.Await("e1 result i/1/1 1");
  Pass(absl::Milliseconds(2999));
  EXPECT_EQ(trace_.Count("ack i/1/1"), 0);
  Pass(absl::Milliseconds(1));  // the reply's deadline: now by way of the ingress
  trace_.Await("ack i/1/1");
  EXPECT_EQ(trace_.Count("e1 result i/1/1 1"), 2);
  engine_.ReleaseReplies();  // too late, to nobody
  EXPECT_EQ(trace_.Count("ack i/1/1"), 1);
  EXPECT_EQ(quick_.requests(), 1);
}

TEST_F(LoopTest, ALateResultIsDroppedByItsEngineAndAcknowledged) {
  engine_.AnswerNext({Code::CODE_NOT_FOUND, Code::CODE_INVALID});
  StartWorker();
  Publish({Echo(1)});
  trace_.Await("ack i/1/1");
  Publish({Echo(2)});
  trace_.Await("ack i/2/1");
  EXPECT_EQ(queue_.size(), 0u);
}

TEST_F(LoopTest, ATaskDeliveredAgainIsNotDoneTwice) {
  Publish({Fetch(quick_.Url("/"), 1)});
  DeliverInVain();
  engine_.SetActive({2});
  StartWorker();
  trace_.Await("ack i/1/1");
  EXPECT_THAT(trace_.Lines(), ElementsAre("e1 asked i", "ack i/1/1"));
  EXPECT_EQ(quick_.requests(), 0);
}

TEST_F(LoopTest, ATaskDeliveredAgainAndStillOpenIsDone) {
  Publish({Fetch(quick_.Url("/"), 1)});
  DeliverInVain();
  engine_.SetActive({2, 1});
  StartWorker();
  trace_.Await("ack i/1/1");
  EXPECT_THAT(trace_.Lines(), ElementsAre("e1 asked i", "e1 result i/1/1 1", "ack i/1/1"));
}

// O-WK-03
TEST_F(LoopTest, ATaskThatKillsItsWorkersIsAnError) {
  Publish({Fetch(quick_.Url("/"), 1)});
  for (int i = 0; i < limits::kTaskDeliveries; ++i) DeliverInVain();
  engine_.SetActive({1});
  StartWorker();
  Publish({Echo(2)});
  trace_.Await("e1 result i/1/1 runtime 500");
  trace_.Await("ack i/1/1");
  trace_.Await("ack i/2/1");
  EXPECT_EQ(quick_.requests(), 0);
}

// O-WK-01
TEST_F(LoopTest, ALongTaskKeepsItsMessage) {
  StartWorker();
  Publish({Fetch(slow_.Url("/"), 1)});
  trace_.Await("hit");
  for (int i = 0; i < 30; ++i) Pass(absl::Seconds(kAckSeconds) / 4);
  EXPECT_GE(trace_.Count("progress i/1/1"), 14);
  Open();
  trace_.Await("ack i/1/1");
  EXPECT_EQ(slow_.requests(), 1);
  EXPECT_EQ(trace_.Count("e1 asked i"), 0);
}

TEST_F(LoopTest, ATaskThatComesAgainWhileItIsDoneIsDoneOnce) {
  StartWorker();
  Publish({Fetch(slow_.Url("/"), 1)});
  trace_.Await("hit");
  // As if the worker had stood still: the message came again to it.
  clock_.Advance(absl::Seconds(kAckSeconds) * 2);
  queue_.ExpireOverdue();
  Publish({Echo(2)});
  trace_.Await("ack i/2/1");
  Open();
  trace_.Await("ack i/1/1", 2);
  EXPECT_EQ(trace_.Count("e1 result i/1/1 1"), 1);
  EXPECT_EQ(slow_.requests(), 1);
  EXPECT_EQ(queue_.size(), 0u);
}

// O-RUN-03: the request is aborted, the attempt answers once and never with a late answer.
TEST_F(LoopTest, ATimeoutAbortsTheRequestBeforeTheNextAttempt) {
  StartWorker();
  v1::TaskRequest first = Fetch(endless_.Url("/"), 1, 1);
  first.set_deadline_micros(absl::ToUnixMicros(clock_.Now() + absl::Milliseconds(100)));
  Publish({first});
  trace_.Await("ack i/1/1");
  trace_.Await("aborted");
  Publish({Fetch(quick_.Url("/"), 1, 2)});
  trace_.Await("ack i/1/2");
  EXPECT_EQ(trace_.Count("e1 result i/1/1 timeout 408"), 1);
  EXPECT_EQ(trace_.Count("e1 result i/1/2 1"), 1);
  EXPECT_EQ(trace_.Count("hit") + quick_.requests(), 2);
}

TEST_F(LoopTest, CancellingAbortsTheRequestAndAnswersNothing) {
  StartWorker();
  Publish({Fetch(endless_.Url("/"), 1)});
  trace_.Await("hit");
  cancels_->Publish({"i", 1, 2});  // another attempt
  cancels_->Publish({"i", 1, 1});
  trace_.Await("aborted");
  trace_.Await("ack i/1/1");
  EXPECT_EQ(trace_.Count("e1 result i/1/1 runtime 500"), 0);
  EXPECT_EQ(queue_.size(), 0u);
}

TEST_F(LoopTest, CancellingWhatWaitsOrHasNotArrived) {
  options_.pools = {{"default", 1}};
  cancels_->Publish({"i", 9, 1});  // nobody hears it
  StartWorker();
  Publish({Fetch(slow_.Url("/"), 1), Fetch(quick_.Url("/"), 2)});
  trace_.Await("hit");
  cancels_->Publish({"i", 2, 1});
  cancels_->Publish({"i", 3, 1});
  Open();
  trace_.Await("ack i/1/1");
  Publish({Fetch(quick_.Url("/"), 3)});
  trace_.Await("ack i/3/1");
  EXPECT_EQ(quick_.requests(), 0);
  EXPECT_EQ(trace_.Count("e1 result i/1/1 1"), 1);
}

TEST_F(LoopTest, NoMoreAtOnceThanThePoolAllows) {
  options_.pools = {{"default", 2}, {"other", 1}};
  StartWorker();
  std::vector<v1::TaskRequest> many;
  for (uint32_t frame = 1; frame <= 4; ++frame) many.push_back(Fetch(slow_.Url("/"), frame));
  Publish(many);
  for (uint32_t frame = 5; frame <= 8; ++frame) Publish({Fetch(slow_.Url("/"), frame)});
  trace_.Await("hit", 2);
  Publish({Fetch(slow_.Url("/"), 20)}, "other");
  trace_.Await("hit", 3);
  Publish({Echo(30)});  // waits its turn
  Open();
  trace_.Await("ack i/30/1");
  trace_.Await("ack i/20/1");
  EXPECT_EQ(highest(), 3);
  EXPECT_EQ(slow_.requests(), 9);
}

TEST_F(LoopTest, ADefinitionOutOfReachCostsNoDelivery) {
  definitions_.Refuse(5);
  StartWorker();
  Publish({Echo(1)});
  PassUntil("ack i/1/1");
  EXPECT_EQ(trace_.Count("definitions out of reach"), 5);
  EXPECT_EQ(trace_.Count("nak i/1/1"), 0);
  EXPECT_EQ(trace_.Count("e1 result i/1/1 \"hi\""), 1);
}

TEST_F(LoopTest, ADefinitionOutOfReachDoesNotHoldUpTheStop) {
  definitions_.Refuse(1'000'000);
  options_.stop_grace = absl::ZeroDuration();
  StartWorker();
  Publish({Echo(1)});
  trace_.Await("definitions out of reach");
  worker_->Stop();
  EXPECT_EQ(trace_.Count("nak i/1/1"), 1);
}

TEST_F(LoopTest, StoppingLetsWorkEnd) {
  StartWorker();
  Publish({Fetch(slow_.Url("/"), 1)});
  trace_.Await("hit");
  std::thread stopping([this] {
    trace_.Add("stopping");
    worker_->Stop();
    trace_.Add("stopped");
  });
  trace_.Await("stopping");
  EXPECT_EQ(trace_.Count("stopped"), 0);
  Open();
  stopping.join();
  EXPECT_THAT(trace_.Lines(),
              ElementsAre("hit", "stopping", "e1 result i/1/1 1", "ack i/1/1", "stopped"));
}

TEST_F(LoopTest, StoppingHandsBackWhatWaitsForASlot) {
  options_.pools = {{"default", 1}};
  options_.stop_grace = absl::ZeroDuration();
  StartWorker();
  Publish({Fetch(endless_.Url("/"), 1), Echo(2)});
  trace_.Await("hit");
  worker_->Stop();
  trace_.Await("aborted");
  EXPECT_THAT(trace_.Lines(), UnorderedElementsAre("hit", "aborted", "nak i/1/1"));
  // Another worker gets it after a moment, and not after the acknowledgement wait.
  clock_.Advance(absl::Seconds(2));
  queue_.ExpireOverdue();
  int delivered = 0;
  queue_.Pull("default", 1, absl::ZeroDuration(),
              [&](auto deliveries) { delivered = static_cast<int>(deliveries.size()); });
  EXPECT_EQ(delivered, 1);
}

TEST_F(LoopTest, AStoppedWorkerKeepsNothingThatComesLater) {
  StartWorker();
  worker_->Stop();
  Publish({Echo(1)});  // to the pull that was open
  trace_.Await("nak i/1/1");
  int delivered = 0;
  queue_.Pull("default", 1, absl::ZeroDuration(),
              [&](auto deliveries) { delivered = static_cast<int>(deliveries.size()); });
  EXPECT_EQ(delivered, 1);
}

TEST_F(LoopTest, StoppingGivesUpResultsThatNobodyTakes) {
  engine_.Leave();
  options_.stop_grace = absl::ZeroDuration();
  StartWorker();
  Publish({Fetch(quick_.Url("/"), 1)});
  while (quick_.requests() == 0) std::this_thread::yield();
  std::thread stopping([this] { worker_->Stop(); });
  while (trace_.Count("nak i/1/1") == 0) {
    bus_.ExpireOverdue();
    clock_.Advance(absl::Seconds(1));
    std::this_thread::yield();
  }
  stopping.join();
  EXPECT_EQ(trace_.Count("ack i/1/1"), 0);
}

TEST_F(LoopTest, OptionsThatCannotWork) {
  const auto code = [&](const WorkerOptions& options) {
    return Worker::Create(options, {&clock_, &traced_, &bus_, nullptr, &definitions_})
        .status()
        .code();
  };
  EXPECT_EQ(code(options_), absl::StatusCode::kOk);
  for (const auto& change : std::vector<std::function<void(WorkerOptions*)>>{
           [](auto* o) { o->threads = 0; }, [](auto* o) { o->pools.clear(); },
           [](auto* o) {
             o->pools = {{"", 1}};
           },
           [](auto* o) {
             o->pools = {{"p", 0}};
           },
           [](auto* o) { o->http.resolve = {"nonsense"}; },
           [](auto* o) { o->secrets.folder = "/nonexistent"; }}) {
    WorkerOptions options = options_;
    change(&options);
    EXPECT_EQ(code(options), absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace jaque
