// SPDX-License-Identifier: Apache-2.0
// Tables: the arguments of `call` (schema: callTask).
#include "dsl/shape.h"

namespace jaque::dsl {
namespace {

constexpr auto kRequired = Field::kRequired;

Shape CallTask(Shape with) {
  return Object(TaskFields({{"call", AnyText, kRequired}, {"with", std::move(with), kRequired}}));
}

// An object of texts, or an expression that yields one.
Shape TextsOrExpression(ShapeFunction values) {
  Shape shape = MapOf(values);
  shape.text = true;
  shape.rule = CheckRuntimeExpression;
  shape.what = "an object or a runtime expression";
  return shape;
}

const Shape& QueryScalarShape() {
  static const Shape& shape = *[] {
    auto* scalar = new Shape(Text());
    scalar->number = scalar->boolean = true;
    return scalar;
  }();
  return shape;
}

// Wider than the schema, which wants texts only: numbers, booleans and lists have one obvious
// spelling.
const Shape& QueryValueShape() {
  static const Shape& shape = *[] {
    auto* value = new Shape(QueryScalarShape());
    value->list = true;
    value->items = QueryScalarShape;
    return value;
  }();
  return shape;
}

Shape HttpShape() {
  return CallTask(Object({{"method", AnyText, kRequired},
                          {"endpoint", EndpointShape, kRequired},
                          {"headers", TextsOrExpression(AnyText)},
                          {"body", Anything},
                          {"query", TextsOrExpression(QueryValueShape)},
                          {"output", Word({"raw", "content", "response"})},
                          {"redirect", Boolean()}}));
}

Shape OpenApiShape() {
  return CallTask(Object({{"document", ResourceShape, kRequired},
                          {"operationId", AnyText, kRequired},
                          {"parameters", AnyObject()},
                          {"authentication", AuthenticationOrNameShape},
                          {"output", Word({"raw", "content", "response"})},
                          {"redirect", Boolean()}}));
}

Shape GrpcShape() {
  Shape port = Integer();
  port.least = 0;
  port.most = 65'535;
  Shape service = Object({{"name", AnyText, kRequired},
                          {"host", TextWith(CheckHost), kRequired},
                          {"port", port},
                          {"authentication", AuthenticationOrNameShape}});
  return CallTask(Object({{"proto", ResourceShape, kRequired},
                          {"service", service, kRequired},
                          {"method", AnyText, kRequired},
                          {"arguments", AnyObject()}}));
}

Shape SubscriptionShape() {
  const Shape condition = TextWith(CheckRuntimeExpression);
  Shape consume = Object(
      {{"for", DurationShape}, {"amount", Integer()}, {"while", condition}, {"until", condition}});
  consume.choices = {{{"amount"}, {"while"}, {"until"}}};
  return Object(
      {{"filter", condition}, {"consume", consume, kRequired}, {"foreach", IteratorShape}});
}

Shape AsyncApiShape() {
  Shape with =
      Object({{"document", ResourceShape, kRequired},
              {"channel", AnyText},
              {"operation", AnyText},
              {"server", Object({{"name", AnyText, kRequired}, {"variables", AnyObject()}})},
              {"protocol", Word({"amqp", "amqp1", "anypointmq", "googlepubsub", "http", "ibmmq",
                                 "jms", "kafka", "mercure", "mqtt", "mqtt5", "nats", "pulsar",
                                 "redis", "sns", "solace", "sqs", "stomp", "ws"})},
              {"message", Object({{"payload", AnyObject()}, {"headers", AnyObject()}})},
              {"subscription", SubscriptionShape()},
              {"authentication", AuthenticationOrNameShape}});
  with.choices = {{{"operation"}, {"channel"}}, {{"message"}, {"subscription"}}};
  return CallTask(std::move(with));
}

Shape ParametersShape(size_t least_members) {
  Shape shape = AnyObject();
  shape.text = true;
  shape.least_members = least_members;
  return shape;
}

Shape A2aShape() {
  return CallTask(
      Object({{"agentCard", ResourceShape},
              {"server", EndpointShape},
              {"method",
               Word({"message/send", "message/stream", "tasks/get", "tasks/list", "tasks/cancel",
                     "tasks/resubscribe", "tasks/pushNotificationConfig/set",
                     "tasks/pushNotificationConfig/get", "tasks/pushNotificationConfig/list",
                     "tasks/pushNotificationConfig/delete", "agent/getAuthenticatedExtendedCard"}),
               kRequired},
              {"parameters", ParametersShape(1)}}));
}

const Shape& ArgumentsShape() {
  static const Shape& shape = *new Shape(ListOf(AnyText));
  return shape;
}

Shape TransportShape() {
  Shape shape = Object(
      {{"http", Object({{"endpoint", EndpointShape, kRequired}, {"headers", MapOf(AnyText)}})},
       {"stdio", Object({{"command", AnyText, kRequired},
                         {"arguments", ArgumentsShape},
                         {"environment", MapOf(AnyText)}})},
       {"options", MapOf(AnyText)}});
  shape.choices = {{{"http"}, {"stdio"}}};
  return shape;
}

Shape McpShape() {
  return CallTask(Object(
      {{"protocolVersion", AnyText},
       {"method",
        Word({"tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list",
              "resources/read", "resources/templates/list"}),
        kRequired},
       {"parameters", ParametersShape(0)},
       {"timeout", DurationShape},
       {"transport", TransportShape(), kRequired},
       {"client", Object({{"name", AnyText, kRequired}, {"version", AnyText, kRequired}})}}));
}

}  // namespace

const Shape& CallShape(std::string_view function) {
  static const Shape& http = *new Shape(HttpShape());
  static const Shape& openapi = *new Shape(OpenApiShape());
  static const Shape& grpc = *new Shape(GrpcShape());
  static const Shape& asyncapi = *new Shape(AsyncApiShape());
  static const Shape& a2a = *new Shape(A2aShape());
  static const Shape& mcp = *new Shape(McpShape());
  static const Shape& custom =
      *new Shape(Object(TaskFields({{"call", AnyText, kRequired}, {"with", AnyObject()}})));
  if (function == "http") return http;
  if (function == "openapi") return openapi;
  if (function == "grpc") return grpc;
  if (function == "asyncapi") return asyncapi;
  if (function == "a2a") return a2a;
  if (function == "mcp") return mcp;
  return custom;
}

}  // namespace jaque::dsl
