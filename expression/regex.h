// SPDX-License-Identifier: Apache-2.0
// A compiled regular expression in the dialect of jq (Oniguruma, Perl syntax with named groups,
// UTF-8). Immutable, shared by threads; compiling and matching use bounded stack whatever they are
// given. Work is bounded twice: by backtracking ("retries") and by time, asked of the budget
// between portions. Errors: InvalidArgument with jq's message for a bad pattern or flag,
// ResourceExhausted for a bound. Offsets and lengths are in codepoints, as jq's `match` shows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/limits.h"
#include "expression/value.h"

namespace jaque::expression {

// What all matches of one evaluation may use together. One thread.
class RegexBudget {
 public:
  // `monotonic` may be empty: then the machine's clock is asked, and `wall_time` counts from now.
  RegexBudget(uint64_t retries, std::function<absl::Duration()> monotonic,
              absl::Duration wall_time);

  uint64_t retries() const { return retries_; }
  absl::Duration Elapsed() const;
  absl::Duration Remaining() const { return wall_time_ - Elapsed(); }

 private:
  uint64_t retries_;
  std::function<absl::Duration()> monotonic_;
  absl::Duration wall_time_;
  absl::Duration started_;
};

// One group of a match; `offset` is -1 if the group took no part.
struct RegexGroup {
  int64_t offset = -1;
  int64_t length = 0;
  std::string_view text;

  bool matched() const { return offset >= 0; }
};

struct RegexMatch {
  RegexGroup whole;
  std::vector<RegexGroup> captures;
};

class Regex {
 public:
  // `flags` as jq: any of g i x m s n p l; "z is not a valid modifier string" otherwise.
  static absl::StatusOr<std::shared_ptr<const Regex>> Compile(std::string_view pattern,
                                                              std::string_view flags = "");
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  bool global() const { return global_; }
  // Name of each capture group, empty where it has none.
  const std::vector<std::string>& capture_names() const { return names_; }

  // The first match, or with flag g each match from left to right (also empty ones, one a
  // position). `visit` returns false to stop. The match points into `text`.
  absl::Status ForEachMatch(std::string_view text, const RegexBudget& budget,
                            absl::FunctionRef<bool(const RegexMatch&)> visit) const;
  absl::StatusOr<bool> Test(std::string_view text, const RegexBudget& budget) const;

  // The object that jq's `match` yields.
  Value ToValue(const RegexMatch& match) const;

  // Bytes that the compiled pattern holds, an upper estimate.
  size_t MemoryEstimate() const;

 private:
  struct Program;
  class Cursor;
  explicit Regex(std::unique_ptr<Program> program);
  static void InitializeOnce();

  std::unique_ptr<Program> program_;
  std::vector<std::string> names_;
  bool global_ = false;
};

// Patterns that are made while a program runs. One evaluation, one thread; bounded, the oldest
// leaves first.
class RegexCache {
 public:
  absl::StatusOr<std::shared_ptr<const Regex>> Get(std::string_view pattern,
                                                   std::string_view flags);

 private:
  static constexpr size_t kEntries = 32;

  std::unordered_map<std::string, std::shared_ptr<const Regex>> entries_;
  std::vector<std::string> order_;
  size_t oldest_ = 0;
};

// Whether `pattern` occurs in `text`: JSON Schema's `pattern`. Bounded by limits.h.
absl::StatusOr<bool> Search(std::string_view pattern, std::string_view text);

}  // namespace jaque::expression
