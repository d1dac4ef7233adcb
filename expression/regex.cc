// SPDX-License-Identifier: Apache-2.0
#include "expression/regex.h"

#include <oniguruma.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "expression/regex_cost.h"
#include "expression/regex_cursor.h"

namespace jaque::expression {
namespace {

const OnigUChar* Bytes(std::string_view text) {
  return reinterpret_cast<const OnigUChar*>(text.data() == nullptr ? "" : text.data());
}

// jq's dialect without callouts: nothing in a pattern may call into the library's own extras.
OnigSyntaxType* Dialect() {
  static OnigSyntaxType* const dialect = [] {
    auto* syntax = new OnigSyntaxType();
    onig_copy_syntax(syntax, ONIG_SYNTAX_PERL_NG);
    onig_set_syntax_op2(syntax,
                        onig_get_syntax_op2(syntax) & ~(ONIG_SYN_OP2_QMARK_BRACE_CALLOUT_CONTENTS |
                                                        ONIG_SYN_OP2_ASTERISK_CALLOUT_NAME));
    return syntax;
  }();
  return dialect;
}

struct Flags {
  OnigOptionType options = ONIG_OPTION_CAPTURE_GROUP;
  bool global = false;
  bool longest = false;
};

std::optional<Flags> ReadFlags(std::string_view text) {
  Flags flags;
  for (const char c : text) {
    switch (c) {
      case 'g':
        flags.global = true;
        break;
      case 'i':
        flags.options |= ONIG_OPTION_IGNORECASE;
        break;
      case 'x':
        flags.options |= ONIG_OPTION_EXTEND;
        break;
      case 'm':
        flags.options |= ONIG_OPTION_MULTILINE;
        break;
      case 's':
        flags.options |= ONIG_OPTION_SINGLELINE;
        break;
      case 'p':
        flags.options |= ONIG_OPTION_MULTILINE | ONIG_OPTION_SINGLELINE;
        break;
      case 'l':
        flags.longest = true;
        break;
      case 'n':
        flags.options |= ONIG_OPTION_FIND_NOT_EMPTY;
        break;
      default:
        return std::nullopt;
    }
  }
  return flags;
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

// Oniguruma's limits of parsing are global; its initialisation is not thread-safe.
void Regex::InitializeOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
    onig_initialize(encodings, 1);
    onig_set_parse_depth_limit(limits::kRegexNesting);
    onig_set_capture_num_limit(limits::kRegexGroups);
    onig_set_subexp_call_limit_in_search(limits::kRegexCalls);
    onig_set_warn_func(onig_null_warn);
    onig_set_verb_warn_func(onig_null_warn);
    onig_set_callback_each_match(&Cursor::KeepLongest);
    Dialect();
  });
}

RegexBudget::RegexBudget(uint64_t retries, std::function<absl::Duration()> monotonic,
                         absl::Duration wall_time)
    : retries_(std::max<uint64_t>(retries, 1)),
      monotonic_(std::move(monotonic)),
      wall_time_(wall_time) {
  if (!monotonic_) monotonic_ = [] { return SystemClock().Monotonic(); };
  started_ = monotonic_();
}

absl::Duration RegexBudget::Elapsed() const { return monotonic_() - started_; }

Regex::Regex(std::unique_ptr<Program> program) : program_(std::move(program)) {}
Regex::~Regex() = default;

