// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a jq program, as the parser makes it and the compiler reads it. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expression/value.h"

namespace jaque::expression {

enum class Op : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAlternative,  // only as the operator of `//=`
};

struct Ast;
using AstPtr = std::unique_ptr<Ast>;

// A place to put what `as` takes apart.
struct Pattern {
  enum class Kind : uint8_t { kVariable, kArray, kObject };
  struct Entry {
    AstPtr key;                      // of an object's entry
    std::string variable;            // `{$name}` and `{$name: pattern}` bind this too
    std::unique_ptr<Pattern> value;  // may be null after `$name`
    uint32_t offset = 0;
  };
  Kind kind = Kind::kVariable;
  std::string name;
  std::vector<Entry> entries;  // of an array: only values
};

struct FunctionAst {
  struct Parameter {
    std::string name;
    bool variable = false;  // `$name`
  };
  std::string name;
  std::vector<Parameter> parameters;
  AstPtr body;
  uint32_t offset = 0;
};

struct Ast {
  enum class Kind : uint8_t {
    kIdentity,
    kRecurse,
    kIndex,    // kids: target, index
    kSlice,    // kids: target, from or null, to or null
    kIterate,  // kids: target
    kLiteral,  // value
    kString,   // name: format or empty; kids: literals and interpolated expressions in turn
    kFormat,   // name
    kArray,    // kids: nothing or one
    kObject,   // kids: key, value, key, value …
    kNegate,
    kPipe,
    kComma,
    kBinary,  // op; kids: left, right
    kAnd,
    kOr,
    kAlternative,
    kAssign,
    kUpdate,
    kOperatorUpdate,  // op
    kIf,              // kids: condition, then, condition, then … else or null
    kTry,             // kids: body, handler or null
    kReduce,          // kids: source, start, update
    kForeach,         // kids: source, start, update, extract or null
    kAs,              // kids: source, body
    kFunction,        // kids: body
    kCall,            // name; kids: arguments
    kVariable,
    kLabel,
    kBreak,  // name
  };

  Kind kind = Kind::kIdentity;
  Op op = Op::kAdd;
  uint32_t offset = 0;  // in the source
  uint32_t height = 1;
  std::string name;
  Value value;
  std::vector<AstPtr> kids;
  std::vector<Pattern> patterns;
  std::shared_ptr<FunctionAst> function;
};

// What jq sees as a constant when it parses: literals, arrays and objects of them,
// operators on them.
std::optional<Value> ConstantOf(const Ast& ast);

}  // namespace jaque::expression
