// SPDX-License-Identifier: Apache-2.0
#include "dsl/schema_validate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "base/limits.h"
#include "dsl/node.h"
#include "dsl/text.h"

namespace jaque::dsl {
namespace {

constexpr int kNone = SchemaRule::kNone;

uint8_t TypesOf(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kNull:
      return SchemaRule::kNull;
    case Value::Kind::kFalse:
    case Value::Kind::kTrue:
      return SchemaRule::kBoolean;
    case Value::Kind::kString:
      return SchemaRule::kString;
    case Value::Kind::kArray:
      return SchemaRule::kArray;
    case Value::Kind::kObject:
      return SchemaRule::kObject;
    case Value::Kind::kNumber:
      break;
  }
  const double number = value.AsDouble();
  const bool whole =
      value.AsInt().has_value() || (std::isfinite(number) && std::floor(number) == number);
  return SchemaRule::kNumber | (whole ? SchemaRule::kInteger : 0);
}

std::string NamesOf(uint8_t types) {
  static constexpr std::pair<uint8_t, std::string_view> kNames[] = {
      {SchemaRule::kNull, "null"},       {SchemaRule::kBoolean, "a boolean"},
      {SchemaRule::kNumber, "a number"}, {SchemaRule::kInteger, "an integer"},
      {SchemaRule::kString, "a string"}, {SchemaRule::kArray, "a list"},
      {SchemaRule::kObject, "an object"}};
  std::string names;
  for (const auto& [type, name] : kNames) {
    if ((types & type) != 0) Append(&names, names.empty() ? "" : " or ", name);
  }
  return names;
}

bool IsMultipleOf(const Value& value, const Value& factor) {
  const auto whole = value.AsInt(), by = factor.AsInt();
  if (whole.has_value() && by.has_value()) return *by == -1 || *whole % *by == 0;
  const double quotient = value.AsDouble() / factor.AsDouble();
  return std::isfinite(quotient) && std::abs(quotient - std::round(quotient)) < 1e-9;
}

// Which members or items some keyword has looked at (unevaluatedProperties and -Items ask for it).
using Evaluated = std::vector<bool>;

// One Validate call. Recursion is bounded by kSchemaDepth, work by kSchemaSteps; when a bound is
// reached, everything fails at once.
class Validation {
 public:
  explicit Validation(const SchemaRules& rules)
      : rules_(rules),
        budget_(limits::kRegexRetries, nullptr, absl::Milliseconds(limits::kExpressionMillis)) {}

  absl::Status Run(const Value& value) {
    if (Apply(0, value, nullptr)) return absl::OkStatus();
    std::string message;
    for (const std::string& one : violations_) Append(&message, message.empty() ? "" : "; ", one);
    if (more_) Append(&message, "; …");
    return absl::InvalidArgumentError(message.empty() ? "the value does not match its schema"
                                                      : message);
  }

 private:
  // Notes a violation (unless an alternative is being tried) and returns false.
  bool Violate(std::string_view message) {
    if (quiet_ > 0 || stopped_) return false;
    if (violations_.size() >= limits::kSchemaViolations) {
      more_ = true;
      return false;
    }
    std::string pointer;
    for (const auto& token : path_) AppendPointerToken(token, &pointer);
    violations_.push_back(pointer.empty() ? std::string(message) : Cat(pointer, ": ", message));
    return false;
  }

  bool Stop(std::string_view message) {
    if (!stopped_) {
      violations_.clear();
      violations_.emplace_back(message);
    }
    stopped_ = true;
    return false;
  }

  bool Spend(size_t steps) {
    steps_ += steps;
    return steps_ <= limits::kSchemaSteps ||
           Stop("the schema takes too long to check against this value");
  }

  // After a failure the rest is looked at only to report more.
  bool GoesOn(bool valid) const { return !stopped_ && (valid || quiet_ == 0); }

  bool Apply(int number, const Value& value, Evaluated* evaluated) {
    if (stopped_ || !Spend(1)) return false;
    if (depth_ >= limits::kSchemaDepth) {
      return Stop(Cat("schema and value nest deeper than ", limits::kSchemaDepth, " levels"));
    }
    ++depth_;
    const bool valid = ApplyRule(rules_.rules[number], value, evaluated);
    --depth_;
    return valid;
  }

