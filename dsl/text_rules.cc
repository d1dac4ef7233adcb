// SPDX-License-Identifier: Apache-2.0
#include "dsl/text_rules.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/time/civil_time.h"
#include "dsl/duration.h"
#include "dsl/text.h"

namespace jaque::dsl {
namespace {

constexpr std::string_view kSpace = " \t\r\n\f\v";

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

bool AllOf(std::string_view text, bool (*is)(unsigned char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is);
}
bool IsDigits(std::string_view text) { return AllOf(text, absl::ascii_isdigit); }

bool IsIdentifiers(std::string_view text, bool numbers_have_no_zero) {
  for (size_t start = 0; start <= text.size();) {
    const size_t dot = std::min(text.find('.', start), text.size());
    const std::string_view part = text.substr(start, dot - start);
    if (!AllOf(part, [](unsigned char c) { return absl::ascii_isalnum(c) || c == '-'; }))
      return false;
    if (numbers_have_no_zero && part.size() > 1 && part[0] == '0' && IsDigits(part)) return false;
    start = dot + 1;
  }
  return true;
}

// major.minor.patch(-pre)?(+build)?, semver.org 2.0.0.
bool IsSemanticVersion(std::string_view text) {
  const size_t plus = text.find('+');
  if (plus != std::string_view::npos && !IsIdentifiers(text.substr(plus + 1), false)) return false;
  text = text.substr(0, plus);
  const size_t dash = text.find('-');
  if (dash != std::string_view::npos && !IsIdentifiers(text.substr(dash + 1), true)) return false;
  text = text.substr(0, dash);
  for (int part = 0; part < 3; ++part) {
    const size_t dot = std::min(text.find('.'), text.size());
    const std::string_view number = text.substr(0, dot);
    if (!IsDigits(number) || (number.size() > 1 && number[0] == '0')) return false;
    if ((part < 2) != (dot < text.size())) return false;
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return true;
}

bool IsLabel(std::string_view text, bool dots) {
  if (text.empty() || text.size() > 63) return false;
  const auto inner = [dots](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '-' || (dots && c == '.');
  };
  return absl::ascii_isalnum(text.front()) && absl::ascii_isalnum(text.back()) &&
         std::all_of(text.begin(), text.end(), inner);
}

bool IsJsonPointer(std::string_view text) {
  if (!text.empty() && text[0] != '/') return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '~') continue;
    if (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1')) return false;
  }
  return true;
}

std::string CheckTemplateName(std::string_view name) {
  if (name.empty()) return "`{}` in a URI template names nothing";
  if (name.find('{') != std::string_view::npos) return "braces in a URI template cannot be nested";
  if (std::string_view("+#./;?&=,!@|").find(name[0]) != std::string_view::npos ||
      name.find_first_of(",*:") != std::string_view::npos) {
    return Cat("`{", name, "}`: only simple expansion, `{name}`, is part of the DSL");
  }
  return "";
}

std::string CheckBraces(std::string_view text) {
  while (true) {
    const size_t brace = text.find_first_of("{}");
    if (brace == std::string_view::npos) return "";
    const size_t close = text.find('}', brace);
    if (text[brace] == '}' || close == std::string_view::npos) {
      return "the braces of the URI template do not match";
    }
    if (auto problem = CheckTemplateName(text.substr(brace + 1, close - brace - 1));
        !problem.empty()) {
      return problem;
    }
    text.remove_prefix(close + 1);
  }
}

// Damerau-Levenshtein (adjacent swaps), for short words.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t same = absl::ascii_tolower(a[i - 1]) == absl::ascii_tolower(b[j - 1]) ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + same});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

bool IsRuntimeExpression(std::string_view text) {
  text = Trimmed(text);
  return text.size() >= 3 && text.starts_with("${") && text.ends_with('}');
}

bool IsDateTime(std::string_view text) {
  const auto digits = [text](size_t at, size_t n) {
    return at + n <= text.size() && IsDigits(text.substr(at, n));
  };
  const auto number = [text](size_t at, size_t n) {
    int value = 0;
    for (char c : text.substr(at, n)) value = value * 10 + (c - '0');
    return value;
  };
  if (!digits(0, 4) || !digits(5, 2) || !digits(8, 2) || !digits(11, 2) || !digits(14, 2) ||
      !digits(17, 2) || text[4] != '-' || text[7] != '-' || (text[10] | 0x20) != 't' ||
      text[13] != ':' || text[16] != ':') {
    return false;
  }
  const absl::CivilDay day(number(0, 4), number(5, 2), number(8, 2));
  if (day.month() != number(5, 2) || day.day() != number(8, 2)) return false;
  if (number(11, 2) > 23 || number(14, 2) > 59 || number(17, 2) > 60) return false;
  size_t at = 19;
  if (at < text.size() && text[at] == '.') {
    size_t end = at + 1;
    while (digits(end, 1)) ++end;
    if (end == at + 1) return false;
    at = end;
  }
  if (at + 1 == text.size()) return (text[at] | 0x20) == 'z';
  return at + 6 == text.size() && (text[at] == '+' || text[at] == '-') && digits(at + 1, 2) &&
         text[at + 3] == ':' && digits(at + 4, 2) && number(at + 1, 2) < 24 &&
         number(at + 4, 2) < 60;
}

std::string CheckSemanticVersion(std::string_view text) {
  return IsSemanticVersion(text) ? "" : "must be a semantic version such as 1.0.0";
}

std::string CheckDslVersion(std::string_view text) {
  if (auto problem = CheckSemanticVersion(text); !problem.empty()) return problem;
  return text.starts_with("1.0.") ? "" : Cat("DSL version ", text, " is not supported; 1.0.x is");
}

std::string CheckDnsLabel(std::string_view text) {
  return IsLabel(text, false)
             ? ""
             : "must be a DNS label: 1 to 63 letters, digits and hyphens, no hyphen at the ends";
}

std::string CheckHost(std::string_view text) {
  return IsLabel(text, true) ? ""
                             : "must be a host name of up to 63 letters, digits, hyphens and dots";
}

std::string CheckNotEmpty(std::string_view text) { return text.empty() ? "must not be empty" : ""; }

std::string CheckRuntimeExpression(std::string_view text) {
  return IsRuntimeExpression(text) ? "" : "must be a runtime expression, `${ … }`";
}

std::string CheckUriTemplate(std::string_view text) {
  if (text.empty()) return "must be a URI, but is empty";
  if (text.find("${") != std::string_view::npos) {
    return "a runtime expression inside a URI is not evaluated: write the whole URI as one, or "
           "`{name}`";
  }
  if (text.find_first_of(kSpace) != std::string_view::npos) return "a URI cannot hold white space";
  const size_t scheme = text.find_first_of(":/?#{");
  if (scheme == 0 && text[0] == ':') return "a URI cannot begin with a colon";
  return CheckBraces(text);
}

std::string CheckUriOrExpression(std::string_view text) {
  return IsRuntimeExpression(text) ? "" : CheckUriTemplate(text);
}

std::string CheckPointerOrExpression(std::string_view text) {
  return IsRuntimeExpression(text) || IsJsonPointer(text)
             ? ""
             : "must be a JSON pointer such as /do/0/task, or a runtime expression";
}

std::string CheckDateTimeOrExpression(std::string_view text) {
  return IsRuntimeExpression(text) || IsDateTime(text)
             ? ""
             : "must be a time such as 2024-01-31T12:00:00Z, or a runtime expression";
}

std::string CheckDurationText(std::string_view text) {
  if (IsRuntimeExpression(text)) return "";
  return std::string(ParseIsoDuration(text).status().message());
}

std::string CheckVariableName(std::string_view text) {
  static constexpr std::string_view kOwn[] = {"context", "input",    "output",  "secrets",
                                              "task",    "workflow", "runtime", "authorization",
                                              "__loc__", "ENV"};
  const auto part = [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; };
  if (!AllOf(text, part) || absl::ascii_isdigit(text[0])) {
    return "must be a variable name: letters, digits and _, not a digit first, without `$`";
  }
  if (std::find(std::begin(kOwn), std::end(kOwn), text) != std::end(kOwn)) {
    return Cat("`$", text, "` is the runtime's own variable; choose another name");
  }
  return "";
}

std::string_view Nearest(std::string_view text, const std::vector<std::string_view>& names) {
  std::string_view best;
  size_t best_distance = 3;
  if (text.size() > 40) return best;
  for (std::string_view name : names) {
    if (std::max(text.size(), name.size()) - std::min(text.size(), name.size()) >= best_distance) {
      continue;
    }
    const size_t distance = Distance(text, name);
    // One slip in a short word, two in a longer one.
    if (distance < best_distance && distance < text.size() &&
        distance <= std::max<size_t>(1, std::min(text.size(), name.size()) / 3)) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace jaque::dsl
