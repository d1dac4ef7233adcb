// SPDX-License-Identifier: Apache-2.0
#include "expression/lexer.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "expression/json.h"
#include "expression/text.h"
#include "expression/utf8.h"

namespace jaque::expression {
namespace {

constexpr std::array<std::string_view, 19> kKeywords = {
    "and",    "as",      "break", "catch",  "def", "elif",   "else", "end", "foreach", "if",
    "import", "include", "label", "module", "or",  "reduce", "then", "try", "__loc__"};

// Longest first.
constexpr std::array<std::string_view, 34> kOperators = {
    "?//", "//=", "!=", "==", "//", "|=", "+=", "-=", "*=", "/=", "%=", "<=",
    ">=",  "..",  ".",  "?",  "=",  ";",  ",",  ":",  "|",  "+",  "-",  "*",
    "/",   "%",   "$",  "<",  ">",  "(",  ")",  "[",  "]",  "{"};

bool NameStart(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool NameRest(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool Digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void Lexer::SkipSpace() {
  while (at_ < source_.size()) {
    const char c = source_[at_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '#') {
      // A comment goes on after a line that ends in an odd number of backslashes.
      for (bool escaped = false; at_ < source_.size(); ++at_) {
        const char k = source_[at_];
        if (k == '\n' && !escaped) break;
        if (k == '\r' && escaped && source_.substr(at_ + 1, 1) == "\n") continue;
        escaped = k == '\\' && !escaped;
      }
    } else {
      return;
    }
  }
}

Token Lexer::Make(Tok kind, size_t length, std::string text) {
  Token token;
  token.kind = kind;
  token.offset = static_cast<uint32_t>(at_);
  token.text = std::move(text);
  at_ += length;
  return token;
}

Token Lexer::Fail(size_t at, std::string message) {
  at_ = std::min(at, source_.size());
  return Make(Tok::kError, 0, std::move(message));
}

size_t Lexer::NameLength(size_t at) const {
  const size_t start = at;
  if (at >= source_.size() || !NameStart(source_[at])) return 0;
  for (;;) {
    while (at < source_.size() && NameRest(source_[at])) ++at;
    if (source_.substr(at, 2) != "::" || at + 2 >= source_.size() || !NameStart(source_[at + 2])) {
      return at - start;
    }
    at += 2;
  }
}

Token Lexer::Number() {
  size_t i = at_;
  while (i < source_.size() && Digit(source_[i])) ++i;
  if (i < source_.size() && source_[i] == '.') {
    ++i;
    while (i < source_.size() && Digit(source_[i])) ++i;
  }
  if (i < source_.size() && (source_[i] | 0x20) == 'e') {
    size_t k = i + 1;
    if (k < source_.size() && (source_[k] == '+' || source_[k] == '-')) ++k;
    if (k < source_.size() && Digit(source_[k])) {
      while (k < source_.size() && Digit(source_[k])) ++k;
      i = k;
    }
  }
  return Make(Tok::kNumber, i - at_, std::string(source_.substr(at_, i - at_)));
}

Token Lexer::Next() {
  SkipSpace();
  if (at_ >= source_.size()) return Make(Tok::kEnd, 0, "");
  const char c = source_[at_];
  const bool digit_next = at_ + 1 < source_.size() && Digit(source_[at_ + 1]);
  if (Digit(c) || (c == '.' && digit_next)) return Number();
  if (c == '"') return Make(Tok::kStringStart, 1, "");
  if (NameStart(c)) {
    const size_t length = NameLength(at_);
    Token token = Make(Tok::kName, length, std::string(source_.substr(at_, length)));
    token.is_keyword = std::find(kKeywords.begin(), kKeywords.end(), token.text) != kKeywords.end();
    return token;
  }
  if (c == '.' || c == '$') {
    size_t length = NameLength(at_ + 1);
    if (c == '.') {  // a field has no '::'
      length = 0;
      if (at_ + 1 < source_.size() && NameStart(source_[at_ + 1])) {
        while (at_ + 1 + length < source_.size() && NameRest(source_[at_ + 1 + length])) ++length;
      }
    }
    if (length > 0) {
      return Make(c == '.' ? Tok::kField : Tok::kVariable, length + 1,
                  std::string(source_.substr(at_ + 1, length)));
    }
  }
  if (c == '@') {
    size_t length = 0;
    while (at_ + 1 + length < source_.size() && NameRest(source_[at_ + 1 + length])) ++length;
    if (length > 0) {
      return Make(Tok::kFormat, length + 1, std::string(source_.substr(at_ + 1, length)));
    }
  }
  for (std::string_view op : kOperators) {
    if (source_.substr(at_, op.size()) == op) {
      return Make(Tok::kOperator, op.size(), std::string(op));
    }
  }
  if (c == '}') return Make(Tok::kOperator, 1, "}");
  return Make(Tok::kInvalid, 1, std::string(1, c));
}

Token Lexer::NextInString(uint32_t string_start) {
  const size_t start = at_;
  std::string text;
  while (at_ < source_.size()) {
    const char c = source_[at_];
    if (c == '"' || (c == '\\' && source_.substr(at_ + 1, 1) == "(")) {
      if (at_ > start) break;
      return c == '"' ? Make(Tok::kStringEnd, 1, "") : Make(Tok::kInterpolation, 2, "");
    }
    if (c == '\\' && at_ + 1 == source_.size()) {
      at_ = source_.size();  // an escape of nothing
    } else if (c == '\\') {
      Token error;
      if (!Escape(string_start, &text, &error)) return error;
    } else {
      text.push_back(c);
      ++at_;
    }
  }
  if (at_ >= source_.size()) {
    return Fail(at_,
                "syntax error, unexpected end of file, expecting QQSTRING_TEXT or "
                "QQSTRING_INTERP_START or QQSTRING_END");
  }
  Token token = Make(Tok::kStringText, 0, std::move(text));
  token.offset = static_cast<uint32_t>(start);
  return token;
}

// Decodes a run of escapes: a pair of surrogates is two of them.
bool Lexer::Escape(uint32_t string_start, std::string* out, Token* error) {
  const size_t start = at_;
  std::string run = "\"";
  while (at_ + 1 < source_.size() && source_[at_] == '\\' && source_[at_ + 1] != '(') {
    const size_t length = source_[at_ + 1] == 'u' ? 6 : 2;
    run.append(source_.substr(at_, length));
    at_ = std::min(at_ + length, source_.size());
  }
  run.push_back('"');
  const auto decoded = ParseJson(run);
  if (decoded.ok() && decoded->is_string()) {
    out->append(decoded->AsString());
    return true;
  }
  (void)string_start;
  *error = Fail(start, Join({"Invalid escape at line 1, column ", std::to_string(run.size()),
                             " (while parsing '", run, "')"}));
  return false;
}

}  // namespace jaque::expression