  bool Quietly(int number, const Value& value, Evaluated* evaluated) {
    ++quiet_;
    const bool valid = Apply(number, value, evaluated);
    --quiet_;
    return valid;
  }

  bool ApplyRule(const SchemaRule& rule, const Value& value, Evaluated* outer) {
    if (rule.never) return Violate("is not allowed");
    const uint8_t types = TypesOf(value);
    if (rule.types != 0 && (rule.types & types) == 0) {
      return Violate(Cat("must be ", NamesOf(rule.types), ", not ", KindName(value)));
    }
    Evaluated own;
    Evaluated* evaluated = nullptr;
    if (rules_.tracks_evaluated && (value.is_object() || value.is_array())) {
      if (!Spend(value.size() / 8)) return false;
      own.resize(value.size());
      evaluated = &own;
    }
    bool valid = CheckValues(rule, value);
    if (GoesOn(valid) && value.is_number()) valid &= CheckNumber(rule, value);
    if (GoesOn(valid) && value.is_string()) valid &= CheckString(rule, value.AsString());
    if (GoesOn(valid) && value.is_array()) valid &= CheckArray(rule, value, evaluated);
    if (GoesOn(valid) && value.is_object()) valid &= CheckObject(rule, value, evaluated);
    if (GoesOn(valid)) valid &= CheckCombinations(rule, value, evaluated);
    if (GoesOn(valid) && evaluated != nullptr) valid &= CheckUnevaluated(rule, value, evaluated);
    if (valid && outer != nullptr) Merge(own, outer);
    return valid && !stopped_;
  }

  static void Merge(const Evaluated& from, Evaluated* into) {
    for (size_t i = 0; i < from.size() && i < into->size(); ++i) {
      if (from[i]) (*into)[i] = true;
    }
  }

  bool CheckValues(const SchemaRule& rule, const Value& value) {
    if (!rule.one_of_values.has_value()) return true;
    for (const Value& one : *rule.one_of_values) {
      if (!Spend(1 + one.size())) return false;
      if (one == value) return true;
    }
    return Violate(rule.one_of_values->size() == 1 ? "is not the one value allowed"
                                                   : "is none of the values allowed");
  }

  bool CheckNumber(const SchemaRule& rule, const Value& value) {
    bool valid = true;
    if (rule.least && Value::Compare(value, *rule.least) < 0)
      valid = Violate("is less than the minimum");
    if (rule.most && Value::Compare(value, *rule.most) > 0)
      valid = Violate("is greater than the maximum");
    if (rule.above && Value::Compare(value, *rule.above) <= 0) {
      valid = Violate("is not greater than the exclusive minimum");
    }
    if (rule.below && Value::Compare(value, *rule.below) >= 0) {
      valid = Violate("is not less than the exclusive maximum");
    }
    if (rule.multiple_of && !IsMultipleOf(value, *rule.multiple_of)) {
      valid = Violate("is not a multiple of what it must be");
    }
    return valid;
  }

  bool Matches(const expression::Regex& regex, std::string_view text) {
    if (!Spend(1 + text.size() / 16)) return false;
    const auto found = regex.Test(text, budget_);
    if (!found.ok()) return Stop("a pattern takes too long to match");
    return *found;
  }

  bool CheckString(const SchemaRule& rule, std::string_view text) {
    bool valid = true;
    if (rule.least_length || rule.most_length) {
      const size_t length = CountCharacters(text);
      if (!Spend(text.size() / 64)) return false;
      if (rule.least_length && length < *rule.least_length) {
        valid = Violate(Cat("is shorter than ", *rule.least_length, " characters"));
      }
      if (rule.most_length && length > *rule.most_length) {
        valid = Violate(Cat("is longer than ", *rule.most_length, " characters"));
      }
    }
    if (rule.pattern != nullptr && !Matches(*rule.pattern, text)) {
      valid = Violate(Cat("does not match the pattern ", rule.pattern_text.substr(0, 200)));
    }
    if (!rule.format.empty()) {
      if (std::string problem = CheckFormat(rule.format, text); !problem.empty())
        valid = Violate(problem);
    }
    return valid;
  }

  bool ApplyBelow(int number, std::string token, const Value& value) {
    path_.push_back(std::move(token));
    const bool valid = Apply(number, value, nullptr);
    path_.pop_back();
    return valid;
  }

