// SPDX-License-Identifier: Apache-2.0
// Reading JSON. Containers under construction live on an explicit stack.
#include "expression/json.h"

#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "expression/number.h"
#include "expression/utf8.h"

namespace jaque {
namespace {

class Reader {
 public:
  Reader(std::string_view text, const JsonParseOptions& options) : text_(text), options_(options) {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
  }

  absl::StatusOr<Value> Read() {
    Value value;
    for (;;) {
      bool open = false;
      if (!ReadStart(&value, &open)) return Error();
      while (!open) {  // a value is complete: give it to the container around it
        if (stack_.empty()) {
          SkipSpace();
          if (at_ != text_.size()) {
            Fail("unexpected text after the value");
            return Error();
          }
          return value;
        }
        if (!Close(&value, &open)) return Error();
      }
    }
  }

 private:
  struct Level {
    Value container;
    Value key;
  };

  bool Fail(const char* message) {
    if (message_ == nullptr) message_ = message;
    return false;
  }

  absl::Status Error() const {
    size_t line = 1;
    size_t start = 0;
    for (size_t i = 0; i < at_ && i < text_.size(); ++i) {
      if (text_[i] != '\n') continue;
      ++line;
      start = i + 1;
    }
    return absl::InvalidArgumentError(absl::StrCat(line, ":", at_ - start + 1, ": ", message_));
  }

  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  // Reads a scalar, an empty container, or the start of one (`open`, pushed with its first key).
  bool ReadStart(Value* value, bool* open) {
    SkipSpace();
    if (at_ == text_.size()) return Fail("unexpected end of text");
    switch (text_[at_]) {
      case '{':
      case '[':
        return ReadContainer(value, open);
      case '"':
        return ReadString(value);
      case 't':
        *value = Value::Bool(true);
        return ReadWord("true");
      case 'f':
        *value = Value::Bool(false);
        return ReadWord("false");
      case 'n':
        if (options_.allow_nan && text_.substr(at_, 3) == "nan") return ReadNan(value);
        *value = Value();
        return ReadWord("null");
      case 'N':
      case 'I':
        return options_.allow_nan ? ReadNan(value) : Fail("unexpected character");
      default:
        return ReadNumber(value);
    }
  }

  bool ReadWord(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return Fail("invalid literal");
    at_ += word.size();
    return true;
  }

  bool ReadNan(Value* value) {
    const bool negative = text_[at_] == '-';
    if (negative) ++at_;
    if (text_.substr(at_, 8) == "Infinity") {
      at_ += 8;
      const double infinity = std::numeric_limits<double>::infinity();
      *value = Value::Double(negative ? -infinity : infinity);
      return true;
    }
    if (text_.substr(at_, 3) != "nan" && text_.substr(at_, 3) != "NaN") {
      return Fail("invalid literal");
    }
    at_ += 3;
    *value = Value::Double(std::nan(""));
    return true;
  }

  bool ReadNumber(Value* value) {
    const std::string_view rest = text_.substr(at_);
    if (options_.allow_nan && rest.size() > 1 && rest[0] == '-' &&
        (rest[1] == 'n' || rest[1] == 'N' || rest[1] == 'I')) {
      return ReadNan(value);
    }
    size_t i = rest[0] == '-' ? 1 : 0;
    const size_t first = i;
    int64_t n = 0;
    while (i < rest.size() && i < 18 && rest[i] >= '0' && rest[i] <= '9')
      n = n * 10 + (rest[i++] - '0');
    const bool plain =
        i > first && (i == rest.size() || (rest[i] != '.' && rest[i] != 'e' && rest[i] != 'E' &&
                                           !(rest[i] >= '0' && rest[i] <= '9')));
    if (plain && (rest[first] != '0' || (i == 1 && first == 0))) {
      *value = Value::Int(first == 1 ? -n : n);
      at_ += i;
      return true;
    }
    const size_t length = NumberLength(rest);
    if (length == 0) return Fail(i > first ? "invalid number" : "unexpected character");
    *value = NumberFromValid(rest.substr(0, length));
    at_ += length;
    return true;
  }

  bool ReadContainer(Value* value, bool* open) {
    if (stack_.size() >= static_cast<size_t>(options_.max_depth)) return Fail("nests too deeply");
    const bool object = text_[at_] == '{';
    ++at_;
    SkipSpace();
    *value = object ? Value::Object() : Value::Array();
    if (at_ < text_.size() && text_[at_] == (object ? '}' : ']')) {
      ++at_;
      return true;
    }
    *open = true;
    stack_.push_back({std::move(*value), Value()});
    return !object || ReadKey();
  }

