// SPDX-License-Identifier: Apache-2.0
#include "dsl/schema_compile.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/limits.h"
#include "dsl/node.h"
#include "dsl/schema_rules.h"
#include "dsl/schema_validate.h"
#include "dsl/text.h"

namespace jaque::dsl {
namespace {

struct TypeName {
  std::string_view name;
  uint8_t type;
};
constexpr TypeName kTypes[] = {{"null", SchemaRule::kNull},     {"boolean", SchemaRule::kBoolean},
                               {"number", SchemaRule::kNumber}, {"integer", SchemaRule::kInteger},
                               {"string", SchemaRule::kString}, {"array", SchemaRule::kArray},
                               {"object", SchemaRule::kObject}};

std::string PercentDecoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() &&
                        absl::ascii_isxdigit(text[i + 1]) && absl::ascii_isxdigit(text[i + 2]);
    if (!escape) {
      out.push_back(text[i]);
      continue;
    }
    out.push_back(static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16)));
    i += 2;
  }
  return out;
}

// The value at `pointer`, nullptr if there is none.
const Value* Resolve(const Value& document, std::string_view pointer) {
  const Value* value = &document;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const size_t end = std::min(pointer.find('/'), pointer.size());
    std::string token;
    for (size_t i = 0; i < end; ++i) {
      const bool escape = pointer[i] == '~' && i + 1 < end;
      token.push_back(!escape ? pointer[i] : pointer[++i] == '1' ? '/' : '~');
    }
    pointer.remove_prefix(end);
    if (value->is_object()) {
      value = value->Find(token);
    } else if (value->is_array() && !token.empty() && token.size() < 9 &&
               token.find_first_not_of("0123456789") == std::string::npos) {
      const size_t index = std::stoul(token);
      value = index < value->size() ? &value->at(index) : nullptr;
    } else {
      value = nullptr;
    }
    if (value == nullptr) return nullptr;
  }
  return value;
}

class SchemaCompiler {
 public:
  SchemaCompiler(const Value& document, SchemaProblem* problem)
      : document_(document), problem_(problem) {}

  std::shared_ptr<const SchemaRules> Compile() {
    CollectNames(document_, "", 0);
    if (!failed_) CompileAt("", document_, 0);
    if (failed_) return nullptr;
    return std::move(rules_);
  }

 private:
  // What a keyword is compiled with.
  struct At {
    int rule;             // number in rules_
    std::string pointer;  // of the keyword's value
    const Value& value;
    int depth;
  };

  void Fail(std::string pointer, std::string message) {
    if (failed_) return;
    failed_ = true;
    *problem_ = {std::move(pointer), std::move(message)};
  }

  SchemaRule& rule(const At& at) { return rules_->rules[at.rule]; }

  // $anchor and $id, wherever they stand.
  void CollectNames(const Value& value, const std::string& pointer, int depth) {
    if (depth > limits::kDefinitionDepth) return Fail(pointer, "nested too deep");
    if (value.is_array()) {
      for (size_t i = 0; i < value.size(); ++i)
        CollectNames(value.at(i), Cat(pointer, "/", i), depth + 1);
    }
    if (!value.is_object()) return;
    for (const char* keyword : {"$anchor", "$dynamicAnchor"}) {
      const std::string_view name = value.StringOr(keyword, "");
      if (!name.empty()) names_.emplace(Cat("#", name), pointer);
    }
    const std::string_view id = value.StringOr("$id", "");
    if (!id.empty() && id[0] != '#') {
      names_.emplace(std::string(id.substr(0, id.find('#'))), pointer);
      resources_.push_back(pointer);
    } else if (!id.empty()) {
      names_.emplace(id, pointer);  // draft 7's anchor
    }
    value.ForEachMember([&](std::string_view key, const Value& member) {
      std::string below = pointer;
      AppendPointerToken(key, &below);
      CollectNames(member, below, depth + 1);
      return !failed_;
    });
  }

  // The number of the rule for the schema at `pointer`.
  int CompileAt(const std::string& pointer, const Value& schema, int depth) {
    const auto [known, added] =
        by_pointer_.emplace(pointer, static_cast<int>(rules_->rules.size()));
    const int number = known->second;
    if (!added || failed_) return number;
    rules_->rules.emplace_back();
    if (depth > limits::kDefinitionDepth) {
      Fail(pointer, "nested too deep");
    } else if (schema.is_bool()) {
      rules_->rules[number].never = !schema.truthy();
    } else if (!schema.is_object()) {
      Fail(pointer, Cat("a schema is an object, true or false, not ", KindName(schema)));
    } else {
      schema.ForEachMember([&](std::string_view keyword, const Value& value) {
        std::string below = pointer;
        AppendPointerToken(keyword, &below);
        CompileKeyword(keyword, {number, std::move(below), value, depth + 1});
        return !failed_;
      });
    }
    return number;
  }

