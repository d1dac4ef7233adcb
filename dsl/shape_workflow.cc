// SPDX-License-Identifier: Apache-2.0
// Tables: the document as a whole, and its reusable parts (schema: root, use, schedule, evaluate).
#include "dsl/shape.h"

namespace jaque::dsl {
namespace {

constexpr auto kRequired = Field::kRequired;

Shape DocumentShape() {
  return Object({{"dsl", TextWith(CheckDslVersion), kRequired},
                 {"namespace", TextWith(CheckDnsLabel), kRequired},
                 {"name", TextWith(CheckDnsLabel), kRequired},
                 {"version", TextWith(CheckSemanticVersion), kRequired},
                 {"title", AnyText},
                 {"summary", AnyText},
                 {"tags", AnyObject()},
                 {"metadata", AnyObject()}});
}

const Shape& ExtensionItemShape() {
  static const Shape& shape = *[] {
    auto* item = new Shape(MapOf(ExtensionShape));
    item->least_members = item->most_members = 1;
    return item;
  }();
  return shape;
}

Shape UseShape() {
  return Object({{"authentications", MapOf(AuthenticationShape)},
                 {"errors", MapOf(ErrorShape)},
                 {"extensions", ListOf(ExtensionItemShape)},
                 {"functions", MapOf(TaskShape)},
                 {"retries", MapOf(RetryShape)},
                 {"secrets", ListOf(AnyText)},
                 {"timeouts", MapOf(TimeoutDefinitionShape)},
                 {"catalogs", MapOf(CatalogShape)}});
}

Shape ScheduleShape() {
  Shape shape = Object({{"every", DurationShape},
                        {"cron", AnyText},
                        {"after", DurationShape},
                        {"on", ConsumptionShape},
                        {"read", Word({"data", "envelope", "raw"})}});
  shape.needs = {{"read", "on"}};
  return shape;
}

}  // namespace

const Shape& WorkflowShape() {
  static const Shape& shape = *new Shape(
      Object({{"document", DocumentShape(), kRequired},
              {"input", InputShape},
              {"use", UseShape()},
              {"do", TaskListShape, kRequired},
              {"timeout", TimeoutShape},
              {"output", OutputShape},
              {"schedule", ScheduleShape()},
              {"evaluate", Object({{"language", AnyText}, {"mode", Word({"strict", "loose"})}})}}));
  return shape;
}

const Shape& ExtensionShape() {
  static const Shape& shape =
      *new Shape(Object({{"extend",
                          Word({"call", "composite", "emit", "for", "listen", "raise", "run", "set",
                                "switch", "try", "wait", "all"}),
                          kRequired},
                         {"when", AnyText},
                         {"before", HandlerListShape},
                         {"after", HandlerListShape}}));
  return shape;
}

const Shape& CatalogShape() {
  static const Shape& shape = *new Shape(Object({{"endpoint", EndpointShape, kRequired}}));
  return shape;
}

}  // namespace jaque::dsl
