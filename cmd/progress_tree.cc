// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cmd/progress.h"
#include "cmd/task_screen.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

// Tasks nest in their pointers: /do/0/outer/do/1/inner has one named task above it.
int Depth(const dsl::Workflow* workflow, const dsl::Task& task) {
  int depth = 0;
  const std::string& pointer = task.pointer;
  for (size_t slash = pointer.rfind('/');
       workflow != nullptr && slash != 0 && slash != std::string::npos;
       slash = pointer.rfind('/', slash - 1)) {
    if (workflow->FindByPointer(pointer.substr(0, slash)) != nullptr) ++depth;
  }
  return depth;
}

class TreeProgress final : public Progress {
 public:
  TreeProgress(std::FILE* out, std::string instance, const TerminalOptions& options)
      : instance_(std::move(instance)), screen_(out, options) {}

  void Show(const Fact& fact) override;
  void Tick(absl::Time now) override {
    screen_.Draw(Lines(), now, remain_ > 0 ? RemainText(remain_) : "");
  }
  void Remain(size_t instances) override { remain_ = instances; }
  // The whole tree stays on the screen.
  void Finish(absl::Time now) override { screen_.DrawAll(Lines(), now); }

 private:
  TaskLine& RowOf(const Fact& fact);
  void End(const Fact& fact, TaskState state, TaskLine* row);
  void ShowInstance(const Fact& fact);
  std::vector<const TaskLine*> Lines() const;

  const std::string instance_;
  TaskScreen screen_;
  std::vector<std::unique_ptr<TaskLine>> rows_;
  std::map<std::pair<std::string, const dsl::Task*>, TaskLine*> by_task_;
  size_t remain_ = 0;
};

TaskLine& TreeProgress::RowOf(const Fact& fact) {
  TaskLine*& row = by_task_[{fact.instance, fact.task}];
  if (row == nullptr) {
    rows_.push_back(std::make_unique<TaskLine>());
    row = rows_.back().get();
    row->since = fact.at;
    const bool child = fact.instance != instance_;
    row->depth = Depth(fact.workflow.get(), *fact.task) + (child ? 1 : 0);
    row->name = Printable(fact.task->name);
    if (child) row->name += fmt::format(" ({})", fact.definition);
  }
  return *row;
}

void TreeProgress::End(const Fact& fact, TaskState state, TaskLine* row) {
  row->state = state;
  row->took = fact.took;
  row->note = Printable(fact.detail);
  ++row->runs;
}

void TreeProgress::ShowInstance(const Fact& fact) {
  if (fact.kind == Fact::Kind::kInstanceStarted) return;
  // Nothing of it runs any more; an error that nobody caught stopped it, or a cancel.
  for (auto at = by_task_.lower_bound({fact.instance, nullptr});
       at != by_task_.end() && at->first.first == fact.instance; ++at) {
    TaskLine* row = at->second;
    if (row->state != TaskState::kRunning && row->state != TaskState::kWaiting) continue;
    row->state =
        fact.kind == Fact::Kind::kInstanceCompleted ? TaskState::kDone : TaskState::kFailed;
    row->took = fact.at - row->since;
  }
}

void TreeProgress::Show(const Fact& fact) {
  if (fact.task == nullptr) return ShowInstance(fact);
  TaskLine& row = RowOf(fact);
  switch (fact.kind) {
    case Fact::Kind::kStarted:
    case Fact::Kind::kWaiting:
      row.state = fact.kind == Fact::Kind::kStarted ? TaskState::kRunning : TaskState::kWaiting;
      row.since = fact.at;
      row.note = Printable(fact.detail);
      break;
    case Fact::Kind::kRetry:
      row.state = TaskState::kWaiting;
      row.note = Printable(fact.detail);
      break;
    case Fact::Kind::kIteration:
    case Fact::Kind::kAttempt:
    case Fact::Kind::kEvent:
      row.state = TaskState::kRunning;
      row.note = Printable(fact.detail);
      break;
    case Fact::Kind::kCompleted:
      End(fact, row.state == TaskState::kCaught ? TaskState::kCaught : TaskState::kDone, &row);
      break;
    case Fact::Kind::kSkipped:
      End(fact, TaskState::kSkipped, &row);
      break;
    case Fact::Kind::kFailed:
      End(fact, TaskState::kFailed, &row);
      break;
    case Fact::Kind::kCaught:
      row.state = TaskState::kCaught;
      row.note = "caught";
      break;
    default:
      break;
  }
}

std::vector<const TaskLine*> TreeProgress::Lines() const {
  std::vector<const TaskLine*> lines;
  for (const auto& row : rows_) lines.push_back(row.get());
  return lines;
}

}  // namespace

std::unique_ptr<Progress> MakeTreeProgress(std::FILE* out, std::string instance,
                                           const TerminalOptions& options) {
  return std::make_unique<TreeProgress>(out, std::move(instance), options);
}

}  // namespace jaque::cmd
