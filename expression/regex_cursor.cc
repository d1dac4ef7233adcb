// SPDX-License-Identifier: Apache-2.0
#include "expression/regex_cursor.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "expression/utf8.h"

namespace jaque::expression {
namespace {

// Elementary steps (one to ten nanoseconds each): of the first portion of a match; the most that
// may pass before the clock is looked at; between two looks at the clock where starts are tried one
// by one. A match that may need kUninterrupted steps between two retries is refused.
constexpr double kMatchPortion = 2e7;
constexpr double kUninterrupted = 4e8;
constexpr double kBetweenLooks = 1e7;
constexpr unsigned long kGrowth = 8;
constexpr size_t kTextBytes = 1 << 30;  // Oniguruma's offsets are of type int

const OnigUChar* Bytes(std::string_view text) {
  return reinterpret_cast<const OnigUChar*>(text.data() == nullptr ? "" : text.data());
}

absl::Status TimeOver() {
  return absl::ResourceExhaustedError("Regex failure: no time left for this match");
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

bool IsRetryLimit(int result) {
  return result == ONIGERR_RETRY_LIMIT_IN_MATCH_OVER ||
         result == ONIGERR_RETRY_LIMIT_IN_SEARCH_OVER;
}

}  // namespace

std::string RegexFailure(int code, OnigErrorInfo* info) {
  OnigUChar text[ONIG_MAX_ERROR_MESSAGE_LEN] = {};
  const int length = info == nullptr ? onig_error_code_to_str(text, code)
                                     : onig_error_code_to_str(text, code, info);
  return "Regex failure: " + std::string(reinterpret_cast<const char*>(text), std::max(length, 0));
}

Regex::Cursor::Cursor(const Program& program, std::string_view text, const RegexBudget& budget)
    : program_(program),
      text_(text),
      budget_(budget),
      steps_(program.cost.StepsPerRetry(text.size(), program.pattern_bytes)) {
  looks_ =
      std::max<size_t>(Portion(kBetweenLooks / static_cast<double>(text.size() + 1), 1'000), 1);
  onig_set_match_stack_limit_size_of_match_param(param_.get(), limits::kRegexStack);
  if (program.longest) {
    longest_.reset(onig_region_new());
    onig_set_callout_user_data_of_match_param(param_.get(), this);
  }
}

// Oniguruma's own option for the longest match returns the first of a start in the versions that
// distributions ship.
int Regex::Cursor::KeepLongest(const OnigUChar*, const OnigUChar*, const OnigUChar*,
                               OnigRegion* region, void* cursor) {
  auto* self = static_cast<Cursor*>(cursor);
  const int length = region->end[0] - region->beg[0];
  if (length <= self->longest_length_) return 0;
  self->longest_length_ = length;
  onig_region_copy(self->longest_.get(), region);
  return 0;
}

absl::StatusOr<bool> Regex::Cursor::Find(size_t start) {
  if (steps_ > kUninterrupted || text_.size() > kTextBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("Regex failure: too much work for a text of ", text_.size(), " bytes"));
  }
  // Also matches that are found one after the other take time.
  if (++finds_ % looks_ == 0 && budget_.Remaining() <= absl::ZeroDuration()) return TimeOver();
  const unsigned long most = Portion(kUninterrupted, budget_.retries());
  unsigned long retries = Portion(kMatchPortion, most);
  // Most searches end at once, so only the second look is timed.
  for (bool timed = false;; timed = true) {
    const absl::Duration before = timed ? budget_.Elapsed() : absl::ZeroDuration();
    const int result = SearchWhole(start, retries);
    if (result >= 0) return true;
    if (result == ONIG_MISMATCH) return false;
    if (!timed && IsRetryLimit(result)) continue;
    const bool divisible = !program_.longest && !program_.cost.from_start;
    const bool over = retries >= most || result == ONIGERR_RETRY_LIMIT_IN_SEARCH_OVER;
    if (over && divisible && IsRetryLimit(result)) return FindOneByOne(start);
    RETURN_IF_ERROR(CheckEnlarge(result, retries >= most, before));
    retries = std::min(retries * kGrowth, most);
  }
}

unsigned long Regex::Cursor::Portion(double steps, uint64_t most) const {
  return static_cast<unsigned long>(
      std::clamp(steps / steps_, 1.0, std::max(static_cast<double>(most), 1.0)));
}

// Every start that fails is a retry for Oniguruma, also without any backtracking; a text that is
// short enough may fail at each of its starts.
int Regex::Cursor::SearchWhole(size_t start, unsigned long retries) {
  const double starts = 2.0 * static_cast<double>(text_.size() - start + 1);
  const bool all = starts * steps_ < kUninterrupted;
  SetLimits(retries, retries + (all ? static_cast<unsigned long>(starts) : 0));
  longest_length_ = -1;
  const OnigOptionType option =
      program_.longest ? ONIG_OPTION_CALLBACK_EACH_MATCH : ONIG_OPTION_NONE;
  const OnigUChar* text = Bytes(text_);
  const OnigUChar* end = text + text_.size();
  const int result = onig_search_with_param(program_.regex, text, end, text + start, end,
                                            region_.get(), option, param_.get());
  return result == ONIG_MISMATCH && longest_length_ >= 0 ? longest_->beg[0] : result;
}

absl::StatusOr<bool> Regex::Cursor::FindOneByOne(size_t start) {
  const unsigned long retries = Portion(kMatchPortion, budget_.retries());
  const unsigned long looks = Portion(kBetweenLooks, 1'000);
  for (size_t tried = 1; start <= text_.size(); ++tried) {
    ASSIGN_OR_RETURN(const bool found, MatchAt(start, retries));
    if (found) return true;
    if (tried % looks == 0 && budget_.Remaining() <= absl::ZeroDuration()) return TimeOver();
    do ++start;
    while (start < text_.size() && IsContinuation(text_[start]));
  }
  return false;
}

absl::StatusOr<bool> Regex::Cursor::MatchAt(size_t at, unsigned long retries) {
  int result = MatchOnce(at, retries);
  while (result < 0 && result != ONIG_MISMATCH) {
    // Repeated, to learn what a portion costs here without looking at the clock at every start.
    const absl::Duration before = budget_.Elapsed();
    MatchOnce(at, retries);
    RETURN_IF_ERROR(CheckEnlarge(result, retries >= budget_.retries(), before));
    retries = std::min<unsigned long>(retries * kGrowth, budget_.retries());
    result = MatchOnce(at, retries);
  }
  return result >= 0;
}

int Regex::Cursor::MatchOnce(size_t at, unsigned long retries) {
  SetLimits(retries, 0);
  const OnigUChar* text = Bytes(text_);
  return onig_match_with_param(program_.regex, text, text + text_.size(), text + at, region_.get(),
                               ONIG_OPTION_NONE, param_.get());
}

void Regex::Cursor::SetLimits(unsigned long in_match, unsigned long in_search) {
  onig_set_retry_limit_in_match_of_match_param(param_.get(), in_match);
  onig_set_retry_limit_in_search_of_match_param(param_.get(), in_search);
}

// Whether a portion that was too small may be followed by one that is kGrowth times as large.
absl::Status Regex::Cursor::CheckEnlarge(int result, bool was_largest,
                                         absl::Duration before) const {
  if (was_largest || !IsRetryLimit(result)) {
    return absl::ResourceExhaustedError(RegexFailure(result, nullptr));
  }
  const absl::Duration took = budget_.Elapsed() - before;
  return took * kGrowth > budget_.Remaining() ? TimeOver() : absl::OkStatus();
}

RegexMatch Regex::Cursor::Match() {
  RegexMatch match;
  match.whole = Group(0);
  const int count = found().num_regs;
  match.captures.reserve(count);
  for (int i = 1; i < count; ++i) match.captures.push_back(Group(i));
  return match;
}

RegexGroup Regex::Cursor::Group(int index) {
  const int begin = found().beg[index], end = found().end[index];
  if (begin < 0 || end < begin) return RegexGroup();
  RegexGroup group;
  group.text = text_.substr(begin, end - begin);
  group.offset = Offset(begin);
  group.length = CodePoints(group.text);
  return group;
}

// Characters before a byte, counted from the last one asked for: a walk costs one pass in all.
int64_t Regex::Cursor::Offset(size_t byte) {
  if (byte >= known_byte_) {
    known_offset_ += CodePoints(text_.substr(known_byte_, byte - known_byte_));
  } else {
    known_offset_ -= CodePoints(text_.substr(byte, known_byte_ - byte));
  }
  known_byte_ = byte;
  return known_offset_;
}

}  // namespace jaque::expression
