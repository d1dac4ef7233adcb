// SPDX-License-Identifier: Apache-2.0
#include "cmd/table.h"

#include <algorithm>

#include "cmd/progress.h"
#include "cmd/task_screen.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

constexpr char kGap[] = "   ";

// The colour of a state, nullptr for other words.
const char* ColorOf(const std::string& word) {
  if (word == "completed" || word == "alive" || word == "active") return "32";
  if (word == "faulted" || word == "dead") return "31";
  if (word == "running" || word == "pending") return "36";
  if (word == "waiting" || word == "suspended" || word == "suspect" || word == "paused")
    return "33";
  if (word == "cancelled" || word == "skipped") return "2";
  return nullptr;
}

}  // namespace

std::string PaintState(const std::string& word, bool colors) {
  const char* const color = colors ? ColorOf(word) : nullptr;
  return color != nullptr ? fmt::format("\x1b[{}m{}\x1b[0m", color, word) : word;
}

std::string Table::Text(bool colors) const {
  std::vector<size_t> widths;
  for (const std::string& title : header_) widths.push_back(Columns(title));
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : rows_) {
    std::vector<std::string> cells;
    for (size_t i = 0; i < row.size(); ++i) {
      cells.push_back(Printable(row[i].empty() ? "-" : row[i]));
      widths[i] = std::max(widths[i], Columns(cells.back()));
    }
    rows.push_back(std::move(cells));
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells, bool paint) {
    for (size_t i = 0; i < cells.size(); ++i) {
      out += paint ? PaintState(cells[i], colors) : cells[i];
      if (i + 1 < cells.size()) out += std::string(widths[i] - Columns(cells[i]), ' ') + kGap;
    }
    out += '\n';
  };
  line(header_, false);
  for (const auto& row : rows) line(row, true);
  return out;
}

std::string RelativeTime(absl::Time time, absl::Time now) {
  if (time == absl::InfinitePast()) return "-";
  const bool past = time <= now;
  const int64_t seconds = absl::ToInt64Seconds(past ? now - time : time - now);
  std::string text;
  if (seconds < 120) {
    text = fmt::format("{}s", seconds);
  } else if (seconds < 2 * 3600) {
    text = fmt::format("{}m", seconds / 60);
  } else if (seconds < 2 * 86'400) {
    text = fmt::format("{}h", seconds / 3600);
  } else {
    text = fmt::format("{}d", seconds / 86'400);
  }
  return past ? text + " ago" : "in " + text;
}

}  // namespace jaque::cmd
