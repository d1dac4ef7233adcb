// SPDX-License-Identifier: Apache-2.0
// Pipes, operators and bindings; terms are in parser_terms.cc.
#include "expression/parser.h"

#include <algorithm>

#include "base/status_macros.h"
#include "expression/parser_internal.h"
#include "expression/text.h"

namespace jaque::expression {
namespace {

struct Infix {
  std::string_view text;
  int precedence;
  enum class Side : uint8_t { kLeft, kRight, kNone } side;
  Ast::Kind kind;
  Op op = Op::kAdd;
};

using Side = Infix::Side;
using Kind = Ast::Kind;

// jq's table, lowest first.
constexpr Infix kInfix[] = {
    {"//", 1, Side::kRight, Kind::kAlternative},
    {"?//", 1, Side::kRight, Kind::kAlternative},
    {"=", 2, Side::kNone, Kind::kAssign},
    {"|=", 2, Side::kNone, Kind::kUpdate},
    {"+=", 2, Side::kNone, Kind::kOperatorUpdate, Op::kAdd},
    {"-=", 2, Side::kNone, Kind::kOperatorUpdate, Op::kSubtract},
    {"*=", 2, Side::kNone, Kind::kOperatorUpdate, Op::kMultiply},
    {"/=", 2, Side::kNone, Kind::kOperatorUpdate, Op::kDivide},
    {"%=", 2, Side::kNone, Kind::kOperatorUpdate, Op::kModulo},
    {"//=", 2, Side::kNone, Kind::kOperatorUpdate, Op::kAlternative},
    {"or", 3, Side::kLeft, Kind::kOr},
    {"and", 4, Side::kLeft, Kind::kAnd},
    {"==", 5, Side::kNone, Kind::kBinary, Op::kEqual},
    {"!=", 5, Side::kNone, Kind::kBinary, Op::kNotEqual},
    {"<", 5, Side::kNone, Kind::kBinary, Op::kLess},
    {"<=", 5, Side::kNone, Kind::kBinary, Op::kLessEqual},
    {">", 5, Side::kNone, Kind::kBinary, Op::kGreater},
    {">=", 5, Side::kNone, Kind::kBinary, Op::kGreaterEqual},
    {"+", 6, Side::kLeft, Kind::kBinary, Op::kAdd},
    {"-", 6, Side::kLeft, Kind::kBinary, Op::kSubtract},
    {"*", 7, Side::kLeft, Kind::kBinary, Op::kMultiply},
    {"/", 7, Side::kLeft, Kind::kBinary, Op::kDivide},
    {"%", 7, Side::kLeft, Kind::kBinary, Op::kModulo},
};

const Infix* FindInfix(const Token& token) {
  if (token.kind != Tok::kOperator && token.kind != Tok::kName) return nullptr;
  for (const Infix& infix : kInfix) {
    if (infix.text == token.text) return &infix;
  }
  return nullptr;
}

}  // namespace

AstPtr Parser::Make(Kind kind, uint32_t offset) const {
  auto ast = std::make_unique<Ast>();
  ast->kind = kind;
  ast->offset = offset;
  return ast;
}

void Parser::AddKid(Ast* parent, AstPtr kid) {
  if (kid != nullptr) {
    parent->height = std::max(parent->height, kid->height + 1);
    if (parent->height > static_cast<uint32_t>(limits::kExpressionHeight))
      Fail(kid->offset, "the expression nests too deeply");
  }
  parent->kids.push_back(std::move(kid));
}

void Parser::Fail(uint32_t offset, std::string message) {
  if (failed_) return;
  failed_ = true;
  error_offset_ = offset;
  error_ = std::move(message);
}

void Parser::Unexpected(std::string_view expecting) {
  if (token_.kind == Tok::kError) return Fail(token_.offset, token_.text);
  std::string what;
  switch (token_.kind) {
    case Tok::kEnd:
      what = "end of file";
      break;
    case Tok::kInvalid:
      what = "INVALID_CHARACTER";
      break;
    case Tok::kNumber:
      what = "LITERAL";
      break;
    case Tok::kStringStart:
      what = "QQSTRING_START";
      break;
    case Tok::kField:
      what = "FIELD";
      break;
    case Tok::kVariable:
      what = "BINDING";
      break;
    case Tok::kFormat:
      what = "FORMAT";
      break;
    case Tok::kName:
      what = token_.is_keyword ? token_.text : "IDENT";
      break;
    default:
      what = token_.text.size() == 1 ? Join({"'", token_.text, "'"}) : token_.text;
      // jq's lexer knows which bracket must close.
      if (token_.text == "}" && open_braces_ == 0) what = "INVALID_CHARACTER";
      if (expecting == "end of file" && (token_.Is(")") || token_.Is("]"))) {
        what = "INVALID_CHARACTER";
      }
  }
  std::string message = Join({"syntax error, unexpected ", what});
  if (expecting.empty() && at_start_) expecting = "end of file";
  if (!expecting.empty()) message.append(", expecting ").append(expecting);
  // At the end there is nothing to point at but what came before.
  Fail(token_.kind == Tok::kEnd ? last_offset_ : token_.offset, std::move(message));
}

void Parser::Advance() {
  at_start_ = !started_;
  started_ = true;
  last_offset_ = token_.offset;
  token_ = lexer_.Next();
}

bool Parser::Expect(std::string_view op, std::string_view expecting) {
  if (failed_) return false;
  if (!token_.Is(op) && !token_.IsWord(op)) {
    Unexpected(expecting);
    return false;
  }
  Advance();
  return !failed_;
}

bool Parser::Enter() {
  if (++depth_ > limits::kExpressionNesting) Fail(token_.offset, "the expression nests too deeply");
  return !failed_;
}

// What ends with this element of a pipe: a definition or a label and all that follows it.
AstPtr Parser::ParsePrefixed() {
  const uint32_t offset = token_.offset;
  if (token_.IsWord("def")) {
    auto function = ParseFunction();
    if (!failed_ && depth_ == 1 && token_.kind == Tok::kEnd) {
      Fail(offset, "Top-level program not given (try \".\")");
    }
    if (failed_) return nullptr;
    AstPtr ast = Make(Kind::kFunction, offset);
    ast->function = std::move(function);
    AddKid(ast.get(), ParsePipe());
    ast->height = std::max(ast->height, ast->function->body->height + 1);
    return ast;
  }
  Advance();  // label
  if (token_.kind != Tok::kVariable) {
    Unexpected("BINDING");
    return nullptr;
  }
  AstPtr ast = Make(Kind::kLabel, offset);
  ast->name = token_.text;
  Advance();
  if (!Expect("|", "'|'")) return nullptr;
  AddKid(ast.get(), ParsePipe());
  return ast;
}

AstPtr Parser::ParsePipe() {
  if (!Enter()) return nullptr;
  AstPtr pipe = Make(Kind::kPipe, token_.offset);
  AstPtr comma = Make(Kind::kComma, token_.offset);
  const auto end_comma = [&] {
    AddKid(pipe.get(), comma->kids.size() == 1 ? std::move(comma->kids[0]) : std::move(comma));
    comma = Make(Kind::kComma, token_.offset);
  };
  while (!failed_) {
    if (token_.IsWord("def") || token_.IsWord("label")) {
      AddKid(comma.get(), ParsePrefixed());
      break;
    }
    AstPtr expression = ParseBinary(1);
    if (failed_) break;
    if (token_.IsWord("as")) {
      AddKid(comma.get(), ParseAs(std::move(expression)));
      break;
    }
    AddKid(comma.get(), std::move(expression));
    if (token_.Is(",")) {
      Advance();
    } else if (token_.Is("|")) {
      Advance();
      end_comma();
    } else {
      break;
    }
  }
  if (failed_) return nullptr;
  end_comma();
  --depth_;
  if (pipe->kids.size() == 1) return std::move(pipe->kids[0]);
  return pipe;
}

AstPtr Parser::ParseAs(AstPtr source) {
  AstPtr ast = Make(Kind::kAs, source->offset);
  AddKid(ast.get(), std::move(source));
  Advance();
  if (!ParsePatterns(ast.get()) || !Expect("|", "'|'")) return nullptr;
  AddKid(ast.get(), ParsePipe());
  return ast;
}

AstPtr Parser::ParseBinary(int precedence) {
  AstPtr left = ParsePostfix();
  int forbidden = 0;  // a non-associative operator's precedence, after it
  while (!failed_) {
    const Infix* infix = FindInfix(token_);
    if (infix == nullptr || infix->precedence < precedence) break;
    if (infix->precedence == forbidden) {
      Unexpected("");
      break;
    }
    const uint32_t offset = token_.offset;
    Advance();
    if (!Enter()) break;
    AstPtr right = ParseBinary(infix->precedence + (infix->side == Side::kRight ? 0 : 1));
    --depth_;
    if (failed_) break;
    if (infix->text == "?//") {  // the lexer took `?` and `//` for one
      AstPtr attempt = Make(Kind::kTry, offset);
      AddKid(attempt.get(), std::move(left));
      AddKid(attempt.get(), nullptr);
      left = std::move(attempt);
    }
    AstPtr ast = Make(infix->kind, left->offset);
    ast->op = infix->op;
    AddKid(ast.get(), std::move(left));
    AddKid(ast.get(), std::move(right));
    left = std::move(ast);
    forbidden = infix->side == Side::kNone ? infix->precedence : 0;
  }
  return failed_ ? nullptr : std::move(left);
}

std::shared_ptr<FunctionAst> Parser::ParseFunction() {
  auto function = std::make_shared<FunctionAst>();
  function->offset = token_.offset;
  Advance();
  if (token_.kind != Tok::kName || token_.is_keyword) {
    Unexpected("IDENT");
    return nullptr;
  }
  function->name = token_.text;
  Advance();
  if (token_.Is("(")) {
    do {
      Advance();
      if (token_.kind != Tok::kName && token_.kind != Tok::kVariable) {
        Unexpected("IDENT or BINDING");
        return nullptr;
      }
      function->parameters.push_back({token_.text, token_.kind == Tok::kVariable});
      Advance();
    } while (token_.Is(";"));
    if (!Expect(")", "';' or ')'")) return nullptr;
  }
  if (!Expect(":", function->parameters.empty() ? "':' or '('" : "':'")) return nullptr;
  function->body = ParsePipe();
  if (failed_ || !Expect(";", "'|' or ',' or ';'")) return nullptr;
  return function;
}

bool Parser::ParsePatterns(Ast* into) {
  for (;;) {
    Pattern pattern;
    if (!ParsePattern(&pattern, into)) return false;
    into->patterns.push_back(std::move(pattern));
    if (!token_.Is("?//")) return true;
    Advance();
  }
}

bool Parser::ParsePattern(Pattern* pattern, Ast* owner) {
  if (!Enter()) return false;
  if (token_.kind == Tok::kVariable) {
    pattern->name = token_.text;
    Advance();
  } else if (token_.Is("[")) {
    pattern->kind = Pattern::Kind::kArray;
    do {
      Advance();
      Pattern::Entry entry;
      entry.offset = token_.offset;
      entry.value = std::make_unique<Pattern>();
      if (!ParsePattern(entry.value.get(), owner)) return false;
      pattern->entries.push_back(std::move(entry));
    } while (token_.Is(","));
    if (!Expect("]", "',' or ']'")) return false;
  } else if (token_.Is("{")) {
    pattern->kind = Pattern::Kind::kObject;
    ++open_braces_;
    do {
      Advance();
      if (!ParsePatternEntry(pattern, owner)) return false;
    } while (token_.Is(","));
    if (!Expect("}", "',' or '}'")) return false;
    --open_braces_;
  } else {
    Unexpected("BINDING or '[' or '{'");
    return false;
  }
  --depth_;
  return true;
}

bool Parser::ParsePatternEntry(Pattern* pattern, Ast* owner) {
  Pattern::Entry entry;
  entry.offset = token_.offset;
  if (token_.kind == Tok::kVariable) {
    entry.variable = token_.text;
    entry.key = Make(Kind::kLiteral, token_.offset);
    entry.key->value = Value::String(token_.text);
    Advance();
  } else if (token_.kind == Tok::kName) {
    entry.key = Make(Kind::kLiteral, token_.offset);
    entry.key->value = Value::String(token_.text);
    Advance();
  } else if (token_.kind == Tok::kStringStart || token_.kind == Tok::kFormat) {
    entry.key = ParseTerm();
  } else if (token_.Is("(")) {
    Advance();
    entry.key = ParsePipe();
    if (failed_ || !Expect(")", "')'")) return false;
    if (!CheckKey(*entry.key)) return false;
  } else {
    Unexpected("");
    return false;
  }
  if (failed_) return false;
  owner->height = std::max(owner->height, entry.key->height + 1);
  if (entry.variable.empty() || token_.Is(":")) {
    if (!Expect(":", "':'")) return false;
    entry.value = std::make_unique<Pattern>();
    if (!ParsePattern(entry.value.get(), owner)) return false;
  }
  pattern->entries.push_back(std::move(entry));
  return true;
}

AstPtr Parser::Program() {
  Advance();
  if (token_.kind == Tok::kEnd) return Make(Kind::kIdentity, 0);
  for (std::string_view word : {"import", "include", "module"}) {
    if (!token_.IsWord(word)) continue;
    Fail(token_.offset, Join({"modules are not available here (", word, ")"}));
    return nullptr;
  }
  AstPtr ast = ParsePipe();
  if (!failed_ && token_.kind != Tok::kEnd) Unexpected("end of file");
  return failed_ ? nullptr : std::move(ast);
}

std::vector<std::shared_ptr<FunctionAst>> Parser::Definitions() {
  std::vector<std::shared_ptr<FunctionAst>> functions;
  Advance();
  while (!failed_ && token_.IsWord("def")) functions.push_back(ParseFunction());
  JAQUE_CHECK(!failed_ && token_.kind == Tok::kEnd);
  return functions;
}

AstPtr ParseProgram(std::string_view source, CompileError* error) {
  Parser parser(source);
  AstPtr ast = parser.Program();
  if (ast == nullptr) {
    *error = {PlaceOf(source, parser.error_offset()), parser.error()};
  }
  return ast;
}

std::vector<std::shared_ptr<FunctionAst>> ParseDefinitions(std::string_view source) {
  return Parser(source).Definitions();
}

SourcePlace PlaceOf(std::string_view source, size_t offset) {
  SourcePlace place;
  size_t start = 0;
  for (size_t i = 0; i < offset && i < source.size(); ++i) {
    if (source[i] != '\n') continue;
    ++place.line;
    start = i + 1;
  }
  place.column = static_cast<int>(std::min(offset, source.size()) - start) + 1;
  return place;
}

}  // namespace jaque::expression
