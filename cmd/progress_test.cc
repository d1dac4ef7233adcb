// SPDX-License-Identifier: Apache-2.0
// Facts out of batches of the log, and how they are shown.
#include "cmd/progress.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cmd/facts.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "jaque/v1/event.pb.h"
#include "log/memory_definition_store.h"

namespace jaque::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kStart = 1'800'000'000'000'000;

// A definition with a loop around one task, a listen and a try.
std::shared_ptr<dsl::Workflow> Definition() {
  auto workflow = std::make_shared<dsl::Workflow>();
  workflow->namespace_ = "t";
  workflow->name = "w";
  workflow->version = "1.0.0";
  const auto make = [&workflow](const char* pointer, const char* name) {
    auto task = std::make_unique<dsl::Task>();
    task->name = name;
    task->pointer = pointer;
    task->index = static_cast<uint32_t>(workflow->by_index.size());
    workflow->by_index.push_back(task.get());
    return task;
  };
  auto loop = make("/do/0/loop", "loop");
  auto step = make("/do/0/loop/do/0/step", "step");
  dsl::ForTask spec;
  spec.tasks.push_back(std::move(step));
  loop->spec = std::move(spec);
  auto approve = make("/do/1/approve", "approve");
  approve->spec = dsl::ListenTask();
  auto attempt = make("/do/2/attempt", "attempt");
  attempt->spec = dsl::TryTask();
  workflow->tasks.push_back(std::move(loop));
  workflow->tasks.push_back(std::move(approve));
  workflow->tasks.push_back(std::move(attempt));
  return workflow;
}

class ProgressTest : public ::testing::Test {
 protected:
  ProgressTest() : reader_(&definitions_) { EXPECT_TRUE(definitions_.Put(Definition()).ok()); }

  // A new event, `millis` after the start.
  v1::Event* Add(int64_t millis, const char* instance = "i1") {
    v1::Decision* decision = batch_.add_decisions();
    decision->set_object_id(instance);
    decision->set_at_micros(kStart + millis * 1000);
    return decision->add_events();
  }
  std::vector<Fact> Read() {
    const std::string bytes = batch_.SerializeAsString();
    batch_.Clear();
    return reader_.Read(bytes);
  }
  void StartInstance() { Add(0)->mutable_instance_started()->set_definition("t/w:1.0.0"); }
  void StartTask(int64_t millis, uint32_t frame, uint32_t task) {
    v1::TaskStarted* started = Add(millis)->mutable_task_started();
    started->set_frame(frame);
    started->set_task(task);
  }
  void CompleteTask(int64_t millis, uint32_t frame, uint32_t task) {
    v1::TaskCompleted* completed = Add(millis)->mutable_task_completed();
    completed->set_frame(frame);
    completed->set_task(task);
  }

  MemoryDefinitionStore definitions_;
  FactReader reader_;
  v1::LogBatch batch_;
};

TEST_F(ProgressTest, PlainLinesNameTimeFactAndTask) {
  StartInstance();
  StartTask(1, 1, 0);
  v1::IterationStarted* iteration = Add(2)->mutable_iteration_started();
  iteration->set_frame(1);
  iteration->set_iteration(1);
  CompleteTask(3, 0, 1);
  CompleteTask(1501, 1, 0);
  StartTask(1502, 2, 2);
  Add(1600)->mutable_instance_completed();
  std::vector<std::string> lines;
  for (const Fact& fact : Read()) {
    lines.push_back(PlainLine(fact, "i1", absl::UTCTimeZone()));
  }
  EXPECT_THAT(lines,
              ElementsAre("08:00:00.000 started i1 t/w:1.0.0", "08:00:00.001 started /do/0/loop",
                          "08:00:00.002 next /do/0/loop item 1",
                          "08:00:00.003 completed /do/0/loop/do/0/step",
                          "08:00:01.501 completed /do/0/loop (1.5s)",
                          "08:00:01.502 waiting /do/1/approve for events",
                          "08:00:01.600 completed i1 (1.6s)"));
}

