// SPDX-License-Identifier: Apache-2.0
// The recursive descent itself, for parser.cc and parser_terms.cc only.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "expression/ast.h"
#include "expression/lexer.h"

namespace jaque::expression {

class Parser {
 public:
  explicit Parser(std::string_view source) : source_(source), lexer_(source) {}

  AstPtr Program();
  std::vector<std::shared_ptr<FunctionAst>> Definitions();
  uint32_t error_offset() const { return error_offset_; }
  const std::string& error() const { return error_; }

 private:
  AstPtr Make(Ast::Kind kind, uint32_t offset) const;
  void AddKid(Ast* parent, AstPtr kid);
  void Fail(uint32_t offset, std::string message);
  void Unexpected(std::string_view expecting);
  void Advance();
  bool Expect(std::string_view op, std::string_view expecting);
  bool Enter();

  AstPtr ParsePipe();
  AstPtr ParsePrefixed();
  AstPtr ParseAs(AstPtr source);
  AstPtr ParseBinary(int precedence);
  std::shared_ptr<FunctionAst> ParseFunction();
  bool ParsePatterns(Ast* into);
  bool ParsePattern(Pattern* pattern, Ast* owner);
  bool ParsePatternEntry(Pattern* pattern, Ast* owner);

  // parser_terms.cc
  AstPtr ParsePostfix();
  AstPtr ParseNegation();
  bool ParseSuffix(AstPtr* term);
  AstPtr Optional(AstPtr term, uint32_t offset);
  AstPtr ParseBracket(AstPtr target);
  AstPtr ParseTerm();
  AstPtr ParseDot();
  AstPtr ParseNamed();
  AstPtr ParseCall();
  AstPtr ParseString(std::string format, uint32_t offset);
  AstPtr ParseArray();
  AstPtr ParseObject();
  bool ParseEntry(Ast* object);
  AstPtr ParseEntryKey(AstPtr* implied_value);
  AstPtr ParseEntryValue();
  bool CheckKey(const Ast& key);
  AstPtr ParseIf();
  AstPtr ParseTry();
  AstPtr ParseLoop();
  AstPtr Location(uint32_t offset) const;

  std::string_view source_;
  Lexer lexer_;
  Token token_;
  uint32_t last_offset_ = 0;
  int depth_ = 0;
  int open_braces_ = 0;
  bool started_ = false;
  bool at_start_ = false;      // token_ is the first
  const Ast* step_ = nullptr;  // what the last suffix made, if no parenthesis closed since
  bool failed_ = false;
  uint32_t error_offset_ = 0;
  std::string error_;
};

}  // namespace jaque::expression
