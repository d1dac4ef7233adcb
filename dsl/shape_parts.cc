// SPDX-License-Identifier: Apache-2.0
// Tables: what many constructs share (schema: duration, timeout, input, output, export, endpoint,
// externalResource, authenticationPolicy, error, retryPolicy).
#include "dsl/shape.h"
#include "dsl/text.h"

namespace jaque::dsl {
namespace {

constexpr auto kRequired = Field::kRequired;

// `shape`, or the name of something in `use`.
Shape OrName(Shape shape, std::string_view what) {
  shape.text = true;
  shape.rule = CheckNotEmpty;
  shape.what = what;
  return shape;
}

Shape DataShape(std::string_view transformation) {
  Shape transform = AnyObject();
  transform.text = true;
  Shape schema = Object({{"format", AnyText}, {"document", Anything}, {"resource", ResourceShape}});
  schema.choices = {{{"document"}, {"resource"}}};
  return Object({{"schema", schema}, {transformation, transform}});
}

// Inline, or the name of a secret that holds the same.
Shape SecretOr(Shape shape, std::vector<std::string_view> inline_keys) {
  shape.fields.emplace_back("use", TextWith(CheckNotEmpty));
  shape.choices = {{std::move(inline_keys), {"use"}}};
  return shape;
}

Shape TokenShape() { return Object({{"token", AnyText, kRequired}, {"type", AnyText, kRequired}}); }

const Shape& ListOfText() {
  static const Shape& shape = *new Shape(ListOf(AnyText));
  return shape;
}

std::vector<Field> OAuthFields() {
  Shape client =
      Object({{"id", AnyText},
              {"secret", AnyText},
              {"assertion", AnyText},
              {"authentication", Word({"client_secret_basic", "client_secret_post",
                                       "client_secret_jwt", "private_key_jwt", "none"})}});
  Shape request =
      Object({{"encoding", Word({"application/x-www-form-urlencoded", "application/json"})}});
  return {{"authority", TextWith(CheckUriTemplate)},
          {"grant", Word({"authorization_code", "client_credentials", "password", "refresh_token",
                          "urn:ietf:params:oauth:grant-type:token-exchange"})},
          {"client", client},
          {"request", request},
          {"issuers", ListOfText},
          {"scopes", ListOfText},
          {"audiences", ListOfText},
          {"username", AnyText},
          {"password", AnyText},
          {"subject", TokenShape()},
          {"actor", TokenShape()}};
}

Shape OAuthShape() {
  std::vector<Field> fields = OAuthFields();
  const Shape path = TextWith(CheckUriTemplate);
  fields.emplace_back("endpoints",
                      Object({{"token", path}, {"revocation", path}, {"introspection", path}}));
  return SecretOr(Object(std::move(fields)), {"authority", "grant"});
}

std::vector<Field> AuthenticationFields() {
  const Shape password =
      SecretOr(Object({{"username", AnyText}, {"password", AnyText}}), {"username", "password"});
  return {{"basic", password},
          {"bearer", SecretOr(Object({{"token", AnyText}}), {"token"})},
          {"digest", password},
          {"oauth2", OAuthShape()},
          {"oidc", SecretOr(Object(OAuthFields()), {"authority", "grant"})}};
}

Shape BackoffShape() {
  Shape shape =
      Object({{"constant", AnyObject()}, {"exponential", AnyObject()}, {"linear", AnyObject()}});
  shape.choices = {{{"constant"}, {"exponential"}, {"linear"}}};
  return shape;
}

Shape RetryObject() {
  return Object(
      {{"when", AnyText},
       {"exceptWhen", AnyText},
       {"delay", DurationShape},
       {"backoff", BackoffShape()},
       {"limit", Object({{"attempt", Object({{"count", Integer()}, {"duration", DurationShape}})},
                         {"duration", DurationShape}})},
       {"jitter", Object({{"from", DurationShape, kRequired}, {"to", DurationShape, kRequired}})}});
}

Shape ErrorObject() {
  return Object({{"type", TextWith(CheckUriOrExpression), kRequired},
                 {"status", Integer(), kRequired},
                 {"instance", TextWith(CheckPointerOrExpression)},
                 {"title", AnyText},
                 {"detail", AnyText}});
}

Shape TimeoutObject() { return Object({{"after", DurationShape, kRequired}}); }

}  // namespace

const Shape& DurationShape() {
  static const Shape& shape = *[] {
    auto* duration = new Shape(Object({{"days", Integer()},
                                       {"hours", Integer()},
                                       {"minutes", Integer()},
                                       {"seconds", Integer()},
                                       {"milliseconds", Integer()}}));
    duration->least_members = 1;
    duration->text = true;
    duration->rule = CheckDurationText;
    duration->what = "a duration such as PT1M30S or {minutes: 1, seconds: 30}";
    return duration;
  }();
  return shape;
}

const Shape& TimeoutDefinitionShape() {
  static const Shape& shape = *new Shape(TimeoutObject());
  return shape;
}

const Shape& TimeoutShape() {
  static const Shape& shape =
      *new Shape(OrName(TimeoutObject(), "a timeout or the name of one in `use.timeouts`"));
  return shape;
}

const Shape& InputShape() {
  static const Shape& shape = *new Shape(DataShape("from"));
  return shape;
}
const Shape& OutputShape() {
  static const Shape& shape = *new Shape(DataShape("as"));
  return shape;
}
const Shape& ExportShape() { return OutputShape(); }

const Shape& EndpointShape() {
  static const Shape& shape = *[] {
    auto* endpoint = new Shape(Object({{"uri", TextWith(CheckUriOrExpression), kRequired},
                                       {"authentication", AuthenticationOrNameShape}}));
    endpoint->text = true;
    endpoint->rule = CheckUriOrExpression;
    endpoint->what = "a URI, a runtime expression or an object with `uri`";
    return endpoint;
  }();
  return shape;
}

const Shape& ResourceShape() {
  static const Shape& shape =
      *new Shape(Object({{"name", AnyText}, {"endpoint", EndpointShape, kRequired}}));
  return shape;
}

const Shape& AuthenticationShape() {
  static const Shape& shape = *[] {
    auto* policy = new Shape(Object(AuthenticationFields()));
    policy->choices = {{{"basic"}, {"bearer"}, {"digest"}, {"oauth2"}, {"oidc"}}};
    return policy;
  }();
  return shape;
}

const Shape& AuthenticationOrNameShape() {
  static const Shape& shape = *[] {
    auto* policy = new Shape(Object(AuthenticationFields()));
    policy->fields.emplace_back("use", TextWith(CheckNotEmpty));
    policy->choices = {{{"basic"}, {"bearer"}, {"digest"}, {"oauth2"}, {"oidc"}, {"use"}}};
    return policy;
  }();
  return shape;
}

const Shape& ErrorShape() {
  static const Shape& shape = *new Shape(ErrorObject());
  return shape;
}
const Shape& ErrorOrNameShape() {
  static const Shape& shape =
      *new Shape(OrName(ErrorObject(), "an error or the name of one in `use.errors`"));
  return shape;
}

const Shape& RetryShape() {
  static const Shape& shape = *new Shape(RetryObject());
  return shape;
}
const Shape& RetryOrNameShape() {
  static const Shape& shape =
      *new Shape(OrName(RetryObject(), "a retry policy or the name of one in `use.retries`"));
  return shape;
}

}  // namespace jaque::dsl
