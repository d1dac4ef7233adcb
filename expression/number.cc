// SPDX-License-Identifier: Apache-2.0
#include "expression/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "absl/strings/numbers.h"

namespace jaque {
namespace {

constexpr int64_t kMaxExponent =
    999'999'999;  // of a literal that keeps its text (decNumber's bound)

bool Digit(char c) { return c >= '0' && c <= '9'; }

// A literal taken apart: value = digits * 10^exponent.
struct Decimal {
  bool negative = false;
  std::string digits;  // without leading zeros, "0" at least
  int64_t exponent = 0;
};

int64_t ClampedExponent(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  int64_t n = 0;
  for (const char c : text) n = std::min<int64_t>(n * 10 + (c - '0'), 100'000'000'000);
  return negative ? -n : n;
}

Decimal TakeApart(std::string_view text) {
  Decimal decimal;
  if (text[0] == '-') {
    decimal.negative = true;
    text.remove_prefix(1);
  }
  const size_t e = text.find_first_of("eE");
  if (e != text.npos) decimal.exponent = ClampedExponent(text.substr(e + 1));
  bool fraction = false;
  for (const char c : text.substr(0, e)) {
    if (c == '.') {
      fraction = true;
      continue;
    }
    if (fraction) --decimal.exponent;
    if (c != '0' || !decimal.digits.empty()) decimal.digits.push_back(c);
  }
  if (decimal.digits.empty()) decimal.digits = "0";
  return decimal;
}

// Digits with their point, or with an exponent where that would need many zeros.
std::string Canonical(const Decimal& decimal) {
  const auto n = static_cast<int64_t>(decimal.digits.size());
  const int64_t adjusted = decimal.exponent + n - 1;
  std::string out = decimal.negative ? "-" : "";
  if (decimal.exponent <= 0 && adjusted >= -6) {
    const int64_t whole = n + decimal.exponent;  // digits before the point
    if (whole > 0) {
      out.append(decimal.digits, 0, static_cast<size_t>(whole));
    } else {
      out.append("0.").append(static_cast<size_t>(-whole), '0').append(decimal.digits);
      return out;
    }
    if (decimal.exponent < 0) {
      out.append(".").append(decimal.digits, static_cast<size_t>(whole));
    }
    return out;
  }
  out.push_back(decimal.digits[0]);
  if (n > 1) out.append(".").append(decimal.digits, 1);
  out.append(adjusted < 0 ? "E-" : "E+").append(std::to_string(std::abs(adjusted)));
  return out;
}

double ParseDouble(std::string_view text) {
  double d = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), d);
  if (error == std::errc::result_out_of_range) {
    const Decimal decimal = TakeApart(text);
    const bool large = decimal.exponent + static_cast<int64_t>(decimal.digits.size()) > 0;
    d = large ? std::numeric_limits<double>::infinity() : 0.0;
    if (decimal.negative) d = -d;
  }
  return d;
}

}  // namespace

void AppendDouble(double d, std::string* out) {
  if (std::isnan(d)) {
    out->append("null");
    return;
  }
  if (std::isinf(d)) d = std::copysign(std::numeric_limits<double>::max(), d);
  if (std::signbit(d)) out->push_back('-');
  d = std::fabs(d);
  if (d == 0) {
    out->push_back('0');
    return;
  }
  char buffer[32];
  const auto result =
      std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<size_t>(result.ptr - buffer));
  const size_t e = text.find('e');
  std::string digits(1, text[0]);
  if (e > 1) digits.append(text.substr(2, e - 2));
  const int64_t point = ClampedExponent(text.substr(e + 1)) + 1;  // digits before the point
  const auto n = static_cast<int64_t>(digits.size());
  if (point <= -4 || point > n + 15) {
    out->push_back(digits[0]);
    if (n > 1) out->append(".").append(digits, 1);
    const int64_t exponent = point - 1;
    out->append(exponent < 0 ? "e-" : "e+");
    if (std::abs(exponent) < 10) out->push_back('0');
    out->append(std::to_string(std::abs(exponent)));
  } else if (point <= 0) {
    out->append("0.").append(static_cast<size_t>(-point), '0').append(digits);
  } else if (point >= n) {
    out->append(digits).append(static_cast<size_t>(point - n), '0');
  } else {
    out->append(digits, 0, static_cast<size_t>(point)).append(".");
    out->append(digits, static_cast<size_t>(point));
  }
}

