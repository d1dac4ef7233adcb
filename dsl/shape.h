// SPDX-License-Identifier: Apache-2.0
// The DSL's schema as tables, and the walk that compares a document with them. A Shape says which
// kinds of value may stand at a place and what each must look like; since the DSL's alternatives
// always differ in kind or in a key, every error has one clear message instead of "no alternative
// matches". The tables (shape_*.cc) are built at first use, never freed, and read by any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "dsl/findings.h"
#include "dsl/node.h"
#include "dsl/text_rules.h"

namespace jaque::dsl {

struct Shape;
using ShapeFunction = const Shape& (*)();  // delays construction, so shapes may be recursive

class Field {
 public:
  enum Need : bool { kOptional, kRequired };
  Field(std::string_view name, ShapeFunction shape, Need need = kOptional)
      : name_(name), function_(shape), required_(need == kRequired) {}
  Field(std::string_view name, Shape shape, Need need = kOptional);

  std::string_view name() const { return name_; }
  const Shape& shape() const { return function_ != nullptr ? function_() : *shape_; }
  bool required() const { return required_; }

 private:
  std::string_view name_;
  ShapeFunction function_ = nullptr;
  const Shape* shape_ = nullptr;
  bool required_;
};

struct Shape {
  std::string_view what;  // "a duration", for "must be …"
  bool anything = false;

  bool text = false;
  TextRule rule = nullptr;
  std::vector<std::string_view> words;  // if not empty: one of these

  bool integer = false;
  int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  bool number = false;
  bool boolean = false;

  bool object = false;
  std::vector<Field> fields;
  ShapeFunction others = nullptr;  // of members that `fields` does not name; null: there are none
  size_t least_members = 0, most_members = std::numeric_limits<size_t>::max();
  // Of each choice, exactly one group of keys is present, and completely.
  using Choice = std::vector<std::vector<std::string_view>>;
  std::vector<Choice> choices;
  std::vector<std::pair<std::string_view, std::string_view>>
      needs;  // the first key needs the second

  bool list = false;
  ShapeFunction items = nullptr;
  size_t least_items = 0;

  // Further rules.
  void (*check)(const Node& node, Findings* findings) = nullptr;
  // Another shape in place of this one, by the node's content; null if that was reported.
  const Shape* (*choose)(const Node& node, Findings* findings) = nullptr;
};

Shape Text();
Shape TextWith(TextRule rule);
Shape Word(std::vector<std::string_view> words);
Shape Integer();
Shape Boolean();
const Shape& Anything();
const Shape& AnyText();
Shape Object(std::vector<Field> fields);
Shape AnyObject();  // members of any name and kind
Shape MapOf(ShapeFunction values);
Shape ListOf(ShapeFunction items);

void CheckShape(const Node& node, const Shape& shape, Findings* findings);

// The shapes that others build on.
const Shape& WorkflowShape();  // the whole document
const Shape& TaskShape();
const Shape& TaskListShape();     // at least one task
const Shape& HandlerListShape();  // may be empty
const Shape& CallShape(std::string_view function);
const Shape& DurationShape();
const Shape& TimeoutShape();  // or the name of one
const Shape& TimeoutDefinitionShape();
const Shape& InputShape();
const Shape& OutputShape();
const Shape& ExportShape();
const Shape& EndpointShape();
const Shape& ResourceShape();
const Shape& AuthenticationShape();
const Shape& AuthenticationOrNameShape();
const Shape& ErrorShape();
const Shape& ErrorOrNameShape();
const Shape& RetryShape();
const Shape& RetryOrNameShape();
const Shape& EventShape();
const Shape& EmittedEventShape();
const Shape& ConsumptionShape();
const Shape& IteratorShape();
const Shape& ExtensionShape();
const Shape& CatalogShape();

// Fields of every task: if, input, output, export, timeout, then, metadata.
std::vector<Field> TaskFields(std::vector<Field> more);

}  // namespace jaque::dsl
