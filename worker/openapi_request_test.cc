// SPDX-License-Identifier: Apache-2.0
#include "worker/openapi_request.h"

#include "base/text.h"
#include "expression/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "worker/outcome.h"

namespace jaque {
namespace {

using ::testing::HasSubstr;

// "METHOD url|Name: value|…|body" of an operation of this OpenAPI 3 text, without Accept.
std::string Made(const std::string& path, const std::string& operation, const std::string& given) {
  auto document = OpenApiDocument::Parse(
      Cat("{\"openapi\":\"3.0.3\",\"servers\":[{\"url\":\"http://h/v1\"}],\"paths\":{\"", path,
          "\":{\"post\":{\"operationId\":\"it\",", operation, "}}}}"),
      "http://d/");
  if (!document.ok()) return Cat("bad document: ", Message(document.status()));
  auto found = (*document)->Find("it");
  if (!found.ok()) return Cat("not found: ", Message(found.status()));
  const auto request = MakeOperationRequest(*found, ParseJson(given).value());
  if (!request.ok()) {
    EXPECT_EQ(request.status().code(), BadArgument("").code());
    return Cat("bad: ", Message(request.status()));
  }
  std::string text = Cat(request->method, " ", request->url);
  for (const auto& [name, value] : request->headers) {
    if (name != "Accept") text += Cat("|", name, ": ", value);
  }
  if (request->body.has_value()) text += Cat("|", *request->body);
  return text;
}

std::string Parameter(const std::string& in, const std::string& more = "") {
  return Cat("\"parameters\":[{\"name\":\"p\",\"in\":\"", in, "\"", more.empty() ? "" : ",", more,
             "}]");
}

TEST(OpenApiRequestTest, PathStyles) {
  const auto path = [](const std::string& more, const std::string& value) {
    return Made("/a/{p}/b", Parameter("path", more), Cat("{\"p\":", value, "}"));
  };
  EXPECT_EQ(path("", "\"x y/z\""), "POST http://h/v1/a/x%20y%2Fz/b");
  EXPECT_EQ(path("", "1e3"), "POST http://h/v1/a/1000/b");
  EXPECT_EQ(path("", "[1,\"a,b\"]"), "POST http://h/v1/a/1,a%2Cb/b");
  EXPECT_EQ(path("", R"({"k":"v","n":2})"), "POST http://h/v1/a/k,v,n,2/b");
  EXPECT_EQ(path(R"("explode":true)", R"({"k":"v","n":2})"), "POST http://h/v1/a/k=v,n=2/b");
  EXPECT_EQ(path(R"("style":"label")", "[1,2]"), "POST http://h/v1/a/.1,2/b");
  EXPECT_EQ(path(R"("style":"label","explode":true)", "[1,2]"), "POST http://h/v1/a/.1.2/b");
  EXPECT_EQ(path(R"("style":"matrix")", "[1,2]"), "POST http://h/v1/a/;p=1,2/b");
  EXPECT_EQ(path(R"("style":"matrix","explode":true)", "[1,2]"), "POST http://h/v1/a/;p=1;p=2/b");
  EXPECT_EQ(path(R"("content":{"application/json":{}})", "[1]"), "POST http://h/v1/a/%5B1%5D/b");
  // Text in a value is not a part of the template.
  EXPECT_EQ(path("", "\"{p}\""), "POST http://h/v1/a/%7Bp%7D/b");
}

TEST(OpenApiRequestTest, APathCannotBeLeft) {
  for (const char* value : {"\"\"", "\"..\"", "\".\"", "[]"}) {
    EXPECT_THAT(Made("/a/{p}/b", Parameter("path"), Cat("{\"p\":", value, "}")),
                HasSubstr("bad: the parameter \"p\" cannot be"))
        << value;
  }
  EXPECT_EQ(Made("/a/{p}", Parameter("path"), R"({"p":"../../admin?x=1#y"})"),
            "POST http://h/v1/a/..%2F..%2Fadmin%3Fx%3D1%23y");
}

TEST(OpenApiRequestTest, QueryStyles) {
  const auto query = [](const std::string& more, const std::string& value) {
    return Made("/a", Parameter("query", more), Cat("{\"p\":", value, "}"));
  };
  EXPECT_EQ(query("", "\"a+b & c\""), "POST http://h/v1/a?p=a%2Bb%20%26%20c");
  EXPECT_EQ(query("", "[1,2]"), "POST http://h/v1/a?p=1&p=2");
  EXPECT_EQ(query(R"("explode":false)", "[1,2]"), "POST http://h/v1/a?p=1%2C2");
  EXPECT_EQ(query(R"("style":"pipeDelimited","explode":false)", "[1,2]"),
            "POST http://h/v1/a?p=1%7C2");
  EXPECT_EQ(query(R"("style":"spaceDelimited","explode":false)", "[1,2]"),
            "POST http://h/v1/a?p=1%202");
  EXPECT_EQ(query(R"("style":"deepObject","explode":true)", R"({"k":"v"})"),
            "POST http://h/v1/a?p%5Bk%5D=v");
  EXPECT_EQ(query("", R"({"k":"v","n":true})"), "POST http://h/v1/a?k=v&n=true");
  EXPECT_EQ(query(R"("content":{"application/json":{}})", R"({"k":1})"),
            "POST http://h/v1/a?p=%7B%22k%22%3A1%7D");
  EXPECT_EQ(query("", "null"), "POST http://h/v1/a");
}

TEST(OpenApiRequestTest, HeadersAndCookies) {
  EXPECT_EQ(Made("/a", Parameter("header"), R"({"p":[1,"x"]})"), "POST http://h/v1/a|p: 1,x");
  EXPECT_THAT(Made("/a", Parameter("header"), R"({"p":"a\r\nb: c"})"), HasSubstr("bad: "));
  EXPECT_EQ(Made("/a", Parameter("cookie"), R"({"p":"a; b"})"),
            "POST http://h/v1/a|Cookie: p=a%3B%20b");
}

constexpr char kJsonBody[] = R"("requestBody":{"content":{"application/json":{}}})";

TEST(OpenApiRequestTest, Bodies) {
  EXPECT_EQ(Made("/a", kJsonBody, R"({"body":{"x":1}})"),
            "POST http://h/v1/a|Content-Type: application/json|{\"x\":1}");
  // Parameters that are declared nowhere make up the body.
  EXPECT_EQ(Made("/a", Cat(Parameter("query"), ",", kJsonBody), R"({"p":1,"x":2,"y":[3]})"),
            "POST http://h/v1/a?p=1|Content-Type: application/json|{\"x\":2,\"y\":[3]}");
  EXPECT_EQ(Made("/a", kJsonBody, "{}"), "POST http://h/v1/a");
  EXPECT_EQ(Made("/a", kJsonBody, "null"), "POST http://h/v1/a");
  EXPECT_EQ(Made("/a", R"("requestBody":{"content":{"text/plain":{}}})", R"({"body":"hi"})"),
            "POST http://h/v1/a|Content-Type: text/plain|hi");
  EXPECT_EQ(Made("/a", R"("requestBody":{"content":{"application/x-www-form-urlencoded":{}}})",
                 R"({"a":1,"b":"x y"})"),
            "POST http://h/v1/a|Content-Type: application/x-www-form-urlencoded|a=1&b=x%20y");
  EXPECT_EQ(Made("/a", R"("requestBody":{"content":{"multipart/form-data":{}}})",
                 R"({"n\"\r\n":"jaque-part"})"),
            "POST http://h/v1/a|Content-Type: multipart/form-data; boundary=jaque-part-|"
            "--jaque-part-\r\nContent-Disposition: form-data; name=\"n%22%0D%0A\"\r\n\r\n"
            "jaque-part\r\n--jaque-part---\r\n");
}

TEST(OpenApiRequestTest, WhatIsMissingOrUnknownIsNamed) {
  EXPECT_EQ(Made("/a/{p}", Parameter("path"), "{}"), "bad: the parameter \"p\" is required");
  EXPECT_EQ(Made("/a", Parameter("query", R"("required":true)"), R"({"p":null})"),
            "bad: the parameter \"p\" is required");
  EXPECT_EQ(Made("/a", Parameter("query"), R"({"q":1})"),
            "bad: the operation has no parameter \"q\"");
  EXPECT_EQ(Made("/a", kJsonBody, R"({"body":1,"q":1})"),
            "bad: the operation has no parameter \"q\"");
  EXPECT_THAT(
      Made("/a", R"("requestBody":{"required":true,"content":{"application/json":{}}})", "{}"),
      HasSubstr("needs a body"));
  EXPECT_THAT(Made("/a/{q}", Parameter("query"), "{}"), HasSubstr("a part that is no parameter"));
  EXPECT_EQ(Made("/a", Parameter("query"), "[1]"), "bad: `parameters` must be an object");
}

TEST(OpenApiRequestTest, SwaggerBodyAndForm) {
  const auto made = [](const std::string& parameters, const std::string& more,
                       const std::string& given) {
    auto document =
        OpenApiDocument::Parse(Cat("{\"swagger\":\"2.0\",\"paths\":{\"/"
                                   "a\":{\"put\":{\"operationId\":\"it\",\"parameters\":[",
                                   parameters, "]", more, "}}}}"),
                               "http://d/");
    const auto request =
        MakeOperationRequest((*document)->Find("it").value(), ParseJson(given).value());
    if (!request.ok()) return Cat("bad: ", Message(request.status()));
    return Cat(request->url, "|", request->body.value_or("none"));
  };
  const std::string body = R"({"name":"pet","in":"body","required":true})";
  EXPECT_EQ(made(body, "", R"({"pet":{"id":1}})"), "http://d/a|{\"id\":1}");
  EXPECT_EQ(made(body, "", R"({"body":{"id":1}})"), "http://d/a|{\"id\":1}");
  EXPECT_EQ(made(body, "", "{}"), "bad: the parameter \"pet\" is required");
  EXPECT_EQ(made(body, "", R"({"pet":1,"x":2})"), "bad: the operation has no parameter \"x\"");
  EXPECT_EQ(made(R"({"name":"a","in":"formData"},{"name":"b","in":"formData"})", "",
                 R"({"a":"1","b":"x&y"})"),
            "http://d/a|a=1&b=x%26y");
  EXPECT_EQ(made(R"({"name":"s","in":"query","type":"array","collectionFormat":"multi"})", "",
                 R"({"s":["a","b"]})"),
            "http://d/a?s=a&s=b|none");
  EXPECT_EQ(made(R"({"name":"s","in":"query","type":"array","collectionFormat":"tsv"})", "",
                 R"({"s":["a","b"]})"),
            "http://d/a?s=a%09b|none");
}

}  // namespace
}  // namespace jaque