void AppendNumber(const Value& number, std::string* out) {
  if (number.is_int()) {
    char buffer[24];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, number.int_value());
    out->append(buffer, result.ptr);
  } else if (const std::string_view literal = number.literal(); !literal.empty()) {
    out->append(literal);
  } else {
    AppendDouble(number.number(), out);
  }
}

size_t NumberLength(std::string_view text) {
  size_t i = 0;
  const auto digits = [&] {
    const size_t start = i;
    while (i < text.size() && Digit(text[i])) ++i;
    return i > start;
  };
  if (i < text.size() && text[i] == '-') ++i;
  const size_t first = i;
  if (!digits()) return 0;
  if (text[first] == '0' && i > first + 1) return 0;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (!digits()) return 0;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (!digits()) return 0;
  }
  return i;
}

Value NumberFromValid(std::string_view text) {
  int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (end == text.data() + text.size() && error == std::errc() && !(n == 0 && text[0] == '-')) {
    return Value::Int(n);
  }
  const double d = ParseDouble(text);
  std::string printed;
  AppendDouble(d, &printed);
  // Our own print of a double reads as that double, so that printing again gives the same bytes.
  if (printed == text) return Value::Double(d);
  const Decimal decimal = TakeApart(text);
  const int64_t adjusted = decimal.exponent + static_cast<int64_t>(decimal.digits.size()) - 1;
  if (std::abs(adjusted) > kMaxExponent) return Value::Double(d);
  const std::string canonical = Canonical(decimal);
  if (printed == canonical) return Value::Double(d);
  return Value::Literal(d, canonical);
}

std::optional<Value> NumberFromJqText(std::string_view text) {
  std::string whole;  // with what JSON demands and jq does not
  size_t i = 0;
  if (i < text.size() && text[i] == '-') whole.push_back(text[i++]);
  const size_t start = i;
  size_t digits = 0;
  while (i < text.size() && Digit(text[i])) ++i;
  digits += i - start;
  const size_t zeros = std::min(text.find_first_not_of('0', start), i);
  whole.append(text, zeros, i - zeros);
  if (zeros == i) whole.push_back('0');
  if (i < text.size() && text[i] == '.') {
    const size_t point = i++;
    while (i < text.size() && Digit(text[i])) ++i;
    digits += i - point - 1;
    if (i - point > 1) whole.append(text, point, i - point);
  }
  if (digits == 0) return std::nullopt;
  whole.append(text, i);
  if (NumberLength(whole) != whole.size()) return std::nullopt;
  return NumberFromValid(whole);
}

int CompareDigits(const Value& a, const Value& b) {
  const auto take_apart = [](const Value& number) {
    std::string text;
    AppendNumber(number, &text);
    Decimal decimal = TakeApart(text);
    while (decimal.digits.size() > 1 && decimal.digits.back() == '0') {
      decimal.digits.pop_back();
      ++decimal.exponent;
    }
    return decimal;
  };
  const Decimal x = take_apart(a);
  const Decimal y = take_apart(b);
  if (x.digits == "0" || y.digits == "0" || x.negative != y.negative) return 0;
  const auto size = [](const Decimal& d) {
    return d.exponent + static_cast<int64_t>(d.digits.size());
  };
  const int order = size(x) != size(y) ? (size(x) < size(y) ? -1 : 1) : x.digits.compare(y.digits);
  if (order == 0) return 0;
  return (order < 0) != x.negative ? -1 : 1;
}

Value Negated(const Value& number) {
  if (number.is_int()) {
    const int64_t n = number.int_value();
    if (n == INT64_MIN) return Value::Double(9223372036854775808.0);
    return Value::Int(-n);
  }
  const std::string_view literal = number.literal();
  if (literal.empty()) return Value::Double(-number.number());
  if (literal[0] == '-') return Value::Literal(-number.number(), literal.substr(1));
  return Value::Literal(-number.number(), "-" + std::string(literal));
}

std::optional<Value> Value::NumberFromLiteral(std::string_view text) {
  if (text.empty() || NumberLength(text) != text.size()) return std::nullopt;
  return NumberFromValid(text);
}

}  // namespace jaque
