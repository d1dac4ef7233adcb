// SPDX-License-Identifier: Apache-2.0
#include "expression/regex_cost.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"

namespace jaque::expression {
namespace {

constexpr double kUnbounded = -1;

// What is known of an atom, a branch or a group.
struct Part {
  double repeats = 1;
  int rescans = 0;
  bool consumes = false;   // at least one character, whenever it matches
  bool scans = false;      // holds a repeat without a bound
  bool looks = false;      // holds a look-around
  bool looks_far = false;  // holds a look-around that scans
};

void Merge(const Part& from, Part* into) {
  into->repeats = std::max(into->repeats, from.repeats);
  into->rescans = std::max(into->rescans, from.rescans);
  into->scans |= from.scans;
  into->looks |= from.looks;
  into->looks_far |= from.looks_far;
}

struct Group {
  Part before;        // the branches that are closed
  Part branch;        // the open one
  Part atom;          // the last atom, not yet in its branch: a quantifier may follow
  bool every = true;  // every closed branch consumes
  bool look_around = false;
  bool extended = false;
};

class Scanner {
 public:
  Scanner(std::string_view pattern, bool extended) : text_(pattern) {
    groups_.emplace_back().extended = extended;
  }

  RegexCost Run() {
    while (at_ < text_.size() && !lost_) Token();
    if (groups_.size() != 1) lost_ = true;
    const Part whole = CloseGroup(&groups_.front());
    if (lost_) return {.repeats = 1e5, .rescans = 3, .from_start = true};
    RegexCost cost{whole.repeats, whole.rescans, from_start_};
    // A call repeats a group inside any other.
    if (calls_) {
      cost.repeats *= cost.repeats;
      cost.rescans = 2 * cost.rescans + (whole.looks ? 1 : 0);
    }
    return cost;
  }

