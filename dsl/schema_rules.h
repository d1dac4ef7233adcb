// SPDX-License-Identifier: Apache-2.0
// A compiled JSON schema: rules by number, so that schemas may refer to each other in circles. Made
// by schema_compile.cc, applied by schema_validate.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "expression/regex.h"
#include "expression/value.h"

namespace jaque::dsl {

struct SchemaRule {
  static constexpr int kNone = -1;  // no such subschema
  enum Type : uint8_t {
    kNull = 1,
    kBoolean = 2,
    kNumber = 4,
    kInteger = 8,
    kString = 16,
    kArray = 32,
    kObject = 64
  };
  using Regex = std::shared_ptr<const expression::Regex>;

  bool never = false;                               // the schema `false`
  uint8_t types = 0;                                // 0: any
  std::optional<std::vector<Value>> one_of_values;  // enum, const
  std::optional<Value> least, most, above, below, multiple_of;
  std::optional<uint64_t> least_length, most_length;
  Regex pattern;
  std::string pattern_text, format;

  std::vector<int> prefix;  // prefixItems
  int items = kNone, contains = kNone, unevaluated_items = kNone;
  std::optional<uint64_t> least_items, most_items, least_contains, most_contains;
  bool unique = false;

  absl::flat_hash_map<std::string, int> properties;
  std::vector<std::pair<Regex, int>> pattern_properties;
  int additional = kNone, names = kNone, unevaluated_properties = kNone;
  std::vector<std::string> required;
  std::optional<uint64_t> least_properties, most_properties;
  std::vector<std::pair<std::string, std::vector<std::string>>> dependent_required;
  std::vector<std::pair<std::string, int>> dependent_schemas;

  std::vector<int> refs;  // $ref, $dynamicRef
  std::vector<int> all_of, any_of, one_of;
  int negated = kNone, condition = kNone, then = kNone, otherwise = kNone;
};

struct SchemaRules {
  std::vector<SchemaRule> rules;  // the first is the document's root
  bool tracks_evaluated = false;  // some rule has an unevaluated… keyword
};

// "" if `text` is of the format or the format is not known here; else what it must be.
std::string CheckFormat(std::string_view format, std::string_view text);
size_t CountCharacters(std::string_view utf8);

}  // namespace jaque::dsl
