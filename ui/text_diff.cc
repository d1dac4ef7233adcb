// SPDX-License-Identifier: Apache-2.0
#include "ui/text_diff.h"

#include <algorithm>
#include <vector>

#include "fmt/format.h"

namespace jaque::ui {
namespace {

constexpr int kMostEdits = 2'000;  // looked for; memory grows with the square
constexpr int kContext = 3;        // equal lines around a change

using Lines = std::vector<std::string_view>;

Lines SplitLines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// One line of the result: ' ' in both, '-' only before, '+' only after.
struct Edit {
  char kind;
  std::string_view line;
};

// The furthest places that `d` edits reach, on the diagonals -d..d (x - y).
class Furthest {
 public:
  explicit Furthest(int most) : offset_(most + 1), reach_(2 * most + 3, 0) {}
  int& operator[](int diagonal) { return reach_[diagonal + offset_]; }
  int at(int diagonal) const { return reach_[diagonal + offset_]; }

 private:
  int offset_;
  std::vector<int> reach_;
};

class Comparison {
 public:
  Comparison(const Lines& a, const Lines& b) : a_(a), b_(b) {}

  std::vector<Edit> Run() {
    while (head_ < Least() && a_[head_] == b_[head_]) ++head_;
    while (tail_ < Least() - head_ && a_[a_.size() - 1 - tail_] == b_[b_.size() - 1 - tail_]) {
      ++tail_;
    }
    std::vector<Edit> edits;
    for (int i = 0; i < head_; ++i) edits.push_back({' ', a_[i]});
    Middle(&edits);
    for (size_t i = a_.size() - tail_; i < a_.size(); ++i) edits.push_back({' ', a_[i]});
    return edits;
  }

 private:
  int Least() const { return static_cast<int>(std::min(a_.size(), b_.size())); }
  int Width() const { return static_cast<int>(a_.size()) - head_ - tail_; }
  int Height() const { return static_cast<int>(b_.size()) - head_ - tail_; }

  void Middle(std::vector<Edit>* edits) {
    const int most = std::min(kMostEdits, Width() + Height());
    std::vector<std::vector<int>> trail;  // of each d: its diagonals -d..d before it
    Furthest reach(most);
    for (int d = 0; d <= most; ++d) {
      std::vector<int> before(2 * d + 1);
      for (int k = -d; k <= d; ++k) before[k + d] = reach.at(k);
      trail.push_back(std::move(before));
      for (int k = -d; k <= d; k += 2) {
        const bool down = k == -d || (k != d && reach.at(k - 1) < reach.at(k + 1));
        int x = down ? reach.at(k + 1) : reach.at(k - 1) + 1;
        while (x < Width() && x - k < Height() && a_[head_ + x] == b_[head_ + x - k]) ++x;
        reach[k] = x;
        if (x >= Width() && x - k >= Height()) return WalkBack(trail, edits);
      }
    }
    for (int i = 0; i < Width(); ++i) edits->push_back({'-', a_[head_ + i]});
    for (int i = 0; i < Height(); ++i) edits->push_back({'+', b_[head_ + i]});
  }

  void WalkBack(const std::vector<std::vector<int>>& trail, std::vector<Edit>* edits) const {
    std::vector<Edit> back;
    int x = Width(), y = Height();
    for (int d = static_cast<int>(trail.size()) - 1; d >= 0; --d) {
      const auto before = [&](int k) { return k < -d || k > d ? 0 : trail[d][k + d]; };
      const int k = x - y;
      const bool down = k == -d || (k != d && before(k - 1) < before(k + 1));
      const int from_k = down ? k + 1 : k - 1;
      const int from_x = d == 0 ? 0 : before(from_k), from_y = d == 0 ? 0 : from_x - from_k;
      while (x > from_x && y > from_y) {
        back.push_back({' ', a_[head_ + --x]});
        --y;
      }
      if (d == 0) break;
      if (down) {
        back.push_back({'+', b_[head_ + --y]});
      } else {
        back.push_back({'-', a_[head_ + --x]});
      }
    }
    edits->insert(edits->end(), back.rbegin(), back.rend());
  }

  const Lines& a_;
  const Lines& b_;
  int head_ = 0, tail_ = 0;  // equal lines at both ends
};

// Where the lines of an edit script stand in both texts, 0-based.
struct Hunk {
  size_t begin = 0, end = 0;  // in the script
};

std::vector<Hunk> FindHunks(const std::vector<Edit>& edits) {
  std::vector<Hunk> hunks;
  for (size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].kind == ' ') continue;
    const size_t begin = i < kContext ? 0 : i - kContext;
    const size_t end = std::min(edits.size(), i + 1 + kContext);
    if (!hunks.empty() && begin <= hunks.back().end) {
      hunks.back().end = end;
    } else {
      hunks.push_back({begin, end});
    }
  }
  return hunks;
}

std::string Range(size_t first, size_t lines) {
  if (lines == 1) return fmt::format("{}", first + 1);
  return fmt::format("{},{}", lines == 0 ? first : first + 1, lines);
}

}  // namespace

std::string UnifiedDiff(std::string_view before, std::string_view after,
                        std::string_view before_name, std::string_view after_name) {
  if (before == after) return "";
  const Lines a = SplitLines(before), b = SplitLines(after);
  const std::vector<Edit> edits = Comparison(a, b).Run();
  std::string out = fmt::format("--- {}\n+++ {}\n", before_name, after_name);
  size_t i = 0, in_a = 0, in_b = 0;
  for (const Hunk& hunk : FindHunks(edits)) {
    for (; i < hunk.begin; ++i) {
      in_a += edits[i].kind != '+';
      in_b += edits[i].kind != '-';
    }
    std::string lines;
    const size_t first_a = in_a, first_b = in_b;
    for (; i < hunk.end; ++i) {
      in_a += edits[i].kind != '+';
      in_b += edits[i].kind != '-';
      lines += edits[i].kind;
      lines += edits[i].line;
      lines += '\n';
    }
    out += fmt::format("@@ -{} +{} @@\n{}", Range(first_a, in_a - first_a),
                       Range(first_b, in_b - first_b), lines);
  }
  return out;
}

}  // namespace jaque::ui