  void CompileKeyword(std::string_view keyword, const At& at) {
    using Handler = void (SchemaCompiler::*)(const At&);
    static const auto& handlers = *new absl::flat_hash_map<std::string, Handler>{
        {"type", &SchemaCompiler::Type},
        {"enum", &SchemaCompiler::Enum},
        {"const", &SchemaCompiler::Const},
        {"pattern", &SchemaCompiler::Pattern},
        {"format", &SchemaCompiler::Format},
        {"uniqueItems", &SchemaCompiler::Unique},
        {"items", &SchemaCompiler::Items},
        {"prefixItems", &SchemaCompiler::PrefixItems},
        {"properties", &SchemaCompiler::Properties},
        {"patternProperties", &SchemaCompiler::PatternProperties},
        {"required", &SchemaCompiler::Required},
        {"dependentRequired", &SchemaCompiler::Dependencies},
        {"dependentSchemas", &SchemaCompiler::Dependencies},
        {"dependencies", &SchemaCompiler::Dependencies},
        {"allOf", &SchemaCompiler::AllOf},
        {"anyOf", &SchemaCompiler::AnyOf},
        {"oneOf", &SchemaCompiler::OneOf},
        {"$ref", &SchemaCompiler::Ref},
        {"$dynamicRef", &SchemaCompiler::Ref},
        {"$defs", &SchemaCompiler::Definitions},
        {"definitions", &SchemaCompiler::Definitions}};
    const auto handler = handlers.find(std::string(keyword));
    if (handler != handlers.end()) return (this->*handler->second)(at);
    if (CompileCount(keyword, at) || CompileBound(keyword, at)) return;
    CompileSubschema(keyword, at);
  }

  bool CompileCount(std::string_view keyword, const At& at) {
    using Member = std::optional<uint64_t> SchemaRule::*;
    static const auto& members = *new absl::flat_hash_map<std::string, Member>{
        {"minLength", &SchemaRule::least_length},
        {"maxLength", &SchemaRule::most_length},
        {"minItems", &SchemaRule::least_items},
        {"maxItems", &SchemaRule::most_items},
        {"minContains", &SchemaRule::least_contains},
        {"maxContains", &SchemaRule::most_contains},
        {"minProperties", &SchemaRule::least_properties},
        {"maxProperties", &SchemaRule::most_properties}};
    const auto member = members.find(std::string(keyword));
    if (member == members.end()) return false;
    const bool number = at.value.is_number();
    const double approximate = number ? at.value.AsDouble() : -1;
    if (approximate < 0 ||
        approximate != static_cast<double>(static_cast<uint64_t>(std::min(approximate, 1e18)))) {
      Fail(at.pointer, Cat("`", keyword, "` must be a whole number from 0"));
    } else {
      rule(at).*(member->second) = static_cast<uint64_t>(approximate);
    }
    return true;
  }

  bool CompileBound(std::string_view keyword, const At& at) {
    using Member = std::optional<Value> SchemaRule::*;
    static const auto& members =
        *new absl::flat_hash_map<std::string, Member>{{"minimum", &SchemaRule::least},
                                                      {"maximum", &SchemaRule::most},
                                                      {"exclusiveMinimum", &SchemaRule::above},
                                                      {"exclusiveMaximum", &SchemaRule::below},
                                                      {"multipleOf", &SchemaRule::multiple_of}};
    const auto member = members.find(std::string(keyword));
    if (member == members.end()) return false;
    if (!at.value.is_number()) {
      Fail(at.pointer, Cat("`", keyword, "` must be a number"));
    } else if (keyword == "multipleOf" && !(at.value.AsDouble() > 0)) {
      Fail(at.pointer, "`multipleOf` must be greater than 0");
    } else {
      rule(at).*(member->second) = at.value;
    }
    return true;
  }

