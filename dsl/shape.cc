// SPDX-License-Identifier: Apache-2.0
#include "dsl/shape.h"

#include <algorithm>
#include <utility>

#include "dsl/text.h"

namespace jaque::dsl {
namespace {

std::string Quoted(const std::vector<std::string_view>& names, std::string_view last_separator) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) Append(&text, i + 1 == names.size() ? last_separator : ", ");
    Append(&text, "`", names[i], "`");
  }
  return text;
}

std::string Expected(const Shape& shape) {
  if (!shape.what.empty()) return std::string(shape.what);
  std::vector<std::string_view> kinds;
  if (shape.text) kinds.push_back("a string");
  if (shape.integer) kinds.push_back("a whole number");
  if (shape.number) kinds.push_back("a number");
  if (shape.boolean) kinds.push_back("true or false");
  if (shape.list) kinds.push_back("a list");
  if (shape.object) kinds.push_back("an object");
  std::string text;
  for (size_t i = 0; i < kinds.size(); ++i) {
    Append(&text, i == 0 ? "" : i + 1 == kinds.size() ? " or " : ", ", kinds[i]);
  }
  return text;
}

bool Admits(const Shape& shape, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kNull:
      return false;
    case Value::Kind::kFalse:
    case Value::Kind::kTrue:
      return shape.boolean;
    case Value::Kind::kNumber:
      return shape.integer || shape.number;
    case Value::Kind::kString:
      return shape.text;
    case Value::Kind::kArray:
      return shape.list;
    case Value::Kind::kObject:
      return shape.object;
  }
  return false;
}

void CheckKind(const Node& node, const Shape& shape, Findings* findings) {
  std::string message = Cat("must be ", Expected(shape), ", not ", KindName(node.value));
  if (shape.text && node.style == ScalarStyle::kPlain && !node.value.is_null()) {
    Append(&message, " (quote it if it is meant as a text)");
  }
  findings->AddAt(node, std::move(message));
}

void CheckText(const Node& node, const Shape& shape, Findings* findings) {
  const std::string_view text = node.text();
  if (!shape.words.empty() &&
      std::find(shape.words.begin(), shape.words.end(), text) == shape.words.end()) {
    return findings->AddAt(node, Cat("must be one of ", Quoted(shape.words, " and ")));
  }
  if (shape.rule == nullptr) return;
  if (std::string problem = shape.rule(text); !problem.empty())
    findings->AddAt(node, std::move(problem));
}

void CheckInteger(const Node& node, const Shape& shape, Findings* findings) {
  if (shape.number) return;
  const auto number = node.value.AsInt();
  if (!number.has_value()) {
    const double approximate = node.value.AsDouble();
    // Whole but beyond 64 bits: what the number means is checked where it is used.
    if (std::abs(approximate) < 9e18) findings->AddAt(node, "must be a whole number");
    return;
  }
  if (*number < shape.least || *number > shape.most) {
    findings->AddAt(node, Cat("must be from ", shape.least, " to ", shape.most));
  }
}

const Field* FindField(const Shape& shape, std::string_view name) {
  for (const Field& field : shape.fields) {
    if (field.name() == name) return &field;
  }
  return nullptr;
}

void ReportUnknown(const Node& member, const Shape& shape, Findings* findings) {
  std::vector<std::string_view> names;
  for (const Field& field : shape.fields) names.push_back(field.name());
  std::string message = Cat("unknown property `", member.key.substr(0, 80), "`");
  if (const std::string_view near = Nearest(member.key, names); !near.empty()) {
    Append(&message, "; did you mean `", near, "`?");
  } else if (!names.empty() && names.size() <= 8) {
    Append(&message, "; known here: ", Quoted(names, " and "));
  }
  findings->AddAtKey(member, std::move(message));
}

