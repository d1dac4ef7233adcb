// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "cmd/progress.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

enum class State { kRunning, kWaiting, kDone, kSkipped, kFailed, kCaught };

struct Row {
  std::string name;
  int depth = 0;
  State state = State::kRunning;
  absl::Time since;  // running or waiting
  absl::Duration took;
  int runs = 0;  // times that it ended: more than one in a loop
  std::string note;
};

// Terminal columns of UTF-8 text, near enough for names: one for each code point.
size_t Columns(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

std::string Cut(const std::string& text, size_t columns) {
  if (Columns(text) <= columns) return text;
  std::string out;
  size_t count = 0;
  for (const char c : text) {
    if ((c & 0xc0) != 0x80 && ++count >= columns) break;
    out += c;
  }
  return out + "…";
}

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
      : out_(out), instance_(std::move(instance)), options_(options) {}

  void Show(const Fact& fact) override;
  void Tick(absl::Time now) override { Draw(now, options_.rows - 1); }
  void Remain(size_t instances) override { remain_ = instances; }
  // The whole tree stays on the screen.
  void Finish(absl::Time now) override {
    remain_ = 0;
    Draw(now, static_cast<int>(rows_.size()));
  }

 private:
  Row& RowOf(const Fact& fact);
  void End(const Fact& fact, State state, Row* row);
  void ShowInstance(const Fact& fact);
  void Draw(absl::Time now, int limit);
  std::string Line(const Row& row, absl::Time now) const;
  std::string Paint(const char* color, const std::string& text) const {
    return options_.colors ? fmt::format("\x1b[{}m{}\x1b[0m", color, text) : text;
  }

  std::FILE* const out_;
  const std::string instance_;
  const TerminalOptions options_;
  std::vector<std::unique_ptr<Row>> rows_;
  std::map<std::pair<std::string, const dsl::Task*>, Row*> by_task_;
  size_t remain_ = 0;
  int drawn_ = 0;  // lines on the screen that are ours
};

Row& TreeProgress::RowOf(const Fact& fact) {
  Row*& row = by_task_[{fact.instance, fact.task}];
  if (row == nullptr) {
    rows_.push_back(std::make_unique<Row>());
    row = rows_.back().get();
    row->since = fact.at;
    const bool child = fact.instance != instance_;
    row->depth = Depth(fact.workflow.get(), *fact.task) + (child ? 1 : 0);
    row->name = Printable(fact.task->name);
    if (child) row->name += fmt::format(" ({})", fact.definition);
  }
  return *row;
}

void TreeProgress::End(const Fact& fact, State state, Row* row) {
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
    Row* row = at->second;
    if (row->state != State::kRunning && row->state != State::kWaiting) continue;
    row->state = fact.kind == Fact::Kind::kInstanceCompleted ? State::kDone : State::kFailed;
    row->took = fact.at - row->since;
  }
}

void TreeProgress::Show(const Fact& fact) {
  if (fact.task == nullptr) return ShowInstance(fact);
  Row& row = RowOf(fact);
  switch (fact.kind) {
    case Fact::Kind::kStarted:
    case Fact::Kind::kWaiting:
      row.state = fact.kind == Fact::Kind::kStarted ? State::kRunning : State::kWaiting;
      row.since = fact.at;
      row.note = Printable(fact.detail);
      break;
    case Fact::Kind::kRetry:
      row.state = State::kWaiting;
      row.note = Printable(fact.detail);
      break;
    case Fact::Kind::kIteration:
    case Fact::Kind::kAttempt:
    case Fact::Kind::kEvent:
      row.state = State::kRunning;
      row.note = Printable(fact.detail);
      break;
    case Fact::Kind::kCompleted:
      End(fact, row.state == State::kCaught ? State::kCaught : State::kDone, &row);
      break;
    case Fact::Kind::kSkipped:
      End(fact, State::kSkipped, &row);
      break;
    case Fact::Kind::kFailed:
      End(fact, State::kFailed, &row);
      break;
    case Fact::Kind::kCaught:
      row.state = State::kCaught;
      row.note = "caught";
      break;
    default:
      break;
  }
}

std::string TreeProgress::Line(const Row& row, absl::Time now) const {
  const char* const marks[] = {"●", "◌", "✓", "-", "✗", "✓"};
  const char* const colors[] = {"36", "33", "32", "2", "31", "33"};
  const bool active = row.state == State::kRunning || row.state == State::kWaiting;
  const absl::Duration took = active ? std::max(now - row.since, absl::ZeroDuration()) : row.took;
  std::string text = row.name;
  if (took > absl::ZeroDuration()) text += "  " + DurationText(took);
  if (row.runs > 1) text += fmt::format("  ×{}", row.runs);
  if (!row.note.empty()) text += "  " + row.note;
  const size_t indent = 2 * static_cast<size_t>(row.depth);
  const size_t room = std::max<size_t>(options_.columns, indent + 12) - indent - 3;
  const int state = static_cast<int>(row.state);
  return std::string(indent, ' ') + Paint(colors[state], marks[state]) + " " + Cut(text, room);
}

void TreeProgress::Draw(absl::Time now, int limit) {
  std::string frame;
  if (drawn_ > 0) frame += fmt::format("\x1b[{}A", drawn_);
  if (remain_ > 0) --limit;
  const size_t first = rows_.size() - std::min<size_t>(rows_.size(), std::max(limit, 1));
  for (size_t i = first; i < rows_.size(); ++i) {
    frame += "\x1b[2K" + Line(*rows_[i], now) + "\n";
  }
  drawn_ = static_cast<int>(rows_.size() - first);
  if (remain_ > 0) {
    frame += "\x1b[2K" + Cut(RemainText(remain_), std::max(options_.columns, 2)) + "\n";
    ++drawn_;
  }
  frame += "\x1b[J";
  std::fwrite(frame.data(), 1, frame.size(), out_);
  std::fflush(out_);
}

}  // namespace

std::unique_ptr<Progress> MakeTreeProgress(std::FILE* out, std::string instance,
                                           const TerminalOptions& options) {
  return std::make_unique<TreeProgress>(out, std::move(instance), options);
}

}  // namespace jaque::cmd
