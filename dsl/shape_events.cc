// SPDX-License-Identifier: Apache-2.0
// Tables: events (schema: eventProperties, eventFilter, eventConsumptionStrategy,
// subscriptionIterator).
#include "dsl/shape.h"

namespace jaque::dsl {
namespace {

constexpr auto kRequired = Field::kRequired;

// CloudEvents attributes; extension attributes may have any name.
Shape EventObject(Field::Need type_needed) {
  Shape shape = Object({{"id", AnyText},
                        {"source", TextWith(CheckUriOrExpression)},
                        {"type", AnyText, type_needed},
                        {"time", TextWith(CheckDateTimeOrExpression)},
                        {"subject", AnyText},
                        {"datacontenttype", AnyText},
                        {"dataschema", TextWith(CheckUriOrExpression)},
                        {"data", Anything}});
  shape.others = Anything;
  return shape;
}

const Shape& CorrelationShape() {
  static const Shape& shape =
      *new Shape(Object({{"from", AnyText, kRequired}, {"expect", AnyText}}));
  return shape;
}

const Shape& FilterShape() {
  static const Shape& shape =
      *new Shape(Object({{"with", EventShape, kRequired}, {"correlate", MapOf(CorrelationShape)}}));
  return shape;
}

Shape ConsumptionObject() {
  Shape all = ListOf(FilterShape);
  all.least_items = 1;  // waiting for all of nothing is a mistake
  Shape shape = Object({{"all", all}, {"any", ListOf(FilterShape)}, {"one", FilterShape}});
  shape.choices = {{{"all"}, {"any"}, {"one"}}};
  return shape;
}

}  // namespace

const Shape& EventShape() {
  static const Shape& shape = *[] {
    auto* event = new Shape(EventObject(Field::kOptional));
    event->least_members = 1;
    return event;
  }();
  return shape;
}

const Shape& EmittedEventShape() {
  static const Shape& shape = *new Shape(EventObject(kRequired));
  return shape;
}

const Shape& ConsumptionShape() {
  static const Shape& shape = *[] {
    auto* consumption = new Shape(ConsumptionObject());
    Shape until = ConsumptionObject();
    until.text = true;
    until.what = "a runtime expression or the events that end the listening";
    consumption->fields.emplace_back("until", until);
    consumption->needs = {{"until", "any"}};
    return consumption;
  }();
  return shape;
}

const Shape& IteratorShape() {
  static const Shape& shape = *new Shape(Object({{"item", TextWith(CheckVariableName)},
                                                 {"at", TextWith(CheckVariableName)},
                                                 {"do", HandlerListShape},
                                                 {"output", OutputShape},
                                                 {"export", ExportShape}}));
  return shape;
}

}  // namespace jaque::dsl
