// SPDX-License-Identifier: Apache-2.0
// The notifier over a log in memory, turned by hand: where it begins, and that it goes on.
#include "notifier/notifier.h"

#include <fstream>
#include <optional>

#include "base/simulated_clock.h"
#include "base/text.h"
#include "coordination/memory_kv_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "jaque/v1/event.pb.h"
#include "log/memory_definition_store.h"
#include "log/memory_event_log.h"
#include "tests/support/temp_folder.h"

namespace jaque::notifier {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kRules[] =
    "targets: {bus: {nats: {subject: x}, perSecond: 1000}}\n"
    "rules: {all: {events: [workflow.started, workflow.completed], to: [bus]}}\n";

class Remembering final : public Sender {
 public:
  void Send(const Target&, const Delivery& delivery, Done done) override {
    sent.push_back(Cat(delivery.instance, " ", delivery.type));
    done({Outcome::Kind::kSent, "", {}});
  }
  std::vector<std::string> sent;
};

class NotifierTest : public ::testing::Test {
 protected:
  NotifierTest() {
    std::ofstream(folder_.path() + "/rules.yaml") << kRules;
    Restart();
  }

  void Restart() {
    notifier_.reset();
    NotifierOptions options;
    options.rules_file = folder_.path() + "/rules.yaml";
    options.stepped = true;
    NotifierParts parts;
    parts.clock = &clock_;
    parts.log = &log_;
    parts.definitions = &definitions_;
    parts.bucket = &bucket_;
    parts.dead = &dead_;
    parts.sender = &sender_;
    notifier_ = *Notifier::Create(options, parts);
    notifier_->Own({0});
    Run();
  }
  // Turns until there is nothing to do.
  void Run() {
    for (int i = 0; i < 6; ++i) {
      clock_.Advance(absl::Seconds(1));
      notifier_->Tick();
      while (notifier_->Step()) continue;
    }
  }
  // An instance that starts and completes, each in a batch of its own.
  void Instance(const std::string& id) {
    v1::Event started, completed;
    started.mutable_instance_started()->set_definition("test/steps:1.0.0");
    completed.mutable_instance_completed();
    Append(id, started);
    Append(id, completed);
  }
  void Append(const std::string& id, const v1::Event& event) {
    v1::LogBatch batch;
    batch.set_epoch(1);
    batch.set_after(last_);
    batch.add_decisions()->set_object_id(id);
    *batch.mutable_decisions(0)->add_events() = event;
    log_.Append(0, last_, Cat("b", last_), batch.SerializeAsString(),
                [this](const AppendResult& result) { last_ = result.sequence; });
  }
  std::vector<std::string> Sent() { return std::exchange(sender_.sent, {}); }

  testing::TempFolder folder_;
  SimulatedClock clock_;
  MemoryEventLog log_{&clock_};
  MemoryDefinitionStore definitions_;
  MemoryKvStore bucket_{&clock_};
  KvDeadNotifications dead_{&clock_, &bucket_};
  Remembering sender_;
  Sequence last_ = 0;
  std::unique_ptr<Notifier> notifier_;
};

TEST_F(NotifierTest, TellsWhatHappensFromThenOnAndNothingTwice) {
  EXPECT_TRUE(notifier_->Ready().ok()) << notifier_->Ready();
  Instance("a");
  Run();
  EXPECT_THAT(Sent(), ElementsAre("a workflow.started", "a workflow.completed"));
  Restart();
  EXPECT_THAT(Sent(), IsEmpty());
  Instance("b");
  Run();
  EXPECT_THAT(Sent(), ElementsAre("b workflow.started", "b workflow.completed"));
}

TEST_F(NotifierTest, TheFirstOfAllTellsNothingOfThePast) {
  notifier_.reset();
  const std::vector<KvEntry> entries = *bucket_.List();
  for (const KvEntry& entry : entries) bucket_.Delete(entry.key).IgnoreError();
  Instance("old");
  Restart();
  EXPECT_TRUE(notifier_->Ready().ok()) << notifier_->Ready();
  Instance("new");
  Run();
  EXPECT_THAT(Sent(), ElementsAre("new workflow.started", "new workflow.completed"));
}

TEST_F(NotifierTest, OnALogThatWasTrimmedItGoesOnWithWhatThereIs) {
  Instance("a");
  Run();
  Sent();
  notifier_.reset();
  Instance("lost");
  const Sequence trimmed = last_;
  Instance("b");
  ASSERT_TRUE(log_.Trim(0, trimmed).ok());
  ::testing::internal::CaptureStderr();
  Restart();
  Instance("c");
  Run();
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(Sent(), ElementsAre("b workflow.started", "b workflow.completed",
                                  "c workflow.started", "c workflow.completed"));
  EXPECT_TRUE(notifier_->Ready().ok()) << notifier_->Ready();
  const size_t first = said.find("the log was trimmed");
  ASSERT_NE(first, std::string::npos) << said;
  EXPECT_THAT(said.substr(first + 1), Not(HasSubstr("the log was trimmed")));
  // Nothing holds its place back.
  Restart();
  EXPECT_THAT(Sent(), IsEmpty());
}

TEST_F(NotifierTest, AShardThatGoesAndComesIsToldOnce) {
  notifier_->Own({});
  Run();
  Instance("a");
  Run();
  EXPECT_THAT(Sent(), IsEmpty());
  notifier_->Own({0});
  Run();
  EXPECT_THAT(Sent(), ElementsAre("a workflow.started", "a workflow.completed"));
}

TEST_F(NotifierTest, ADeadLetterThatIsSentAgainArrives) {
  Delivery delivery;
  delivery.id = "x";
  delivery.instance = "i";
  delivery.type = "workflow.faulted";
  delivery.target = "bus";
  ASSERT_TRUE(dead_.Keep(delivery).ok());
  ASSERT_TRUE(dead_.RedriveDead(dead_.ListDead("", 1)->front().id).ok());
  Run();
  EXPECT_THAT(Sent(), ElementsAre("i workflow.faulted"));
  EXPECT_THAT(*dead_.ListDead("", 1), IsEmpty());
}

}  // namespace
}  // namespace jaque::notifier
