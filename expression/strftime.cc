// SPDX-License-Identifier: Apache-2.0
#include "expression/strftime.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "expression/time_names.h"

namespace jaque::expression {
namespace {

constexpr size_t kMaxWidth = 1'024;

// Between '%' and the conversion.
struct Modifiers {
  char padding = '\0';  // '-', '_', '0' or none
  bool upper = false;
  bool swap_case = false;
  size_t width = 0;
};

struct IsoWeek {
  int64_t year = 0;
  int64_t week = 0;
};

// ISO 8601: weeks begin on Monday, the first has the year's first Thursday.
IsoWeek IsoWeekOf(const CivilTime& time) {
  const int64_t monday_based = (time.weekday + 6) % 7;
  const int64_t thursday = time.day_of_year - monday_based + 3;
  if (thursday < 0) {
    const int64_t days = IsLeapYear(time.year - 1) ? 366 : 365;
    return {time.year - 1, (thursday + days) / 7 + 1};
  }
  const int64_t days = IsLeapYear(time.year) ? 366 : 365;
  if (thursday >= days) return {time.year + 1, 1};
  return {time.year, thursday / 7 + 1};
}

int64_t FloorModulo100(int64_t year) { return (year % 100 + 100) % 100; }

int64_t Hour12(int64_t hour) { return hour % 12 == 0 ? 12 : hour % 12; }

class Formatter {
 public:
  Formatter(std::string_view format, const CivilTime& time) : format_(format), time_(time) {}

