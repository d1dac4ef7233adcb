// SPDX-License-Identifier: Apache-2.0
// A tree of tasks on a terminal, redrawn in place: what `jaque run` and `jaque watch` draw. One
// thread.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "cmd/progress.h"

namespace jaque::cmd {

enum class TaskState { kRunning, kWaiting, kDone, kSkipped, kFailed, kCaught };

struct TaskLine {
  std::string name;
  int depth = 0;
  TaskState state = TaskState::kRunning;
  absl::Time since;  // running or waiting
  absl::Duration took;
  int runs = 0;  // times that it ended: more than one in a loop
  std::string note;
};

class TaskScreen {
 public:
  TaskScreen(std::FILE* out, const TerminalOptions& options) : out_(out), options_(options) {}

  // The last lines that fit, above `footer` (empty: none).
  void Draw(const std::vector<const TaskLine*>& lines, absl::Time now, const std::string& footer);
  // All of them, to stay on the screen.
  void DrawAll(const std::vector<const TaskLine*>& lines, absl::Time now);

  const TerminalOptions& options() const { return options_; }

 private:
  void Redraw(const std::vector<const TaskLine*>& lines, absl::Time now, size_t limit,
              const std::string& footer);

  std::FILE* const out_;
  const TerminalOptions options_;
  size_t drawn_ = 0;  // lines on the screen that are ours
};

// One line of the tree, with its mark, without its end.
std::string TaskLineText(const TaskLine& line, absl::Time now, const TerminalOptions& options);

// Terminal columns of UTF-8 text, near enough for names: one for each code point.
size_t Columns(std::string_view text);
std::string Cut(const std::string& text, size_t columns);

}  // namespace jaque::cmd
