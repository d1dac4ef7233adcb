// SPDX-License-Identifier: Apache-2.0
#include "cmd/task_screen.h"

#include <algorithm>

#include "base/duration.h"
#include "fmt/format.h"

namespace jaque::cmd {

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

std::string TaskLineText(const TaskLine& line, absl::Time now, const TerminalOptions& options) {
  const char* const marks[] = {"●", "◌", "✓", "-", "✗", "✓"};
  const char* const colors[] = {"36", "33", "32", "2", "31", "33"};
  const bool active = line.state == TaskState::kRunning || line.state == TaskState::kWaiting;
  const absl::Duration took = active ? std::max(now - line.since, absl::ZeroDuration()) : line.took;
  std::string text = line.name;
  if (took > absl::ZeroDuration()) text += "  " + DurationText(took);
  if (line.runs > 1) text += fmt::format("  ×{}", line.runs);
  if (!line.note.empty()) text += "  " + line.note;
  const size_t indent = 2 * static_cast<size_t>(line.depth);
  const size_t room = std::max<size_t>(options.columns, indent + 12) - indent - 3;
  const int state = static_cast<int>(line.state);
  const std::string mark =
      options.colors ? fmt::format("\x1b[{}m{}\x1b[0m", colors[state], marks[state]) : marks[state];
  return std::string(indent, ' ') + mark + " " + Cut(text, room);
}

void TaskScreen::Draw(const std::vector<const TaskLine*>& lines, absl::Time now,
                      const std::string& footer) {
  const int room = options_.rows - 1 - (footer.empty() ? 0 : 1);
  Redraw(lines, now, static_cast<size_t>(std::max(room, 1)), footer);
}

void TaskScreen::DrawAll(const std::vector<const TaskLine*>& lines, absl::Time now) {
  Redraw(lines, now, lines.size(), "");
}

void TaskScreen::Redraw(const std::vector<const TaskLine*>& lines, absl::Time now, size_t limit,
                        const std::string& footer) {
  std::string frame;
  if (drawn_ > 0) frame += fmt::format("\x1b[{}A", drawn_);
  const size_t first = lines.size() - std::min(lines.size(), limit);
  for (size_t i = first; i < lines.size(); ++i) {
    frame += "\x1b[2K" + TaskLineText(*lines[i], now, options_) + "\n";
  }
  drawn_ = lines.size() - first;
  if (!footer.empty()) {
    frame += "\x1b[2K" + Cut(footer, std::max(options_.columns, 2)) + "\n";
    ++drawn_;
  }
  frame += "\x1b[J";
  std::fwrite(frame.data(), 1, frame.size(), out_);
  std::fflush(out_);
}

}  // namespace jaque::cmd
