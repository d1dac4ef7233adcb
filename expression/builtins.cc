// SPDX-License-Identifier: Apache-2.0
#include "expression/builtins.h"

#include <cmath>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "expression/text.h"

namespace jaque::expression {
namespace {

struct SpecialEntry {
  std::string_view name;
  size_t arity;
  Special special;
};

constexpr SpecialEntry kSpecials[] = {
    {"empty", 0, Special::kEmpty},
    {"inputs", 0, Special::kEmpty},  // there is no input but `.`
    {"debug", 0, Special::kIdentity},
    {"stderr", 0, Special::kIdentity},
    {"env", 0, Special::kConstant},
    {"input_filename", 0, Special::kConstant},
    {"infinite", 0, Special::kConstant},
    {"nan", 0, Special::kConstant},
    {"null", 0, Special::kConstant},
    {"have_literal_numbers", 0, Special::kConstant},
    {"have_decnum", 0, Special::kConstant},
    {"path", 1, Special::kPath},
    {"getpath", 1, Special::kGetPath},
    {"select", 1, Special::kSelect},
    {"map", 1, Special::kMap},
    {"map_values", 1, Special::kMapValues},
    {"recurse", 0, Special::kRecurse},
    {"range", 1, Special::kRange},
    {"range", 2, Special::kRange},
    {"range", 3, Special::kRange},
    {"first", 1, Special::kFirst},
    {"limit", 2, Special::kLimit},
    {"until", 2, Special::kUntil},
    {"del", 1, Special::kDelete},
    {"sort_by", 1, Special::kSortBy},
    {"group_by", 1, Special::kGroupBy},
    {"unique_by", 1, Special::kUniqueBy},
    {"min_by", 1, Special::kMinBy},
    {"max_by", 1, Special::kMaxBy},
};

struct Refused {
  std::string_view name;
  size_t arity;
  std::string_view why;
};

constexpr Refused kRefused[] = {
    {"halt", 0, "an expression cannot end the process"},
    {"halt_error", 0, "an expression cannot end the process; use error"},
    {"halt_error", 1, "an expression cannot end the process; use error"},
    {"input_line_number", 0, "the input is a value, not text"},
    {"get_search_list", 0, "there are no modules"},
    {"get_prog_origin", 0, "there are no modules"},
    {"get_jq_origin", 0, "there are no modules"},
    {"modulemeta", 0, "there are no modules"},
};

using Key = std::pair<std::string_view, size_t>;

const absl::flat_hash_map<Key, NativeFunction>& Natives() {
  static const auto* natives = [] {
    auto* map = new absl::flat_hash_map<Key, NativeFunction>;
    for (const auto entries : {CoreBuiltins(), StringBuiltins(), ArrayBuiltins(), ObjectBuiltins(),
                               MathBuiltins(), TimeBuiltins(), RegexBuiltins()}) {
      for (const NativeEntry& entry : entries) (*map)[{entry.name, entry.arity}] = entry.function;
    }
    return map;
  }();
  return *natives;
}

}  // namespace

NativeFunction FindNative(std::string_view name, size_t arity) {
  const auto found = Natives().find(Key{name, arity});
  return found == Natives().end() ? nullptr : found->second;
}

Special FindSpecial(std::string_view name, size_t arity) {
  for (const SpecialEntry& entry : kSpecials) {
    if (entry.name == name && entry.arity == arity) return entry.special;
  }
  return Special::kNone;
}

Value SpecialConstant(std::string_view name) {
  if (name == "env") return Value::Object();
  if (name == "infinite") return Value::Double(std::numeric_limits<double>::infinity());
  if (name == "nan") return Value::Double(std::numeric_limits<double>::quiet_NaN());
  if (name == "have_literal_numbers" || name == "have_decnum") return Value::Bool(true);
  return Value();
}

std::string_view WhyUnavailable(std::string_view name, size_t arity) {
  for (const Refused& refused : kRefused) {
    if (refused.name == name && refused.arity == arity) return refused.why;
  }
  return {};
}

bool IsBuiltin(std::string_view name, size_t arity) {
  return FindSpecial(name, arity) != Special::kNone || FindNative(name, arity) != nullptr ||
         FindPrelude(name, arity) != nullptr;
}

std::vector<std::pair<std::string_view, size_t>> BuiltinKeys() {
  auto keys = PreludeKeys();
  for (const SpecialEntry& entry : kSpecials) keys.emplace_back(entry.name, entry.arity);
  for (const auto& [key, function] : Natives()) keys.push_back(key);
  return keys;
}

}  // namespace jaque::expression