TEST_F(ProgressTest, FailuresRetriesAndCatchesAreTold) {
  StartInstance();
  StartTask(1, 1, 3);
  v1::Event* event = Add(2);
  event->mutable_error_raised()->set_frame(1);
  event->mutable_error_raised()->set_task(3);
  event->mutable_error_raised()->set_has_task(true);
  event->mutable_error_raised()->mutable_error()->set_status(503);
  event->mutable_error_raised()->mutable_error()->set_title("Down");
  event->mutable_error_raised()->mutable_error()->set_detail("\x1b[2Jno\nanswer");
  v1::RetryScheduled* retry = Add(3)->mutable_retry_scheduled();
  retry->set_frame(1);
  retry->set_attempt(2);
  retry->set_due_micros(kStart + 2'003'000);
  Add(4)->mutable_catch_started()->set_frame(1);
  std::vector<std::string> lines;
  for (const Fact& fact : Read()) {
    lines.push_back(PlainLine(fact, "i1", absl::UTCTimeZone()).substr(13));
  }
  // What a server sent cannot move the cursor or begin a line.
  EXPECT_THAT(lines, ElementsAre("started i1 t/w:1.0.0", "started /do/2/attempt",
                                 "failed /do/2/attempt 503 Down: \\x1b[2Jno answer (1ms)",
                                 "retry /do/2/attempt attempt 2 in 2s", "caught /do/2/attempt"));
}

TEST_F(ProgressTest, TheTreeIsRedrawnInPlace) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  const auto tree = MakeTreeProgress(out, "i1", {.colors = false, .columns = 40, .rows = 10});
  StartInstance();
  StartTask(0, 1, 0);
  CompleteTask(1, 0, 1);
  CompleteTask(2, 0, 1);
  for (const Fact& fact : Read()) tree->Show(fact);
  tree->Tick(absl::FromUnixMicros(kStart + 2'500'000));
  CompleteTask(3000, 1, 0);
  Add(3001)->mutable_instance_completed();
  for (const Fact& fact : Read()) tree->Show(fact);
  tree->Finish(absl::FromUnixMicros(kStart + 4'000'000));
  std::fclose(out);
  const std::string shown(text, size);
  std::free(text);
  EXPECT_EQ(shown,
            "\x1b[2K● loop  2.5s\n\x1b[2K  ✓ step  ×2\n\x1b[J"
            "\x1b[2A\x1b[2K✓ loop  3s\n\x1b[2K  ✓ step  ×2\n\x1b[J");
}

// What an instance leaves running when it ends is over; what others run is not.
TEST_F(ProgressTest, TheTreeSaysWhatRemains) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  const auto tree = MakeTreeProgress(out, "i1", {.colors = false, .columns = 60, .rows = 10});
  StartInstance();
  StartTask(0, 1, 2);
  Add(1, "i1-1")->mutable_instance_started()->set_definition("t/w:1.0.0");
  v1::TaskStarted* started = Add(1, "i1-1")->mutable_task_started();
  started->set_frame(1);
  started->set_task(0);
  Add(2)->mutable_instance_completed();
  for (const Fact& fact : Read()) tree->Show(fact);
  tree->Remain(1);
  tree->Tick(absl::FromUnixMicros(kStart + 1'001'000));
  std::fclose(out);
  EXPECT_EQ(std::string(text, size),
            "\x1b[2K✓ approve  2ms  for events\n\x1b[2K  ● loop (t/w:1.0.0)  1s\n"
            "\x1b[2Kthe workflow has ended; 1 that it started still runs (Ctrl-…\n\x1b[J");
  std::free(text);
}

TEST_F(ProgressTest, TheTreeKeepsWithinTheTerminal) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  const auto tree = MakeTreeProgress(out, "i1", {.colors = false, .columns = 14, .rows = 3});
  StartInstance();
  StartTask(0, 1, 0);
  StartTask(0, 2, 2);
  StartTask(0, 3, 3);
  for (const Fact& fact : Read()) tree->Show(fact);
  tree->Tick(absl::FromUnixMicros(kStart));
  std::fclose(out);
  const std::string shown(text, size);
  std::free(text);
  EXPECT_THAT(shown, Not(HasSubstr("loop")));
  EXPECT_THAT(shown, HasSubstr("◌ approve  f…\n"));
}

}  // namespace
}  // namespace jaque::cmd
