// SPDX-License-Identifier: Apache-2.0
// jq source to syntax tree. One thread. Nesting is bounded (limits::kExpressionNesting), so that
// the parser and the compiler may recurse.
#pragma once

#include <optional>
#include <string_view>

#include "expression/ast.h"
#include "expression/program.h"

namespace jaque::expression {

// Null and an error, where the text is not jq.
AstPtr ParseProgram(std::string_view source, CompileError* error);
// Definitions only ("def a: …; def b: …;"), the built-in ones.
std::vector<std::shared_ptr<FunctionAst>> ParseDefinitions(std::string_view source);

SourcePlace PlaceOf(std::string_view source, size_t offset);

}  // namespace jaque::expression
