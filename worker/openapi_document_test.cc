// SPDX-License-Identifier: Apache-2.0
#include "worker/openapi_document.h"

#include "base/limits.h"
#include "base/simulated_clock.h"
#include "base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque {
namespace {

using ::testing::HasSubstr;
using In = OpenApiParameter::In;

constexpr char kUri[] = "https://docs.example/api/v1/openapi.json";

std::shared_ptr<const OpenApiDocument> Parsed(std::string_view text,
                                              const std::string& uri = kUri) {
  auto document = OpenApiDocument::Parse(text, uri);
  EXPECT_TRUE(document.ok()) << document.status();
  return document.ok() ? *document : nullptr;
}

OpenApiOperation Found(std::string_view text, const std::string& operation,
                       const std::string& uri = kUri) {
  const auto document = Parsed(text, uri);
  if (document == nullptr) return {};
  auto found = document->Find(operation);
  EXPECT_TRUE(found.ok()) << found.status();
  return found.ok() ? *found : OpenApiOperation();
}

std::string FindError(std::string_view text, const std::string& operation) {
  const auto document = Parsed(text);
  if (document == nullptr) return "";
  const auto found = document->Find(operation);
  EXPECT_FALSE(found.ok());
  return std::string(Message(found.status()));
}

std::string ParseError(std::string_view text) {
  const auto document = OpenApiDocument::Parse(text, kUri);
  EXPECT_FALSE(document.ok()) << text.substr(0, 100);
  return std::string(Message(document.status()));
}

std::string Swagger(const std::string& head, const std::string& operation = "") {
  return Cat("{\"swagger\":\"2.0\",", head,
             "\"paths\":{\"/pets\":{\"get\":{\"operationId\":\"list\"", operation, "}}}}");
}

std::string OpenApi(const std::string& head, const std::string& item = "",
                    const std::string& operation = "") {
  return Cat("{\"openapi\":\"3.0.3\",", head, "\"paths\":{\"/pets\":{", item,
             "\"get\":{\"operationId\":\"list\"", operation, "}}}}");
}

TEST(OpenApiDocumentTest, SwaggerSaysWhereByHostBasePathAndSchemes) {
  const auto base = [](const std::string& head, const std::string& operation = "") {
    return Found(Swagger(head, operation), "list").base_uri;
  };
  EXPECT_EQ(base(R"("host":"h.example:81","basePath":"/v2","schemes":["http"],)"),
            "http://h.example:81/v2");
  EXPECT_EQ(base(R"("host":"h.example","basePath":"/v2/","schemes":["http","https"],)"),
            "https://h.example/v2");
  EXPECT_EQ(base(R"("host":"h.example",)"), "https://h.example");  // the document's own scheme
  EXPECT_EQ(base(R"("basePath":"/v2",)"), "https://docs.example/v2");
  EXPECT_EQ(base(""), "https://docs.example");
  EXPECT_EQ(base(R"("host":"h","schemes":["https"],)", R"(,"schemes":["http"])"), "http://h");
  EXPECT_EQ(base(R"("host":"h","basePath":"v2",)"), "https://h/v2");
  EXPECT_THAT(FindError(Swagger(R"("host":"h","schemes":["ws"],)"), "list"), HasSubstr("ws"));
  // The document's own scheme, where https is not offered and it is.
  EXPECT_EQ(Found(Swagger(R"("host":"h","schemes":["wss","http"],)"), "list", "http://d.example/x")
                .base_uri,
            "http://h");
}

TEST(OpenApiDocumentTest, ServersFromTheNearestPlace) {
  const auto base = [](const std::string& head, const std::string& item = "",
                       const std::string& operation = "") {
    return Found(OpenApi(head, item, operation), "list").base_uri;
  };
  const std::string root = R"("servers":[{"url":"https://root.example/v1/"},{"url":"http://b"}],)";
  const std::string item = R"("servers":[{"url":"https://item.example"}],)";
  EXPECT_EQ(base(root), "https://root.example/v1");
  EXPECT_EQ(base(root, item), "https://item.example");
  EXPECT_EQ(base(root, item, R"(,"servers":[{"url":"https://own.example"}])"),
            "https://own.example");
  EXPECT_EQ(base(""), "https://docs.example");
  EXPECT_EQ(base(R"("servers":[],)"), "https://docs.example");
  EXPECT_EQ(base(R"("servers":[{"url":"/v3"}],)"), "https://docs.example/v3");
  EXPECT_EQ(base(R"("servers":[{"url":"../v3"}],)"), "https://docs.example/api/v3");
  EXPECT_EQ(base(R"("servers":[{"url":"{s}://{h}.example/{h}","variables":
                    {"s":{"default":"http"},"h":{"default":"x"}}}],)"),
            "http://x.example/x");
}

