// SPDX-License-Identifier: Apache-2.0
// jq's built-in functions: those in C++ (by theme, builtins_*.cc), those in jq (prelude.cc), and
// those that the compiler itself knows. Immutable, any thread.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "expression/ast.h"
#include "expression/nodes_basic.h"

namespace jaque::expression {

struct NativeEntry {
  std::string_view name;
  size_t arity;
  NativeFunction function;
};

absl::Span<const NativeEntry> CoreBuiltins();
absl::Span<const NativeEntry> StringBuiltins();
absl::Span<const NativeEntry> ArrayBuiltins();
absl::Span<const NativeEntry> ObjectBuiltins();
absl::Span<const NativeEntry> MathBuiltins();
absl::Span<const NativeEntry> TimeBuiltins();
absl::Span<const NativeEntry> RegexBuiltins();
// Whether its arguments are a pattern and flags.
bool TakesPattern(NativeFunction function);

// Null if there is none of that name.
NativeFunction FindNative(std::string_view name, size_t arity);
const FunctionAst* FindPrelude(std::string_view name, size_t arity);

// What the compiler turns into nodes of its own.
enum class Special : unsigned char {
  kNone,
  kConstant,  // a value that never changes: null, infinite …
  kEmpty,
  kIdentity,
  kPath,
  kGetPath,
  kSelect,
  kMap,
  kMapValues,
  kRecurse,
  kRange,
  kFirst,
  kLimit,
  kSkip,
  kUntil,
  kDelete,
  kSortBy,
  kGroupBy,
  kUniqueBy,
  kMinBy,
  kMaxBy,
};
Special FindSpecial(std::string_view name, size_t arity);
Value SpecialConstant(std::string_view name);

// Why a name that jq knows is refused here; empty if it is not.
std::string_view WhyUnavailable(std::string_view name, size_t arity);
bool IsBuiltin(std::string_view name, size_t arity);
// Names and numbers of parameters, of the functions in jq and of all.
std::vector<std::pair<std::string_view, size_t>> PreludeKeys();
std::vector<std::pair<std::string_view, size_t>> BuiltinKeys();
// "name/arity" of all, as `builtins` gives them.
const std::vector<Value>& BuiltinNames();

}  // namespace jaque::expression