 private:
  Group& top() { return groups_.back(); }
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool Skip(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }
  void SkipPast(std::string_view end) {
    const size_t found = text_.find(end, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
  }

  void EndAtom() {
    Merge(top().atom, &top().branch);
    top().branch.consumes |= top().atom.consumes;
    top().atom = Part();
  }
  void Atom(const Part& part) {
    EndAtom();
    top().atom = part;
  }
  void Character() { Atom({.consumes = true}); }

  static Part CloseBranch(Group* group) {
    Part branch = group->branch;
    Merge(group->atom, &branch);
    branch.consumes |= group->atom.consumes;
    return branch;
  }
  static Part CloseGroup(Group* group) {
    Part whole = CloseBranch(group);
    whole.consumes &= group->every;
    Merge(group->before, &whole);
    if (!group->look_around) return whole;
    whole.looks_far |= whole.scans;
    whole.looks = true;
    whole.consumes = whole.scans = false;
    return whole;
  }

  void Token() {
    const char c = text_[at_++];
    switch (c) {
      case '\\':
        return Escape();
      case '[':
        return Class();
      case '(':
        return Open();
      case ')':
        return Close();
      case '|':
        return Alternative();
      case '*':
        return Quantify(0, kUnbounded);
      case '+':
        return Quantify(1, kUnbounded);
      case '?':
        return Quantify(0, 1);
      case '{':
        return Interval();
      case '^':
      case '$':
        return Atom({});
      case '#':
        if (top().extended) return SkipPast("\n");
        return Character();
      default:
        if (top().extended && absl::ascii_isspace(static_cast<unsigned char>(c))) return;
        return Character();
    }
  }

  void Escape() {
    if (at_ >= text_.size()) return;
    const char c = text_[at_++];
    constexpr std::string_view kZeroWidth = "bBAZzGKyYkg123456789";
    if (c == 'Q') {
      const size_t end = std::min(text_.find("\\E", at_), text_.size());
      if (end > at_) Character();
      at_ = std::min(end + 2, text_.size());
      return;
    }
    if (c == 'G') from_start_ = true;
    if (c == 'g') {
      calls_ = true;
      return Atom({.scans = true});
    }
    if (kZeroWidth.find(c) != std::string_view::npos) {
      Atom({});
    } else {
      Character();
    }
    const bool braced = c == 'p' || c == 'P' || c == 'x' || c == 'o';
    if (braced && Peek() == '{') SkipPast("}");
  }

  void Class() {
    Skip("^");
    Skip("]");
    while (at_ < text_.size() && text_[at_] != ']') {
      if (text_[at_] == '\\') {
        at_ += 2;
        continue;
      }
      if (Skip("[:")) {
        SkipPosixName();
        continue;
      }
      ++at_;
    }
    if (at_ >= text_.size()) lost_ = true;
    ++at_;
    Character();
  }

  // After "[:": the name and ":]" if they are there.
  void SkipPosixName() {
    size_t end = at_;
    while (end < text_.size() && (absl::ascii_isalpha(text_[end]) || text_[end] == '^')) ++end;
    if (text_.substr(end, 2) == ":]") at_ = end + 2;
  }

  void Open() {
    Group group;
    group.extended = top().extended;
    if (!Skip("?")) return Push(group);
    if (Skip("#")) return SkipPast(")");
    if (Skip("=") || Skip("!") || Skip("<=") || Skip("<!")) {
      group.look_around = true;
      return Push(group);
    }
    if (Skip("~")) {
      // An absent group scans for what must not be there.
      group.look_around = true;
      group.branch.scans = true;
      return Push(group);
    }
    if (Skip(":") || Skip(">")) return Push(group);
    if (Peek() == '<' || Peek() == '\'' || (Peek() == 'P' && Peek(1) == '<')) {
      SkipPast(Peek() == '\'' ? "'" : ">");
      return Push(group);
    }
    if (Peek() == '(') {  // (?(condition)yes|no)
      SkipPast(")");
      return Push(group);
    }
    if (Peek() == '&' || Peek() == 'P' || Peek() == 'R' || absl::ascii_isdigit(Peek()) ||
        ((Peek() == '-' || Peek() == '+') && absl::ascii_isdigit(Peek(1)))) {
      calls_ = true;
      SkipPast(")");
      return Atom({.scans = true});
    }
    Options(group);
  }

  // (?imx-imx) and (?imx-imx:…).
  void Options(Group group) {
    bool on = true;
    while (at_ < text_.size() && text_[at_] != ')' && text_[at_] != ':') {
      const char c = text_[at_++];
      if (c == '-') on = false;
      if (c == 'x') group.extended = on;
    }
    if (Skip(":")) return Push(group);
    if (!Skip(")")) lost_ = true;
    top().extended = group.extended;
  }

  void Push(const Group& group) {
    EndAtom();
    groups_.push_back(group);
  }

  void Close() {
    if (groups_.size() == 1) {
      lost_ = true;
      return;
    }
    const Part part = CloseGroup(&top());
    groups_.pop_back();
    Atom(part);
  }

  void Alternative() {
    const Part branch = CloseBranch(&top());
    top().every &= branch.consumes;
    Merge(branch, &top().before);
    top().branch = top().atom = Part();
  }

  void Interval() {
    const size_t start = at_;
    const std::optional<double> low = Number();
    const bool range = Skip(",");
    const std::optional<double> high = range ? Number() : low;
    if ((!low && !high) || !Skip("}")) {
      at_ = start;
      return Character();
    }
    Quantify(low.value_or(0), high.value_or(kUnbounded));
  }

  std::optional<double> Number() {
    const size_t start = at_;
    double number = 0;
    while (absl::ascii_isdigit(static_cast<unsigned char>(Peek()))) {
      number = std::min(number * 10 + (text_[at_++] - '0'), 1e6);
    }
    if (at_ == start) return std::nullopt;
    return number;
  }

  void Quantify(double low, double high) {
    Part& atom = top().atom;
    const double most = std::max(high == kUnbounded ? low : std::max(low, high), 1.0);
    if (!atom.consumes || atom.looks) atom.repeats = std::min(atom.repeats * most, 1e30);
    if (atom.looks_far && most > 1) ++atom.rescans;
    if (high == kUnbounded) {
      atom.scans = true;
      if (atom.looks_far && most <= 1) ++atom.rescans;
    }
    if (low == 0) atom.consumes = false;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Group> groups_;
  bool calls_ = false;
  bool from_start_ = false;
  bool lost_ = false;
};

}  // namespace

double RegexCost::StepsPerRetry(size_t bytes, size_t pattern_bytes) const {
  const double text = static_cast<double>(bytes);
  return repeats * std::pow(text + 1, rescans) * (text + static_cast<double>(pattern_bytes) + 1);
}

RegexCost EstimateCost(std::string_view pattern, bool extended) {
  return Scanner(pattern, extended).Run();
}

}  // namespace jaque::expression