  std::optional<std::string> Run() {
    const size_t most = 100 + 64 * format_.size();
    size_t at = 0;
    while (at < format_.size()) {
      if (format_[at] != '%') {
        out_.push_back(format_[at++]);
        continue;
      }
      const size_t start = at++;
      const Modifiers modifiers = ReadModifiers(&at);
      if (at >= format_.size() || !Convert(format_[at], modifiers)) {
        out_.append(format_.substr(start, at + 1 - start));
      }
      ++at;
      if (out_.size() > most) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  Modifiers ReadModifiers(size_t* at) const {
    Modifiers modifiers;
    const auto peek = [&] { return *at < format_.size() ? format_[*at] : '\0'; };
    for (;; ++*at) {
      const char c = peek();
      if (c == '-' || c == '_' || c == '0') {
        modifiers.padding = c;
      } else if (c == '^') {
        modifiers.upper = true;
      } else if (c == '#') {
        modifiers.swap_case = true;
      } else {
        break;
      }
    }
    for (; absl::ascii_isdigit(static_cast<unsigned char>(peek())); ++*at) {
      modifiers.width = std::min(modifiers.width * 10 + (peek() - '0'), kMaxWidth);
    }
    if (peek() == 'E' || peek() == 'O') ++*at;
    return modifiers;
  }

  bool Convert(char c, const Modifiers& m) {
    return ConvertDate(c, m) || ConvertTime(c, m) || ConvertComposite(c, m);
  }

  bool ConvertDate(char c, const Modifiers& m) {
    const int64_t year = time_.year, weekday = time_.weekday, day_of_year = time_.day_of_year;
    switch (c) {
      case 'a':
        return Text(DayName(weekday).substr(0, 3), m);
      case 'A':
        return Text(DayName(weekday), m);
      case 'b':
      case 'h':
        return Text(MonthName(time_.month).substr(0, 3), m);
      case 'B':
        return Text(MonthName(time_.month), m);
      case 'C':
        return Number((year - FloorModulo100(year)) / 100, 2, '0', m);
      case 'd':
        return Number(time_.day, 2, '0', m);
      case 'e':
        return Number(time_.day, 2, '_', m);
      case 'g':
        return Number(FloorModulo100(IsoWeekOf(time_).year), 2, '0', m);
      case 'G':
        return Number(IsoWeekOf(time_).year, 1, '0', m);
      case 'j':
        return Number(day_of_year + 1, 3, '0', m);
      case 'm':
        return Number(time_.month + 1, 2, '0', m);
      case 'u':
        return Number(weekday == 0 ? 7 : weekday, 1, '0', m);
      case 'U':
        return Number((day_of_year + 7 - weekday) / 7, 2, '0', m);
      case 'V':
        return Number(IsoWeekOf(time_).week, 2, '0', m);
      case 'w':
        return Number(weekday, 1, '0', m);
      case 'W':
        return Number((day_of_year + 7 - (weekday + 6) % 7) / 7, 2, '0', m);
      case 'y':
        return Number(FloorModulo100(year), 2, '0', m);
      case 'Y':
        return Number(year, 1, '0', m);
      default:
        return false;
    }
  }

  bool ConvertTime(char c, const Modifiers& m) {
    switch (c) {
      case 'H':
        return Number(time_.hour, 2, '0', m);
      case 'I':
        return Number(Hour12(time_.hour), 2, '0', m);
      case 'k':
        return Number(time_.hour, 2, '_', m);
      case 'l':
        return Number(Hour12(time_.hour), 2, '_', m);
      case 'M':
        return Number(time_.minute, 2, '0', m);
      case 'p':
        return Text(time_.hour < 12 ? "AM" : "PM", m);
      case 'P':
        return Text(time_.hour < 12 ? "am" : "pm", m);
      case 's':
        return Number(ToSeconds(time_), 1, '0', m);
      case 'S':
        return Number(time_.second, 2, '0', m);
      case 'z':
        return Text("+0000", m);
      case 'Z':
        return Text("UTC", m);
      case 'n':
        return Text("\n", m);
      case 't':
        return Text("\t", m);
      case '%':
        return Text("%", m);
      default:
        return false;
    }
  }

  bool ConvertComposite(char c, const Modifiers& m) {
    switch (c) {
      case 'c':
        return Composite("%a %b %e %H:%M:%S %Y", m);
      case 'D':
      case 'x':
        return Composite("%m/%d/%y", m);
      case 'F':
        return Composite("%Y-%m-%d", m);
      case 'r':
        return Composite("%I:%M:%S %p", m);
      case 'R':
        return Composite("%H:%M", m);
      case 'T':
      case 'X':
        return Composite("%H:%M:%S", m);
      default:
        return false;
    }
  }

  bool Composite(std::string_view format, const Modifiers& m) {
    return Text(Formatter(format, time_).Run().value_or(""), m);
  }

  bool Text(std::string_view text, const Modifiers& m) {
    std::string shown(text);
    if (m.upper) absl::AsciiStrToUpper(&shown);
    if (m.swap_case) {
      const bool all_upper = std::none_of(shown.begin(), shown.end(), absl::ascii_islower);
      all_upper ? absl::AsciiStrToLower(&shown) : absl::AsciiStrToUpper(&shown);
    }
    if (shown.size() < m.width) {
      out_.append(m.width - shown.size(), m.padding == '0' ? '0' : ' ');
    }
    out_.append(shown);
    return true;
  }

  bool Number(int64_t number, size_t digits, char padding, const Modifiers& m) {
    if (m.padding != '\0') padding = m.padding;
    const std::string shown = absl::StrCat(number < 0 ? -number : number);
    size_t width = padding == '-' ? 0 : std::max(digits, m.width);
    if (number < 0 && width > 0) --width;
    const size_t missing = shown.size() < width ? width - shown.size() : 0;
    if (padding == '_') out_.append(missing, ' ');
    if (number < 0) out_.push_back('-');
    if (padding == '0') out_.append(missing, '0');
    out_.append(shown);
    return true;
  }

  std::string_view format_;
  const CivilTime& time_;
  std::string out_;
};

}  // namespace

std::optional<std::string> FormatTime(std::string_view format, const CivilTime& time) {
  return Formatter(format, time).Run();
}

}  // namespace jaque::expression
