// SPDX-License-Identifier: Apache-2.0
// Tokens of jq source. A string is one token stream of its own: kStringStart, then kStringText and,
// for each interpolation, kInterpolation … the parser reads the expression up to ')' and asks on.
// One thread. An error is a token, kError, with its message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jaque::expression {

enum class Tok : uint8_t {
  kEnd,
  kError,
  kInvalid,
  kNumber,
  kStringStart,
  kStringText,
  kInterpolation,
  kStringEnd,
  kField,     // .name
  kName,      // name, a::name, keywords included (is_keyword)
  kVariable,  // $name
  kFormat,    // @name
  kOperator,  // text says which
};

struct Token {
  Tok kind = Tok::kEnd;
  bool is_keyword = false;
  uint32_t offset = 0;
  std::string text;  // a name without '.', '$'; a string's decoded text; an error's message

  bool Is(std::string_view op) const { return kind == Tok::kOperator && text == op; }
  bool IsWord(std::string_view word) const { return kind == Tok::kName && text == word; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  // The next token outside strings.
  Token Next();
  // After kStringStart, and after the ')' of an interpolation: text, interpolation or the end.
  Token NextInString(uint32_t string_start);

 private:
  void SkipSpace();
  Token Make(Tok kind, size_t length, std::string text);
  Token Fail(size_t at, std::string message);
  size_t NameLength(size_t at) const;
  Token Number();
  bool Escape(uint32_t string_start, std::string* out, Token* error);

  std::string_view source_;
  size_t at_ = 0;
};

}  // namespace jaque::expression