TEST(OpenApiDocumentTest, AVariableOfAServerCannotGrowWithoutEnd) {
  std::string holes, variables;
  for (int i = 0; i < 100; ++i) holes += "{a}";
  const std::string text =
      OpenApi(Cat("\"servers\":[{\"url\":\"http://h/", holes,
                  "\",\"variables\":{\"a\":{\"default\":\"", std::string(1'000, 'x'), "\"}}}],"));
  const auto document = Parsed(text);
  ASSERT_NE(document, nullptr);
  const auto found = document->Find("list");
  if (found.ok()) {
    EXPECT_LE(found->base_uri.size(), 110'000u);
  }
}

TEST(OpenApiDocumentTest, ParametersOfPathAndOperation) {
  const OpenApiOperation operation = Found(R"({
    "openapi": "3.1.0",
    "components": {"parameters": {"Limit": {"$ref": "#/components/parameters/Real~1Limit"},
      "Real/Limit": {"name": "limit", "in": "query", "required": true, "explode": false}}},
    "paths": {"/pets/{id}": {
      "parameters": [{"name": "id", "in": "path"}, {"name": "x", "in": "header"}],
      "put": {"operationId": "change", "parameters": [
        {"$ref": "#/components/parameters/Limit"},
        {"name": "x", "in": "header", "required": true},
        {"name": "x", "in": "query", "style": "deepObject"},
        {"name": "filter", "in": "query", "content": {"application/json": {}}},
        {"name": "session", "in": "cookie"}, {"name": "odd", "in": "somewhere"}],
        "requestBody": {"required": true, "content": {"text/plain": {}, "application/json": {}}}
      }}}})",
                                           "change");
  EXPECT_EQ(operation.method, "PUT");
  EXPECT_EQ(operation.path, "/pets/{id}");
  ASSERT_EQ(operation.parameters.size(), 6u);
  const OpenApiParameter& limit = operation.parameters[0];
  EXPECT_EQ(limit.name, "limit");
  EXPECT_TRUE(limit.required);
  EXPECT_EQ(limit.style, "form");
  EXPECT_FALSE(limit.explode);
  EXPECT_EQ(operation.parameters[1].in, In::kHeader);
  EXPECT_TRUE(operation.parameters[1].required);  // the operation's, not the path's
  EXPECT_EQ(operation.parameters[2].style, "deepObject");
  EXPECT_TRUE(operation.parameters[3].as_json);
  EXPECT_EQ(operation.parameters[4].in, In::kCookie);
  EXPECT_TRUE(operation.parameters[4].explode);
  EXPECT_EQ(operation.parameters[5].in, In::kPath);
  EXPECT_TRUE(operation.parameters[5].required);
  EXPECT_EQ(operation.parameters[5].style, "simple");
  EXPECT_EQ(operation.body_type, "application/json");
  EXPECT_TRUE(operation.body_required);
}

TEST(OpenApiDocumentTest, SwaggerBodies) {
  const auto type = [](const std::string& in, const std::string& consumes,
                       const std::string& more = "") {
    return Found(Swagger("",
                         Cat(",\"consumes\":[", consumes,
                             "],\"parameters\":[{\"name\":\"p\",\"in\":\"", in, "\"", more, "}]")),
                 "list")
        .body_type;
  };
  EXPECT_EQ(type("body", R"("application/xml","application/json")"), "application/json");
  EXPECT_EQ(type("body", R"("application/xml")"), "application/xml");
  EXPECT_EQ(type("body", ""), "application/json");
  EXPECT_EQ(type("formData", ""), "application/x-www-form-urlencoded");
  EXPECT_EQ(type("formData", R"("multipart/form-data")"), "multipart/form-data");
  EXPECT_EQ(type("formData", "", R"(,"type":"file")"), "multipart/form-data");
  EXPECT_EQ(type("query", ""), "");
}

TEST(OpenApiDocumentTest, YamlToo) {
  const OpenApiOperation operation = Found(
      "openapi: 3.0.0\nservers:\n- url: http://h.example/v1\n"
      "paths:\n  /pets:\n    get:\n      operationId: list\n      responses: {200: {}}\n",
      "list");
  EXPECT_EQ(operation.base_uri, "http://h.example/v1");
  EXPECT_EQ(operation.method, "GET");
}

TEST(OpenApiDocumentTest, WhatIsNoDocument) {
  EXPECT_EQ(ParseError(""), "the OpenAPI document is neither JSON nor YAML");
  EXPECT_EQ(ParseError("<html><body>Sign in</body></html>"),
            "the OpenAPI document is neither JSON nor YAML");
  EXPECT_EQ(ParseError("{bad"), "the OpenAPI document is neither JSON nor YAML");
  EXPECT_EQ(ParseError("[1, 2]"), "the OpenAPI document is neither JSON nor YAML");
  EXPECT_EQ(ParseError(std::string("\xff\xfe\x00{", 4)),
            "the OpenAPI document is neither JSON nor YAML");
  for (const char* text : {"{}", R"({"swagger":"1.2"})", R"({"openapi":"4.0"})", R"({"openapi":3})",
                           "asyncapi: 2.6.0"}) {
    EXPECT_EQ(ParseError(text), "the document is neither Swagger 2.0 nor OpenAPI 3") << text;
  }
  ParseError(std::string(100'000, '[') + std::string(100'000, ']'));
  ParseError("{\"openapi\":\"3.0.0\",\"x\":" + std::string(100'000, '[') + "}");
  ParseError(
      "a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\n"
      "d: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\n"
      "f: &f [*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f]\n");
}

TEST(OpenApiDocumentTest, OddDocumentsHurtNobody) {
  for (const char* paths :
       {"null", "[]", "7", R"({"/a":null})", R"({"/a":[]})", R"({"/a":{"get":7}})",
        R"({"/a":{"get":{"operationId":7}}})", R"({"/a":{"$ref":"#/paths/~1a"}})",
        R"({"/a":{"$ref":"other.json#/x"}})"}) {
    EXPECT_THAT(FindError(Cat("{\"openapi\":\"3.0.0\",\"paths\":", paths, "}"), "list"),
                HasSubstr("no operation \"list\""))
        << paths;
  }
  EXPECT_THAT(FindError(R"({"openapi":"3.0.0"})", "list"), HasSubstr("no operation \"list\""));
  for (const char* more :
       {R"(,"parameters":7)", R"(,"parameters":[7,null,[],{}])", R"(,"requestBody":7)",
        R"(,"requestBody":{"content":[]})", R"(,"servers":[7])", R"(,"servers":{})",
        R"(,"servers":[{"url":7,"variables":[]}])", R"(,"parameters":[{"in":"query"}])"}) {
    const auto document = Parsed(OpenApi("", "", more));
    ASSERT_NE(document, nullptr);
    EXPECT_TRUE(document->Find("list").ok()) << more;
  }
}

TEST(OpenApiDocumentTest, ReferencesAreBounded) {
  EXPECT_THAT(FindError(OpenApi(R"("a":{"$ref":"#/b"},"b":{"$ref":"#/a"},)", "",
                                R"(,"parameters":[{"$ref":"#/a"}])"),
                        "list"),
              HasSubstr("without end"));
  EXPECT_THAT(FindError(OpenApi("", "", R"(,"parameters":[{"$ref":"#/nowhere/x"}])"), "list"),
              HasSubstr("leads nowhere"));
  EXPECT_THAT(
      FindError(OpenApi("", "", R"(,"parameters":[{"$ref":"https://evil.example/p"}])"), "list"),
      HasSubstr("leads out of the document"));
  EXPECT_THAT(FindError(OpenApi("", "", R"(,"requestBody":{"$ref":"#/%zz/~"})"), "list"),
              HasSubstr("leads nowhere"));
}

TEST(OpenApiDocumentsTest, RemembersABoundedNumberForABoundedTime) {
  SimulatedClock clock;
  OpenApiDocuments documents(&clock);
  const auto document = Parsed(Swagger(""));
  EXPECT_EQ(documents.Find("a"), nullptr);
  documents.Insert("a", document);
  EXPECT_EQ(documents.Find("a"), document);
  clock.Advance(absl::Seconds(limits::kOpenApiSeconds));
  EXPECT_EQ(documents.Find("a"), nullptr);
  for (size_t i = 0; i < limits::kOpenApiDocuments + 5; ++i) {
    documents.Insert(Cat("key", i), document);
  }
  EXPECT_EQ(documents.Find("key4"), nullptr);
  EXPECT_EQ(documents.Find("key5"), document);
  const auto newer = Parsed(Swagger(""));
  documents.Insert("key5", newer);
  EXPECT_EQ(documents.Find("key5"), newer);
  EXPECT_EQ(documents.Find("key6"), document);
}

}  // namespace
}  // namespace jaque