  bool CheckCount(size_t count, const std::optional<uint64_t>& least,
                  const std::optional<uint64_t>& most, std::string_view what) {
    if (least && count < *least) return Violate(Cat("has fewer than ", *least, " ", what));
    if (most && count > *most) return Violate(Cat("has more than ", *most, " ", what));
    return true;
  }

  bool CheckArray(const SchemaRule& rule, const Value& value, Evaluated* evaluated) {
    const size_t size = value.size();
    bool valid = CheckCount(size, rule.least_items, rule.most_items, "items");
    for (size_t i = 0; i < size && GoesOn(valid); ++i) {
      const int number = i < rule.prefix.size() ? rule.prefix[i] : rule.items;
      if (number == kNone) {
        if (i >= rule.prefix.size()) break;
        continue;
      }
      valid &= ApplyBelow(number, std::to_string(i), value.at(i));
      if (evaluated != nullptr) (*evaluated)[i] = true;
    }
    if (GoesOn(valid) && rule.contains != kNone) valid &= CheckContains(rule, value, evaluated);
    if (GoesOn(valid) && rule.unique) valid &= CheckUnique(value);
    return valid;
  }

  bool CheckContains(const SchemaRule& rule, const Value& value, Evaluated* evaluated) {
    size_t found = 0;
    for (size_t i = 0; i < value.size() && !stopped_; ++i) {
      if (!Quietly(rule.contains, value.at(i), nullptr)) continue;
      ++found;
      if (evaluated != nullptr) (*evaluated)[i] = true;
    }
    const uint64_t least = rule.least_contains.value_or(1);
    if (found < least)
      return Violate(Cat("has fewer than ", least, " items of the kind that it must contain"));
    if (rule.most_contains && found > *rule.most_contains) {
      return Violate(
          Cat("has more than ", *rule.most_contains, " items of the kind that it must contain"));
    }
    return true;
  }

  bool CheckUnique(const Value& value) {
    std::vector<const Value*> items;
    for (size_t i = 0; i < value.size(); ++i) items.push_back(&value.at(i));
    bool in_time = true;
    std::sort(items.begin(), items.end(), [&](const Value* a, const Value* b) {
      in_time = in_time && Spend(1 + std::min(a->size(), b->size()) / 8);
      return Value::Compare(*a, *b) < 0;
    });
    if (!in_time) return false;
    for (size_t i = 1; i < items.size(); ++i) {
      if (*items[i - 1] == *items[i]) return Violate("has the same item twice");
    }
    return true;
  }

  bool CheckObject(const SchemaRule& rule, const Value& value, Evaluated* evaluated) {
    bool valid =
        CheckCount(value.size(), rule.least_properties, rule.most_properties, "properties");
    valid &= CheckRequired(rule, value);
    size_t index = 0;
    value.ForEachMember([&](std::string_view key, const Value& member) {
      valid &= CheckMember(rule, key, member, index++, evaluated);
      return GoesOn(valid);
    });
    for (const auto& [key, number] : rule.dependent_schemas) {
      if (GoesOn(valid) && value.Find(key) != nullptr) valid &= Apply(number, value, evaluated);
    }
    return valid;
  }

  bool CheckRequired(const SchemaRule& rule, const Value& value) {
    bool valid = true;
    if (!Spend(rule.required.size())) return false;
    for (const std::string& name : rule.required) {
      if (value.Find(name) == nullptr) valid = Violate(Cat("missing property `", name, "`"));
    }
    for (const auto& [key, needed] : rule.dependent_required) {
      if (value.Find(key) == nullptr) continue;
      for (const std::string& name : needed) {
        if (value.Find(name) == nullptr) {
          valid = Violate(Cat("missing property `", name, "`, which `", key, "` needs"));
        }
      }
    }
    return valid;
  }

