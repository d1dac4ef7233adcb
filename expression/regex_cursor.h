// SPDX-License-Identifier: Apache-2.0
// One walk of a compiled pattern over one text, in bounded work. Used by regex.cc only; one thread.
// Oniguruma cannot be interrupted, so its work is cut into portions, small enough to look at the
// clock in between: first whole searches with few retries and then more, while even the worst
// pattern must be done soon; then one start after the other.
#pragma once

#include <oniguruma.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "expression/regex.h"
#include "expression/regex_cost.h"

namespace jaque::expression {

// jq's words for an error of Oniguruma; `info` may be null.
std::string RegexFailure(int code, OnigErrorInfo* info);

struct Regex::Program {
  ~Program() {
    if (regex != nullptr) onig_free(regex);
  }

  OnigRegex regex = nullptr;
  RegexCost cost;
  bool longest = false;  // flag l
  size_t pattern_bytes = 0;
};

class Regex::Cursor {
 public:
  Cursor(const Program& program, std::string_view text, const RegexBudget& budget);

  // The first match at `start` or after it, with flag l the longest.
  absl::StatusOr<bool> Find(size_t start);

  // Of the match that was found; bytes.
  size_t begin() const { return found().beg[0]; }
  size_t end() const { return found().end[0]; }
  RegexMatch Match();

  // Called by Oniguruma for every way to match, where the longest is wanted.
  static int KeepLongest(const OnigUChar* text, const OnigUChar* end, const OnigUChar* start,
                         OnigRegion* region, void* cursor);

 private:
  struct RegionDeleter {
    void operator()(OnigRegion* region) const { onig_region_free(region, 1); }
  };
  struct ParamDeleter {
    void operator()(OnigMatchParam* param) const { onig_free_match_param(param); }
  };

  const OnigRegion& found() const { return program_.longest ? *longest_ : *region_; }
  unsigned long Portion(double steps, uint64_t most) const;
  int SearchWhole(size_t start, unsigned long retries);
  absl::StatusOr<bool> FindOneByOne(size_t start);
  absl::StatusOr<bool> MatchAt(size_t at, unsigned long retries);
  int MatchOnce(size_t at, unsigned long retries);
  void SetLimits(unsigned long in_match, unsigned long in_search);
  absl::Status CheckEnlarge(int result, bool was_largest, absl::Duration before) const;
  RegexGroup Group(int index);
  int64_t Offset(size_t byte);

  const Program& program_;
  std::string_view text_;
  const RegexBudget& budget_;
  double steps_;  // between two retries, at worst
  size_t looks_;  // searches between two looks at the clock
  size_t finds_ = 0;
  std::unique_ptr<OnigRegion, RegionDeleter> region_{onig_region_new()};
  std::unique_ptr<OnigRegion, RegionDeleter> longest_;
  int longest_length_ = -1;
  std::unique_ptr<OnigMatchParam, ParamDeleter> param_{onig_new_match_param()};
  size_t known_byte_ = 0;
  int64_t known_offset_ = 0;
};

}  // namespace jaque::expression
