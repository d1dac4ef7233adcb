// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "expression/strftime.h"
#include "expression/time_names.h"

namespace jaque::expression {
namespace {

bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }
bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) {
           return absl::ascii_tolower(static_cast<unsigned char>(a)) ==
                  absl::ascii_tolower(static_cast<unsigned char>(b));
         });
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool Run(std::string_view format) {
    for (size_t at = 0; at < format.size(); ++at) {
      const char c = format[at];
      if (IsSpace(c)) {
        SkipSpaces();
        continue;
      }
      if (c != '%') {
        if (!Literal(c)) return false;
        continue;
      }
      ++at;
      while (at < format.size() &&
             std::string_view("-_0^#EO").find(format[at]) != std::string::npos)
        ++at;
      if (at >= format.size() || !Convert(format[at])) return false;
    }
    return true;
  }

  ParsedTime Finish() {
    if (epoch_) return {FromSeconds(*epoch_), text_};
    if (century_) {
      time_.year = *century_ * 100 + year_of_century_.value_or(0);
    } else if (year_of_century_) {
      time_.year = *year_of_century_ + (*year_of_century_ < 69 ? 2'000 : 1'900);
    }
    if (pm_ && hour12_) time_.hour = *hour12_ % 12 + (*pm_ ? 12 : 0);
    if (day_of_year_ && !has_date_) {
      const CivilTime date = Normalized({.year = time_.year, .month = 0, .day = *day_of_year_ + 1});
      time_.month = date.month;
      time_.day = date.day;
    }
    const CivilTime derived = Normalized(time_);
    time_.weekday = derived.weekday;
    time_.day_of_year = derived.day_of_year;
    return {time_, text_};
  }

 private:
  bool Literal(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  void SkipSpaces() {
    while (!text_.empty() && IsSpace(text_.front())) text_.remove_prefix(1);
  }

  std::optional<int64_t> Number(int64_t low, int64_t high, int digits) {
    SkipSpaces();
    int64_t number = 0;
    int read = 0;
    for (; read < digits && !text_.empty() && IsDigit(text_.front()); ++read) {
      number = number * 10 + (text_.front() - '0');
      text_.remove_prefix(1);
    }
    if (read == 0 || number < low || number > high) return std::nullopt;
    return number;
  }

  bool Set(std::optional<int64_t> number, int64_t* field, int64_t offset = 0) {
    if (number) *field = *number + offset;
    return number.has_value();
  }
  static bool Set(std::optional<int64_t> number, std::optional<int64_t>* field) {
    *field = number;
    return number.has_value();
  }

  // A full name, or its first three letters.
  std::optional<int64_t> Name(std::span<const std::string_view> names) {
    for (size_t i = 0; i < names.size(); ++i) {
      for (const std::string_view name : {names[i], names[i].substr(0, 3)}) {
        if (!StartsWithIgnoreCase(text_, name)) continue;
        text_.remove_prefix(name.size());
        return static_cast<int64_t>(i);
      }
    }
    return std::nullopt;
  }

  bool Convert(char c) { return ConvertDate(c) || ConvertTime(c) || ConvertOther(c); }

  bool ConvertDate(char c) {
    switch (c) {
      case 'Y':
        century_.reset();
        year_of_century_.reset();
        return Set(Number(0, 9'999, 4), &time_.year);
      case 'C':
        return Set(Number(0, 99, 2), &century_);
      case 'y':
        return Set(Number(0, 99, 2), &year_of_century_);
      case 'm':
        has_date_ = true;
        return Set(Number(1, 12, 2), &time_.month, -1);
      case 'b':
      case 'B':
      case 'h':
        has_date_ = true;
        return Set(Name(kMonthNames), &time_.month);
      case 'd':
      case 'e':
        has_date_ = true;
        return Set(Number(1, 31, 2), &time_.day);
      case 'j': {
        const auto day = Number(1, 366, 3);
        if (day) day_of_year_ = *day - 1;
        return day.has_value();
      }
      default:
        return false;
    }
  }

  bool ConvertTime(char c) {
    switch (c) {
      case 'H':
      case 'k':
        hour12_.reset();
        return Set(Number(0, 23, 2), &time_.hour);
      case 'I':
      case 'l': {
        if (!Set(Number(1, 12, 2), &hour12_)) return false;
        time_.hour = *hour12_ % 12;
        return true;
      }
      case 'p':
      case 'P':
        return Meridiem();
      case 'M':
        return Set(Number(0, 59, 2), &time_.minute);
      case 'S':
        return Set(Number(0, 61, 2), &time_.second);
      case 's':
        return Set(Number(0, 999'999'999'999'999, 15), &epoch_);
      case 'z':
        return Offset();
      case 'Z':
        SkipSpaces();
        while (!text_.empty() && !IsSpace(text_.front())) text_.remove_prefix(1);
        return true;
      default:
        return false;
    }
  }

  // Composites, and what is read but decides nothing: the date decides the weekday and the week.
  bool ConvertOther(char c) {
    switch (c) {
      case 'a':
      case 'A':
        return Name(kDayNames).has_value();
      case 'u':
        return Number(1, 7, 1).has_value();
      case 'w':
        return Number(0, 6, 1).has_value();
      case 'U':
      case 'V':
      case 'W':
        return Number(0, 53, 2).has_value();
      case 'g':
        return Number(0, 99, 2).has_value();
      case 'G':
        return Number(0, 9'999, 4).has_value();
      case 'c':
        return Run("%a %b %e %H:%M:%S %Y");
      case 'D':
      case 'x':
        return Run("%m/%d/%y");
      case 'F':
        return Run("%Y-%m-%d");
      case 'r':
        return Run("%I:%M:%S %p");
      case 'R':
        return Run("%H:%M");
      case 'T':
      case 'X':
        return Run("%H:%M:%S");
      case 'n':
      case 't':
        SkipSpaces();
        return true;
      case '%':
        return Literal('%');
      default:
        return false;
    }
  }

  bool Meridiem() {
    const bool pm = StartsWithIgnoreCase(text_, "PM");
    if (!pm && !StartsWithIgnoreCase(text_, "AM")) return false;
    pm_ = pm;
    text_.remove_prefix(2);
    return true;
  }

  // Z, +hh, +hhmm or +hh:mm: read, and ignored as jq does.
  bool Offset() {
    SkipSpaces();
    if (Literal('Z')) return true;
    if (!Literal('+') && !Literal('-')) return false;
    const auto two_digits = [&] {
      const bool there = text_.size() >= 2 && IsDigit(text_[0]) && IsDigit(text_[1]);
      if (there) text_.remove_prefix(2);
      return there;
    };
    if (!two_digits()) return false;
    const bool colon = Literal(':');
    return two_digits() || !colon;
  }

  std::string_view text_;
  CivilTime time_;
  bool has_date_ = false;
  std::optional<int64_t> century_, year_of_century_, day_of_year_, hour12_, epoch_;
  std::optional<bool> pm_;
};

}  // namespace

std::optional<ParsedTime> ParseTime(std::string_view text, std::string_view format) {
  Parser parser(text);
  if (!parser.Run(format)) return std::nullopt;
  return parser.Finish();
}

}  // namespace jaque::expression