  void CompileSubschema(std::string_view keyword, const At& at) {
    using Member = int SchemaRule::*;
    static const auto& members = *new absl::flat_hash_map<std::string, Member>{
        {"contains", &SchemaRule::contains},
        {"additionalProperties", &SchemaRule::additional},
        {"propertyNames", &SchemaRule::names},
        {"unevaluatedProperties", &SchemaRule::unevaluated_properties},
        {"unevaluatedItems", &SchemaRule::unevaluated_items},
        {"additionalItems", &SchemaRule::items},
        {"not", &SchemaRule::negated},
        {"if", &SchemaRule::condition},
        {"then", &SchemaRule::then},
        {"else", &SchemaRule::otherwise}};
    const auto member = members.find(std::string(keyword));
    if (member == members.end()) return;  // an annotation, or unknown
    // Draft 7: additionalItems counts only beside an array of items.
    if (keyword == "additionalItems" && !after_item_list_[at.rule]) {
      pending_additional_.emplace(at.rule, at.pointer);
      return;
    }
    if (keyword.starts_with("unevaluated")) rules_->tracks_evaluated = true;
    const int number = CompileAt(at.pointer, at.value, at.depth);
    rule(at).*(member->second) = number;
  }

  void Type(const At& at) {
    uint8_t types = 0;
    const auto add = [&](const Value& name) {
      for (const TypeName& type : kTypes) {
        if (name.is_string() && type.name == name.AsString()) {
          types |= type.type;
          return;
        }
      }
      Fail(at.pointer, "a type is one of null, boolean, number, integer, string, array and object");
    };
    if (at.value.is_array()) {
      for (size_t i = 0; i < at.value.size(); ++i) add(at.value.at(i));
    } else {
      add(at.value);
    }
    if (types == 0) Fail(at.pointer, "no type is named");
    rule(at).types = types;
  }

  void Enum(const At& at) {
    if (!at.value.is_array()) return Fail(at.pointer, "`enum` must be a list");
    std::vector<Value> values;
    for (size_t i = 0; i < at.value.size(); ++i) values.push_back(at.value.at(i));
    rule(at).one_of_values = std::move(values);
  }

  void Const(const At& at) { rule(at).one_of_values = {at.value}; }

  SchemaRule::Regex CompileRegex(const std::string& pointer, std::string_view pattern) {
    auto regex = expression::Regex::Compile(pattern);
    if (regex.ok()) return *std::move(regex);
    Fail(pointer,
         Cat("the pattern is no regular expression: ", std::string(regex.status().message())));
    return nullptr;
  }

  void Pattern(const At& at) {
    if (!at.value.is_string()) return Fail(at.pointer, "`pattern` must be a string");
    rule(at).pattern = CompileRegex(at.pointer, at.value.AsString());
    rule(at).pattern_text = at.value.AsString();
  }

  void Format(const At& at) {
    if (!at.value.is_string()) return Fail(at.pointer, "`format` must be a string");
    rule(at).format = at.value.AsString();
  }

  void Unique(const At& at) {
    if (!at.value.is_bool()) return Fail(at.pointer, "`uniqueItems` must be true or false");
    rule(at).unique = at.value.truthy();
  }

  std::vector<int> List(const At& at) {
    std::vector<int> numbers;
    if (!at.value.is_array() || at.value.size() == 0) {
      Fail(at.pointer, "must be a list of schemas");
      return numbers;
    }
    for (size_t i = 0; i < at.value.size() && !failed_; ++i) {
      numbers.push_back(CompileAt(Cat(at.pointer, "/", i), at.value.at(i), at.depth));
    }
    return numbers;
  }

  // Draft 7 has a list here, which is prefixItems by now.
  void Items(const At& at) {
    if (!at.value.is_array()) {
      const int number = CompileAt(at.pointer, at.value, at.depth);
      rule(at).items = number;
      return;
    }
    PrefixItems(at);
    after_item_list_[at.rule] = true;
    const auto pending = pending_additional_.find(at.rule);
    if (pending == pending_additional_.end()) return;
    const int number = CompileAt(pending->second, *Resolve(document_, pending->second), at.depth);
    rule(at).items = number;
  }

  void PrefixItems(const At& at) {
    auto numbers = List(at);
    rule(at).prefix = std::move(numbers);
  }
  void AllOf(const At& at) {
    auto numbers = List(at);
    rule(at).all_of = std::move(numbers);
  }
  void AnyOf(const At& at) {
    auto numbers = List(at);
    rule(at).any_of = std::move(numbers);
  }
  void OneOf(const At& at) {
    auto numbers = List(at);
    rule(at).one_of = std::move(numbers);
  }

  std::vector<std::pair<std::string, int>> Map(const At& at) {
    std::vector<std::pair<std::string, int>> numbers;
    if (!at.value.is_object()) {
      Fail(at.pointer, "must be an object of schemas");
      return numbers;
    }
    at.value.ForEachMember([&](std::string_view key, const Value& schema) {
      std::string below = at.pointer;
      AppendPointerToken(key, &below);
      numbers.emplace_back(key, CompileAt(below, schema, at.depth));
      return !failed_;
    });
    return numbers;
  }

