// SPDX-License-Identifier: Apache-2.0
// Terms of jq: what operators connect.
#include "expression/describe.h"
#include "expression/json.h"
#include "expression/number.h"
#include "expression/parser.h"
#include "expression/parser_internal.h"
#include "expression/text.h"

namespace jaque::expression {

using Kind = Ast::Kind;

AstPtr Parser::ParsePostfix() {
  if (token_.Is("-") || token_.IsWord("try")) {
    if (!Enter()) return nullptr;
    AstPtr term = token_.Is("-") ? ParseNegation() : ParseTry();
    --depth_;
    return failed_ ? nullptr : std::move(term);
  }
  const bool in_parentheses = token_.Is("(");
  AstPtr term = ParseTerm();
  step_ = in_parentheses ? nullptr : term.get();
  while (!failed_ && ParseSuffix(&term)) {
    step_ = term.get();
  }
  return failed_ ? nullptr : std::move(term);
}

AstPtr Parser::ParseNegation() {
  AstPtr term = Make(Kind::kNegate, token_.offset);
  Advance();
  AstPtr operand = ParsePostfix();
  if (failed_) return nullptr;
  AddKid(term.get(), std::move(operand));
  return term;
}

// One of `.name`, `."string"`, `[…]`, `.[…]`, `?` after a term; false if there is none.
bool Parser::ParseSuffix(AstPtr* term) {
  const uint32_t offset = token_.offset;
  if (token_.Is("?")) {
    Advance();
    *term = Optional(std::move(*term), offset);
    return true;
  }
  if (token_.kind == Tok::kField) {
    AstPtr ast = Make(Kind::kIndex, offset);
    AddKid(ast.get(), std::move(*term));
    AstPtr key = Make(Kind::kLiteral, offset);
    key->value = Value::String(token_.text);
    AddKid(ast.get(), std::move(key));
    Advance();
    *term = std::move(ast);
    return true;
  }
  if (token_.Is("[")) {
    *term = ParseBracket(std::move(*term));
    return !failed_;
  }
  if (!token_.Is(".")) return false;
  Advance();
  if (token_.Is("[")) {
    *term = ParseBracket(std::move(*term));
    return !failed_;
  }
  if (token_.kind != Tok::kStringStart && token_.kind != Tok::kFormat) {
    Unexpected("FORMAT or QQSTRING_START or '['");
    return false;
  }
  AstPtr ast = Make(Kind::kIndex, offset);
  AddKid(ast.get(), std::move(*term));
  AstPtr key = ParseTerm();
  if (failed_) return false;
  AddKid(ast.get(), std::move(key));
  *term = std::move(ast);
  return true;
}

// `term?`. After a step, `.a.b?` or `.a[]?`, only that step is optional, not what it starts from.
AstPtr Parser::Optional(AstPtr term, uint32_t offset) {
  AstPtr from;
  bool constant = term.get() == step_;
  for (size_t i = 1; constant && i < term->kids.size(); ++i) {
    constant = term->kids[i] == nullptr || term->kids[i]->kind == Kind::kLiteral;
  }
  const bool step =
      term->kind == Kind::kIndex || term->kind == Kind::kIterate || term->kind == Kind::kSlice;
  if (constant && step && term->kids[0]->kind != Kind::kIdentity) {
    from = std::exchange(term->kids[0], Make(Kind::kIdentity, offset));
  }
  AstPtr attempt = Make(Kind::kTry, offset);
  AddKid(attempt.get(), std::move(term));
  AddKid(attempt.get(), nullptr);
  if (from == nullptr) return attempt;
  AstPtr pipe = Make(Kind::kPipe, offset);
  AddKid(pipe.get(), std::move(from));
  AddKid(pipe.get(), std::move(attempt));
  return pipe;
}

// `[]`, `[index]`, `[from:to]` after `target`.
AstPtr Parser::ParseBracket(AstPtr target) {
  const uint32_t offset = token_.offset;
  Advance();
  if (token_.Is("]")) {
    Advance();
    AstPtr ast = Make(Kind::kIterate, offset);
    AddKid(ast.get(), std::move(target));
    return ast;
  }
  AstPtr from;
  if (!token_.Is(":")) from = ParsePipe();
  if (failed_) return nullptr;
  if (token_.Is("]")) {
    Advance();
    AstPtr ast = Make(Kind::kIndex, offset);
    AddKid(ast.get(), std::move(target));
    AddKid(ast.get(), std::move(from));
    return ast;
  }
  if (!Expect(":", "'|' or ',' or ':' or ']'")) return nullptr;
  AstPtr to;
  if (from == nullptr || !token_.Is("]")) to = ParsePipe();
  if (failed_ || !Expect("]", "'|' or ',' or ']'")) return nullptr;
  AstPtr ast = Make(Kind::kSlice, offset);
  AddKid(ast.get(), std::move(target));
  AddKid(ast.get(), std::move(from));
  AddKid(ast.get(), std::move(to));
  return ast;
}

AstPtr Parser::ParseTerm() {
  const uint32_t offset = token_.offset;
  switch (token_.kind) {
    case Tok::kNumber: {
      AstPtr ast = Make(Kind::kLiteral, offset);
      ast->value = NumberFromJqText(token_.text).value_or(Value());
      Advance();
      return ast;
    }
    case Tok::kStringStart:
      return ParseString("", offset);
    case Tok::kFormat: {
      std::string format = token_.text;
      Advance();
      if (token_.kind == Tok::kStringStart) return ParseString(std::move(format), offset);
      AstPtr ast = Make(Kind::kFormat, offset);
      ast->name = std::move(format);
      return ast;
    }
    case Tok::kField: {
      AstPtr ast = Make(Kind::kIdentity, offset);
      ParseSuffix(&ast);
      return ast;
    }
    case Tok::kVariable: {
      AstPtr ast = token_.text == "__loc__" ? Location(offset) : Make(Kind::kVariable, offset);
      if (ast->kind == Kind::kVariable) ast->name = token_.text;
      Advance();
      return ast;
    }
    case Tok::kName:
      return ParseNamed();
    case Tok::kOperator:
      break;
    default:
      Unexpected("");
      return nullptr;
  }
  if (token_.Is(".")) return ParseDot();
  if (token_.Is("..")) {
    Advance();
    return Make(Kind::kRecurse, offset);
  }
  if (token_.Is("(")) {
    Advance();
    AstPtr inner = ParsePipe();
    if (failed_ || !Expect(")", "'|' or ',' or ')'")) return nullptr;
    return inner;
  }
  if (token_.Is("[")) return ParseArray();
  if (token_.Is("{")) return ParseObject();
  Unexpected("");
  return nullptr;
}

AstPtr Parser::ParseDot() {
  AstPtr ast = Make(Kind::kIdentity, token_.offset);
  Advance();
  if (token_.Is("[")) return ParseBracket(std::move(ast));
  if (token_.kind == Tok::kStringStart || token_.kind == Tok::kFormat) {
    AstPtr index = Make(Kind::kIndex, ast->offset);
    AddKid(index.get(), std::move(ast));
    AstPtr key = ParseTerm();
    if (failed_) return nullptr;
    AddKid(index.get(), std::move(key));
    return index;
  }
  return ast;
}

// `{"file":"<top-level>","line":n}`.
AstPtr Parser::Location(uint32_t offset) const {
  AstPtr ast = Make(Kind::kLiteral, offset);
  ast->value = Value::Object({{"file", Value::String("<top-level>")},
                              {"line", Value::Int(PlaceOf(source_, offset).line)}});
  return ast;
}

AstPtr Parser::ParseNamed() {
  if (token_.text == "if") return ParseIf();
  if (token_.text == "reduce" || token_.text == "foreach") return ParseLoop();
  if (token_.text == "break") {
    AstPtr ast = Make(Kind::kBreak, token_.offset);
    Advance();
    if (token_.kind != Tok::kVariable) {
      Unexpected("BINDING");
      return nullptr;
    }
    ast->name = token_.text;
    Advance();
    return ast;
  }
  if (token_.is_keyword) {
    Unexpected("");
    return nullptr;
  }
  return ParseCall();
}

AstPtr Parser::ParseCall() {
  AstPtr ast = Make(Kind::kCall, token_.offset);
  ast->name = token_.text;
  Advance();
  if (ast->name == "true" || ast->name == "false" || ast->name == "null") {
    if (!token_.Is("(")) {
      ast->kind = Kind::kLiteral;
      if (ast->name != "null") ast->value = Value::Bool(ast->name == "true");
      return ast;
    }
  }
  if (!token_.Is("(")) return ast;
  do {
    Advance();
    AstPtr argument = ParsePipe();
    if (failed_) return nullptr;
    AddKid(ast.get(), std::move(argument));
  } while (token_.Is(";"));
  if (!Expect(")", "';' or ')'")) return nullptr;
  return ast;
}

AstPtr Parser::ParseString(std::string format, uint32_t offset) {
  AstPtr ast = Make(Kind::kString, offset);
  ast->name = std::move(format);
  const uint32_t start = token_.offset;
  for (;;) {
    token_ = lexer_.NextInString(start);
    if (token_.kind == Tok::kStringEnd) break;
    if (token_.kind == Tok::kStringText) {
      AstPtr text = Make(Kind::kLiteral, token_.offset);
      text->value = Value::String(token_.text);
      AddKid(ast.get(), std::move(text));
      continue;
    }
    if (token_.kind != Tok::kInterpolation) {
      Unexpected("");
      return nullptr;
    }
    Advance();
    AstPtr part = ParsePipe();
    if (failed_) return nullptr;
    if (!token_.Is(")")) {  // not Expect: what follows is the string's text
      Unexpected("QQSTRING_INTERP_END or '|' or ','");
      return nullptr;
    }
    // Marks the kid as interpolated, whatever it is.
    AstPtr interpolated = Make(Kind::kFormat, part->offset);
    AddKid(interpolated.get(), std::move(part));
    AddKid(ast.get(), std::move(interpolated));
  }
  Advance();
  if (ast->kids.empty() || (ast->kids.size() == 1 && ast->kids[0]->kind == Kind::kLiteral)) {
    AstPtr literal = Make(Kind::kLiteral, offset);
    literal->value = ast->kids.empty() ? Value::String("") : ast->kids[0]->value;
    return literal;
  }
  return ast;
}

AstPtr Parser::ParseArray() {
  AstPtr ast = Make(Kind::kArray, token_.offset);
  Advance();
  if (token_.Is("]")) {
    Advance();
    return ast;
  }
  AstPtr content = ParsePipe();
  if (failed_ || !Expect("]", "'|' or ',' or ']'")) return nullptr;
  AddKid(ast.get(), std::move(content));
  return ast;
}

AstPtr Parser::ParseObject() {
  AstPtr ast = Make(Kind::kObject, token_.offset);
  const uint32_t object_start = token_.offset;
  ++open_braces_;
  Advance();
  while (!failed_ && !token_.Is("}")) {
    if (!ParseEntry(ast.get())) return nullptr;
    if (!token_.Is(",")) break;
    Advance();
    if (token_.Is("}")) break;  // a trailing comma is fine
  }
  if (failed_ || !Expect("}", object_start == last_offset_ ? "" : "'}'")) return nullptr;
  --open_braces_;
  return ast;
}

bool Parser::ParseEntry(Ast* object) {
  AstPtr implied;
  AstPtr key = ParseEntryKey(&implied);
  if (failed_) return false;
  AstPtr value;
  if (token_.Is(":")) {
    Advance();
    value = ParseEntryValue();
  } else if (implied != nullptr) {
    value = std::move(implied);
  } else {
    Unexpected("':'");
  }
  if (failed_) return false;
  AddKid(object, std::move(key));
  AddKid(object, std::move(value));
  return !failed_;
}

// Without ": value" an entry's value is the field, or the variable, of the key's name.
AstPtr Parser::ParseEntryKey(AstPtr* implied_value) {
  const uint32_t offset = token_.offset;
  AstPtr key = Make(Kind::kLiteral, offset);
  if (token_.kind == Tok::kVariable) {
    const std::string name = token_.text;
    AstPtr variable = ParseTerm();
    if (!failed_ && token_.Is(":")) return variable;  // its value is the key
    *implied_value = std::move(variable);
    key->value = Value::String(name);
    return key;
  }
  if (token_.kind == Tok::kName) {
    key->value = Value::String(token_.text);
    Advance();
  } else if (token_.kind == Tok::kNumber) {
    const Value number = NumberFromJqText(token_.text).value_or(Value());
    const std::string text = ToJson(number);
    Advance();
    if (token_.Is("}") || token_.Is(",")) {
      Fail(offset, "syntax error, unexpected LITERAL");
      return nullptr;
    }
    if (!token_.Is(":")) {
      Fail(offset, "May need parentheses around object key expression");
      return nullptr;
    }
    Fail(offset, Join({"Cannot use number (", text, ") as object key"}));
    return nullptr;
  } else if (token_.kind == Tok::kStringStart || token_.kind == Tok::kFormat) {
    key = ParseTerm();
    if (!failed_ && key->kind == Kind::kFormat) Unexpected("QQSTRING_START");
    if (failed_) return nullptr;
  } else if (token_.Is("(")) {
    Advance();
    key = ParsePipe();
    if (failed_ || !Expect(")", "'|' or ',' or ')'")) return nullptr;
    if (token_.Is(":")) CheckKey(*key);
    return failed_ ? nullptr : std::move(key);
  } else {
    Unexpected("");
    return nullptr;
  }
  if (token_.Is(":")) return key;
  if (!token_.Is(",") && !token_.Is("}") && token_.kind != Tok::kEnd) {
    Unexpected("'}'");
    return nullptr;
  }
  AstPtr field = Make(Kind::kIndex, offset);
  AddKid(field.get(), Make(Kind::kIdentity, offset));
  if (key->kind == Kind::kLiteral) {
    AstPtr name = Make(Kind::kLiteral, offset);
    name->value = key->value;
    AddKid(field.get(), std::move(name));
    *implied_value = std::move(field);
    return key;
  }
  // The field of an interpolated name: both uses share one evaluation of the text.
  *implied_value = std::move(field);
  return key;
}

// Operators and pipes, but no comma.
AstPtr Parser::ParseEntryValue() {
  if (!Enter()) return nullptr;
  AstPtr pipe = Make(Kind::kPipe, token_.offset);
  do {
    if (!pipe->kids.empty()) Advance();
    AstPtr part = ParseBinary(1);
    if (failed_) return nullptr;
    AddKid(pipe.get(), std::move(part));
  } while (token_.Is("|"));
  --depth_;
  return pipe->kids.size() == 1 ? std::move(pipe->kids[0]) : std::move(pipe);
}

bool Parser::CheckKey(const Ast& key) {
  const std::optional<Value> known = ConstantOf(key);
  if (!known.has_value() || known->is_string()) return true;
  Fail(key.offset,
       Join({"Cannot use ", TypeName(*known), " (", ToJson(*known), ") as object key"}));
  return false;
}

AstPtr Parser::ParseIf() {
  AstPtr ast = Make(Kind::kIf, token_.offset);
  do {
    Advance();  // if, elif
    AstPtr condition = ParsePipe();
    if (failed_ || !Expect("then", "then or '|' or ','")) return nullptr;
    AstPtr then = ParsePipe();
    if (failed_) return nullptr;
    AddKid(ast.get(), std::move(condition));
    AddKid(ast.get(), std::move(then));
  } while (token_.IsWord("elif"));
  AstPtr otherwise;
  if (token_.IsWord("else")) {
    Advance();
    otherwise = ParsePipe();
    if (failed_) return nullptr;
  }
  if (!Expect("end", "end")) return nullptr;
  AddKid(ast.get(), std::move(otherwise));
  return ast;
}

AstPtr Parser::ParseTry() {
  AstPtr ast = Make(Kind::kTry, token_.offset);
  Advance();
  AstPtr body = ParsePostfix();
  if (failed_) return nullptr;
  AstPtr handler;
  if (token_.IsWord("catch")) {
    Advance();
    handler = ParsePostfix();
    if (failed_) return nullptr;
  }
  AddKid(ast.get(), std::move(body));
  AddKid(ast.get(), std::move(handler));
  return ast;
}

AstPtr Parser::ParseLoop() {
  if (!Enter()) return nullptr;
  const bool reduce = token_.text == "reduce";
  AstPtr ast = Make(reduce ? Kind::kReduce : Kind::kForeach, token_.offset);
  Advance();
  AstPtr source = ParseBinary(1);
  if (failed_) return nullptr;
  AddKid(ast.get(), std::move(source));
  if (!Expect("as", "as") || !ParsePatterns(ast.get()) || !Expect("(", "'('")) return nullptr;
  AddKid(ast.get(), ParsePipe());
  if (failed_ || !Expect(";", "'|' or ',' or ';'")) return nullptr;
  AddKid(ast.get(), ParsePipe());
  if (failed_) return nullptr;
  if (!reduce && token_.Is(";")) {
    Advance();
    AddKid(ast.get(), ParsePipe());
  } else if (!reduce) {
    AddKid(ast.get(), nullptr);
  }
  if (failed_ || !Expect(")", "'|' or ',' or ')'")) return nullptr;
  --depth_;
  return ast;
}

}  // namespace jaque::expression