// Of the groups of keys, exactly one is there, and completely.
void CheckChoice(const Node& node, const Shape::Choice& choice, Findings* findings) {
  const std::vector<std::string_view>* chosen = nullptr;
  std::string_view chosen_key;
  for (const auto& group : choice) {
    for (std::string_view key : group) {
      const Node* member = node.Find(key);
      if (member == nullptr) continue;
      if (chosen != nullptr && chosen != &group) {
        return findings->AddAtKey(*member,
                                  Cat("`", chosen_key, "` and `", key, "` exclude each other"));
      }
      chosen = &group;
      chosen_key = key;
    }
  }
  if (chosen == nullptr) {
    std::string groups;
    for (const auto& group : choice)
      Append(&groups, groups.empty() ? "" : ", or ", Quoted(group, " and "));
    return findings->AddAt(node, Cat("needs ", groups));
  }
  for (std::string_view key : *chosen) {
    if (node.Find(key) == nullptr) findings->AddAt(node, Cat("missing property `", key, "`"));
  }
}

void CheckObject(const Node& node, const Shape& shape, Findings* findings) {
  for (const Node& member : node.children) {
    if (const Field* field = FindField(shape, member.key)) {
      CheckShape(member, field->shape(), findings);
    } else if (shape.others != nullptr) {
      CheckShape(member, shape.others(), findings);
    } else {
      ReportUnknown(member, shape, findings);
    }
  }
  for (const Field& field : shape.fields) {
    if (field.required() && node.Find(field.name()) == nullptr) {
      findings->AddAt(node, Cat("missing property `", field.name(), "`"));
    }
  }
  for (const Shape::Choice& choice : shape.choices) CheckChoice(node, choice, findings);
  for (const auto& [key, needed] : shape.needs) {
    const Node* member = node.Find(key);
    if (member != nullptr && node.Find(needed) == nullptr) {
      findings->AddAtKey(*member, Cat("`", key, "` is allowed only together with `", needed, "`"));
    }
  }
  if (node.children.size() < shape.least_members) findings->AddAt(node, "must not be empty");
  if (node.children.size() > shape.most_members) {
    findings->AddAtKey(node.children[shape.most_members],
                       Cat("one item of the list must hold ", shape.most_members,
                           " name only; begin a new item with `-`"));
  }
}

}  // namespace

Field::Field(std::string_view name, Shape shape, Need need)
    : name_(name), shape_(new Shape(std::move(shape))), required_(need == kRequired) {}

Shape Text() {
  Shape shape;
  shape.text = true;
  return shape;
}

Shape TextWith(TextRule rule) {
  Shape shape = Text();
  shape.rule = rule;
  return shape;
}

Shape Word(std::vector<std::string_view> words) {
  Shape shape = Text();
  shape.words = std::move(words);
  return shape;
}

Shape Integer() {
  Shape shape;
  shape.integer = true;
  return shape;
}

Shape Boolean() {
  Shape shape;
  shape.boolean = true;
  return shape;
}

const Shape& Anything() {
  static const Shape& shape = *[] {
    auto* anything = new Shape;
    anything->anything = true;
    return anything;
  }();
  return shape;
}

const Shape& AnyText() {
  static const Shape& shape = *new Shape(Text());
  return shape;
}

Shape Object(std::vector<Field> fields) {
  Shape shape;
  shape.object = true;
  shape.fields = std::move(fields);
  return shape;
}

Shape AnyObject() { return MapOf(Anything); }

Shape MapOf(ShapeFunction values) {
  Shape shape = Object({});
  shape.others = values;
  return shape;
}

Shape ListOf(ShapeFunction items) {
  Shape shape;
  shape.list = true;
  shape.items = items;
  return shape;
}

void CheckShape(const Node& node, const Shape& shape, Findings* findings) {
  if (shape.anything || findings->full()) return;
  if (!Admits(shape, node.value)) return CheckKind(node, shape, findings);
  if (shape.choose != nullptr) {
    const Shape* chosen = shape.choose(node, findings);
    if (chosen != nullptr) CheckShape(node, *chosen, findings);
    return;
  }
  if (node.is_string()) CheckText(node, shape, findings);
  if (node.value.is_number()) CheckInteger(node, shape, findings);
  if (node.is_object()) CheckObject(node, shape, findings);
  if (node.is_array()) {
    for (const Node& item : node.children) CheckShape(item, shape.items(), findings);
    if (node.children.size() < shape.least_items)
      findings->AddAt(node, "the list must not be empty");
  }
  if (shape.check != nullptr) shape.check(node, findings);
}

}  // namespace jaque::dsl