  bool ReadKey() {
    SkipSpace();
    if (at_ == text_.size() || text_[at_] != '"') return Fail("expected a string as key");
    if (!ReadString(&stack_.back().key)) return false;
    SkipSpace();
    if (at_ == text_.size() || text_[at_] != ':') return Fail("expected ':'");
    ++at_;
    return true;
  }

  // Adds `value` to the container on top; `open` if more is to come, else `value` is the container.
  bool Close(Value* value, bool* open) {
    Level& top = stack_.back();
    const bool object = top.container.is_object();
    if (object)
      *top.container.Slot(top.key) = std::move(*value);
    else
      top.container.Append(std::move(*value));
    SkipSpace();
    if (at_ == text_.size()) return Fail("unexpected end of text");
    const char c = text_[at_];
    if (c == ',') {
      ++at_;
      *open = true;
      return !object || ReadKey();
    }
    if (c != (object ? '}' : ']'))
      return Fail(object ? "expected ',' or '}'" : "expected ',' or ']'");
    ++at_;
    *value = std::move(top.container);
    stack_.pop_back();
    return true;
  }

  bool ReadString(Value* value) {
    const size_t start = ++at_;
    size_t i = start;
    unsigned char all = 0;
    for (;; ++i) {
      if (i >= text_.size()) {
        at_ = i;
        return Fail("unterminated string");
      }
      const auto c = static_cast<unsigned char>(text_[i]);
      if (c == '"' || c == '\\') break;
      if (c < 0x20) {
        at_ = i;
        return Fail("control character in a string");
      }
      all |= c;
    }
    if (text_[i] == '\\') return ReadEscaped(start, i, value);
    at_ = i + 1;
    const std::string_view text = text_.substr(start, i - start);
    *value = all < 0x80 ? Value::StringUnchecked(text) : Value::String(text);
    return true;
  }

  bool ReadEscaped(size_t start, size_t i, Value* value) {
    scratch_.assign(text_, start, i - start);
    at_ = i;
    for (;;) {
      if (at_ >= text_.size()) return Fail("unterminated string");
      const char c = text_[at_];
      if (c == '"') break;
      if (c == '\\') {
        if (!ReadEscape()) return false;
        continue;
      }
      if (static_cast<unsigned char>(c) < 0x20) return Fail("control character in a string");
      scratch_.push_back(c);
      ++at_;
    }
    ++at_;
    *value = Value::String(scratch_);
    return true;
  }

  bool ReadEscape() {
    if (at_ + 1 >= text_.size()) return Fail("unterminated string");
    static constexpr std::string_view kFrom = "\"\\/bfnrt";
    static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    const char c = text_[at_ + 1];
    if (const size_t known = kFrom.find(c); known != kFrom.npos) {
      scratch_.push_back(kTo[known]);
      at_ += 2;
      return true;
    }
    if (c != 'u') return Fail("invalid escape");
    char32_t unit;
    if (!ReadHex(at_ + 2, &unit)) return Fail("invalid \\u escape");
    at_ += 6;
    char32_t low;
    if (unit >= 0xD800 && unit < 0xDC00 && text_.substr(at_, 2) == "\\u" &&
        ReadHex(at_ + 2, &low) && low >= 0xDC00 && low < 0xE000) {
      unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
      at_ += 6;
    }
    AppendUtf8(unit, &scratch_);
    return true;
  }

  bool ReadHex(size_t at, char32_t* unit) const {
    if (at + 4 > text_.size()) return false;
    *unit = 0;
    for (size_t i = at; i < at + 4; ++i) {
      const char c = text_[i];
      const char lower = static_cast<char>(c | 0x20);
      int digit;
      if (c >= '0' && c <= '9')
        digit = c - '0';
      else if (lower >= 'a' && lower <= 'f')
        digit = lower - 'a' + 10;
      else
        return false;
      *unit = *unit * 16 + static_cast<char32_t>(digit);
    }
    return true;
  }

  const std::string_view text_;
  const JsonParseOptions& options_;
  size_t at_ = 0;
  const char* message_ = nullptr;
  std::vector<Level> stack_;
  std::string scratch_;
};

}  // namespace

absl::StatusOr<Value> ParseJson(std::string_view text, const JsonParseOptions& options) {
  return Reader(text, options).Read();
}

}  // namespace jaque
