// SPDX-License-Identifier: Apache-2.0
// Aligned columns for people, and the words that stand in them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

namespace jaque::cmd {

class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}

  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  // Every line ends with a line end. With colours the words for states have theirs.
  std::string Text(bool colors) const;

 private:
  const std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

// "completed" in green, "faulted" in red …; other words as they are.
std::string PaintState(const std::string& word, bool colors);

// "12s ago", "in 3h", "5d ago"; "-" for no time.
std::string RelativeTime(absl::Time time, absl::Time now);

}  // namespace jaque::cmd