absl::StatusOr<std::shared_ptr<const Regex>> Regex::Compile(std::string_view pattern,
                                                            std::string_view flag_text) {
  const std::optional<Flags> flags = ReadFlags(flag_text);
  if (!flags) {
    return absl::InvalidArgumentError(std::string(flag_text) + " is not a valid modifier string");
  }
  if (pattern.size() > limits::kRegexPatternBytes) {
    return absl::InvalidArgumentError(absl::StrCat("Regex failure: the pattern is longer than ",
                                                   limits::kRegexPatternBytes, " bytes"));
  }
  InitializeOnce();
  auto program = std::make_unique<Program>();
  OnigErrorInfo info = {};
  const int code = onig_new(&program->regex, Bytes(pattern), Bytes(pattern) + pattern.size(),
                            flags->options, ONIG_ENCODING_UTF8, Dialect(), &info);
  if (code != ONIG_NORMAL) {
    program->regex = nullptr;
    return absl::InvalidArgumentError(RegexFailure(code, &info));
  }
  program->pattern_bytes = pattern.size();
  program->cost = EstimateCost(pattern, (flags->options & ONIG_OPTION_EXTEND) != 0);
  program->longest = flags->longest;

  std::shared_ptr<Regex> regex(new Regex(std::move(program)));
  regex->global_ = flags->global;
  regex->names_.resize(onig_number_of_captures(regex->program_->regex));
  const auto name = [](const OnigUChar* begin, const OnigUChar* end, int count, int* groups,
                       OnigRegex, void* names) {
    for (int i = 0; i < count; ++i) {
      static_cast<std::vector<std::string>*>(names)->at(groups[i] - 1) =
          std::string(reinterpret_cast<const char*>(begin), end - begin);
    }
    return 0;
  };
  onig_foreach_name(regex->program_->regex, name, &regex->names_);
  return std::shared_ptr<const Regex>(std::move(regex));
}

absl::Status Regex::ForEachMatch(std::string_view text, const RegexBudget& budget,
                                 absl::FunctionRef<bool(const RegexMatch&)> visit) const {
  Cursor cursor(*program_, text, budget);
  size_t start = 0;
  do {
    ASSIGN_OR_RETURN(const bool found, cursor.Find(start));
    if (!found) return absl::OkStatus();
    start = cursor.end();
    if (cursor.begin() >= cursor.end()) {
      // An empty match: go on behind the next character, or the same would be found for ever.
      start = std::max(start, cursor.begin()) + 1;
      while (start < text.size() && IsContinuation(text[start])) ++start;
    }
    if (!visit(cursor.Match())) return absl::OkStatus();
  } while (global_ && start <= text.size());
  return absl::OkStatus();
}

absl::StatusOr<bool> Regex::Test(std::string_view text, const RegexBudget& budget) const {
  return Cursor(*program_, text, budget).Find(0);
}

Value Regex::ToValue(const RegexMatch& match) const {
  const auto group = [](const RegexGroup& from) {
    return Value::Object({{"offset", Value::Int(from.offset)},
                          {"length", Value::Int(from.length)},
                          {"string", from.matched() ? Value::String(from.text) : Value()}});
  };
  std::vector<Value> captures;
  captures.reserve(match.captures.size());
  for (size_t i = 0; i < match.captures.size(); ++i) {
    Value capture = group(match.captures[i]);
    const bool named = i < names_.size() && !names_[i].empty();
    capture.Set("name", named ? Value::String(names_[i]) : Value());
    captures.push_back(std::move(capture));
  }
  Value whole = group(match.whole);
  whole.Set("captures", Value::Array(std::move(captures)));
  return whole;
}

size_t Regex::MemoryEstimate() const {
  // Measured: an operation of 24 bytes for about each byte of a pattern, a bit set for each class.
  return 2'048 + 64 * program_->pattern_bytes;
}

absl::StatusOr<std::shared_ptr<const Regex>> RegexCache::Get(std::string_view pattern,
                                                             std::string_view flags) {
  std::string key;
  key.reserve(pattern.size() + flags.size() + 1);
  key.append(flags).append(1, '/').append(pattern);
  if (const auto known = entries_.find(key); known != entries_.end()) return known->second;
  ASSIGN_OR_RETURN(std::shared_ptr<const Regex> regex, Regex::Compile(pattern, flags));
  if (order_.size() < kEntries) {
    order_.push_back(key);
  } else {
    entries_.erase(std::exchange(order_[oldest_], key));
    oldest_ = (oldest_ + 1) % kEntries;
  }
  entries_.emplace(std::move(key), regex);
  return regex;
}

absl::StatusOr<bool> Search(std::string_view pattern, std::string_view text) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const Regex> regex, Regex::Compile(pattern));
  return regex->Test(text, RegexBudget(limits::kRegexRetries, nullptr,
                                       absl::Milliseconds(limits::kExpressionMillis)));
}

}  // namespace jaque::expression