  bool CheckMember(const SchemaRule& rule, std::string_view key, const Value& member, size_t index,
                   Evaluated* evaluated) {
    if (!Spend(1)) return false;
    bool valid = true, known = false;
    if (const auto found = rule.properties.find(std::string(key)); found != rule.properties.end()) {
      known = true;
      valid &= ApplyBelow(found->second, std::string(key), member);
    }
    for (const auto& [regex, number] : rule.pattern_properties) {
      if (!Matches(*regex, key)) continue;
      known = true;
      valid &= ApplyBelow(number, std::string(key), member);
    }
    if (!known && rule.additional != kNone) {
      known = true;
      if (rules_.rules[rule.additional].never) {
        valid = Violate(Cat("the property `", key.substr(0, 80), "` is not allowed"));
      } else {
        valid &= ApplyBelow(rule.additional, std::string(key), member);
      }
    }
    if (rule.names != kNone && !Quietly(rule.names, Value::String(key), nullptr)) {
      valid = Violate(Cat("the property name `", key.substr(0, 80), "` is not allowed"));
    }
    if (known && evaluated != nullptr) (*evaluated)[index] = true;
    return valid;
  }

  bool CheckCombinations(const SchemaRule& rule, const Value& value, Evaluated* evaluated) {
    bool valid = true;
    for (int number : rule.refs) valid &= GoesOn(valid) && Apply(number, value, evaluated);
    for (int number : rule.all_of) valid &= GoesOn(valid) && Apply(number, value, evaluated);
    if (GoesOn(valid) && !rule.any_of.empty()) valid &= CheckAnyOf(rule, value, evaluated);
    if (GoesOn(valid) && !rule.one_of.empty()) valid &= CheckOneOf(rule, value, evaluated);
    if (GoesOn(valid) && rule.negated != kNone && Quietly(rule.negated, value, nullptr)) {
      valid = Violate("matches the schema that it must not match");
    }
    if (GoesOn(valid) && rule.condition != kNone) {
      const int next = Quietly(rule.condition, value, evaluated) ? rule.then : rule.otherwise;
      if (next != kNone) valid &= Apply(next, value, evaluated);
    }
    return valid;
  }

  bool CheckAnyOf(const SchemaRule& rule, const Value& value, Evaluated* evaluated) {
    bool any = false;
    for (int number : rule.any_of) {
      if (any && evaluated == nullptr) break;  // the others could only add to what is evaluated
      any |= Quietly(number, value, evaluated);
    }
    return any || Violate("matches none of the alternatives of anyOf");
  }

  bool CheckOneOf(const SchemaRule& rule, const Value& value, Evaluated* evaluated) {
    int matches = 0;
    for (int number : rule.one_of) matches += Quietly(number, value, evaluated) ? 1 : 0;
    if (matches == 1) return true;
    return Violate(matches == 0 ? "matches none of the alternatives of oneOf"
                                : "matches more than one of the alternatives of oneOf");
  }

  bool CheckUnevaluated(const SchemaRule& rule, const Value& value, Evaluated* evaluated) {
    bool valid = true;
    const auto check = [&](size_t index, int number, std::string token, const Value& part) {
      if ((*evaluated)[index]) return;
      (*evaluated)[index] = true;
      if (rules_.rules[number].never) {
        valid = Violate(Cat("`", token.substr(0, 80), "` is not allowed"));
      } else {
        valid &= ApplyBelow(number, std::move(token), part);
      }
    };
    if (value.is_array() && rule.unevaluated_items != kNone) {
      for (size_t i = 0; i < value.size() && GoesOn(valid); ++i) {
        check(i, rule.unevaluated_items, std::to_string(i), value.at(i));
      }
    }
    if (value.is_object() && rule.unevaluated_properties != kNone) {
      size_t index = 0;
      value.ForEachMember([&](std::string_view key, const Value& member) {
        check(index++, rule.unevaluated_properties, std::string(key), member);
        return GoesOn(valid);
      });
    }
    return valid;
  }

  const SchemaRules& rules_;
  expression::RegexBudget budget_;
  std::vector<std::string> violations_;
  std::vector<std::string> path_;
  uint64_t steps_ = 0;
  int depth_ = 0;
  int quiet_ = 0;
  bool more_ = false;
  bool stopped_ = false;
};

class CompiledSchema : public Schema {
 public:
  explicit CompiledSchema(std::shared_ptr<const SchemaRules> rules) : rules_(std::move(rules)) {}
  absl::Status Validate(const Value& value) const override {
    return Validation(*rules_).Run(value);
  }

 private:
  const std::shared_ptr<const SchemaRules> rules_;
};

}  // namespace

std::shared_ptr<const Schema> MakeSchema(std::shared_ptr<const SchemaRules> rules) {
  return std::make_shared<CompiledSchema>(std::move(rules));
}

}  // namespace jaque::dsl