  void Definitions(const At& at) { Map(at); }

  void Properties(const At& at) {
    for (auto& [key, number] : Map(at)) rule(at).properties.emplace(key, number);
  }

  void PatternProperties(const At& at) {
    for (auto& [key, number] : Map(at)) {
      if (auto regex = CompileRegex(at.pointer, key)) {
        rule(at).pattern_properties.emplace_back(std::move(regex), number);
      }
    }
  }

  std::vector<std::string> Texts(const std::string& pointer, const Value& value) {
    std::vector<std::string> texts;
    if (!value.is_array()) Fail(pointer, "must be a list of strings");
    for (size_t i = 0; i < value.size() && !failed_; ++i) {
      if (!value.at(i).is_string()) {
        Fail(Cat(pointer, "/", i), "must be a string");
      } else {
        texts.emplace_back(value.at(i).AsString());
      }
    }
    return texts;
  }

  void Required(const At& at) { rule(at).required = Texts(at.pointer, at.value); }

  // dependentRequired and dependentSchemas; draft 7's `dependencies` is either.
  void Dependencies(const At& at) {
    if (!at.value.is_object()) return Fail(at.pointer, "must be an object");
    at.value.ForEachMember([&](std::string_view key, const Value& value) {
      std::string below = at.pointer;
      AppendPointerToken(key, &below);
      if (value.is_array()) {
        rule(at).dependent_required.emplace_back(key, Texts(below, value));
      } else {
        const int number = CompileAt(below, value, at.depth);
        rule(at).dependent_schemas.emplace_back(key, number);
      }
      return !failed_;
    });
  }

  // The innermost schema with an $id around `pointer`: what "#" means there.
  std::string ResourceOf(std::string_view pointer) const {
    std::string innermost;
    for (const std::string& resource : resources_) {
      if (resource.size() > innermost.size() && pointer.starts_with(resource) &&
          pointer.substr(resource.size()).starts_with('/')) {
        innermost = resource;
      }
    }
    return innermost;
  }

  void Ref(const At& at) {
    if (!at.value.is_string()) return Fail(at.pointer, "a reference must be a string");
    const std::string_view text = at.value.AsString();
    const size_t hash = std::min(text.find('#'), text.size());
    std::string pointer = ResourceOf(at.pointer);
    if (hash > 0) {
      const auto document = names_.find(std::string(text.substr(0, hash)));
      if (document == names_.end()) {
        return Fail(at.pointer, Cat("`", text.substr(0, 200),
                                    "` refers to another document; only "
                                    "references inside the schema are followed"));
      }
      pointer = document->second;
    }
    const std::string fragment = PercentDecoded(text.substr(std::min(hash + 1, text.size())));
    if (fragment.starts_with('/')) {
      pointer += fragment;
    } else if (!fragment.empty()) {
      const auto anchor = names_.find(Cat("#", fragment));
      if (anchor == names_.end())
        return Fail(at.pointer, Cat("there is no anchor `", fragment, "`"));
      pointer = anchor->second;
    }
    const Value* target = Resolve(document_, pointer);
    if (target == nullptr)
      return Fail(at.pointer, Cat("there is nothing at `", text.substr(0, 200), "`"));
    const int number = CompileAt(pointer, *target, at.depth);
    rule(at).refs.push_back(number);
  }

  const Value& document_;
  SchemaProblem* const problem_;
  std::shared_ptr<SchemaRules> rules_ = std::make_shared<SchemaRules>();
  absl::flat_hash_map<std::string, int> by_pointer_;
  absl::flat_hash_map<std::string, std::string> names_;  // "#anchor" or id to pointer
  std::vector<std::string> resources_;                   // pointers of schemas with an $id
  absl::flat_hash_map<int, bool> after_item_list_;
  absl::flat_hash_map<int, std::string> pending_additional_;
  bool failed_ = false;
};

}  // namespace

std::shared_ptr<const Schema> CompileSchema(const Value& document, SchemaProblem* problem) {
  auto rules = SchemaCompiler(document, problem).Compile();
  return rules == nullptr ? nullptr : MakeSchema(std::move(rules));
}

absl::StatusOr<std::shared_ptr<const Schema>> CompileSchema(const Value& document) {
  SchemaProblem problem;
  if (auto schema = CompileSchema(document, &problem)) return schema;
  return absl::InvalidArgumentError(
      problem.pointer.empty() ? problem.message : Cat(problem.pointer, ": ", problem.message));
}

}  // namespace jaque::dsl
