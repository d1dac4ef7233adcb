// SPDX-License-Identifier: Apache-2.0
// call openapi against a real server.
#include <atomic>

#include "absl/synchronization/notification.h"
#include "tests/support/http_server.h"
#include "worker/runner_fixture.h"

namespace jaque {
namespace {

using ::jaque::testing::TestHttpServer;
using ::jaque::testing::TestRequest;
using ::jaque::testing::TestResponse;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two hosts of the world, both this server: docs.example has documents, pets.example serves what
// they describe.
class OpenApiRunnerTest : public RunnerFixture {
 protected:
  OpenApiRunnerTest()
      : server_([this](const TestRequest& request) {
          if (request.Header("host") != "docs.example") return Serve(request);
          ++fetches_;
          TestResponse response;
          response.status = document_status_;
          response.body = document_;
          return response;
        }) {
    HttpClientOptions options;
    for (const char* host : {"docs.example", "pets.example"}) {
      options.resolve.push_back(Cat(host, ":80:127.0.0.1:", server_.port()));
    }
    UseClient(options);
  }

  TestResponse Serve(const TestRequest& request) {
    last_ = request;
    TestResponse response;
    response.content_type = "application/json";
    response.body = R"([{"id":1}])";
    if (request.path() == "/v2/moved") {
      response.status = 302;
      response.headers.emplace_back("Location", "/v2/pet/findByStatus");
    }
    return response;
  }

  std::string Call(const std::string& operation, const std::string& more = "",
                   const std::string& input = "{}") {
    return RunText(Cat("call: openapi\nwith:\n  document: {endpoint: 'http://docs.example/s.json'}"
                       "\n  operationId: ",
                       operation, "\n", Indented(more, 2)),
                   input);
  }

  // Swagger 2.0, in the way of the well-known pet shop.
  std::string document_ = R"({
    "swagger": "2.0", "host": "pets.example", "basePath": "/v2", "schemes": ["http"],
    "paths": {
      "/pet/findByStatus": {"get": {"operationId": "findPetsByStatus", "parameters": [
        {"name": "status", "in": "query", "required": true, "type": "array",
         "items": {"type": "string"}, "collectionFormat": "multi"}]}},
      "/pet/{petId}": {"get": {"operationId": "getPetById", "parameters": [
        {"name": "petId", "in": "path", "required": true, "type": "integer"}]}},
      "/pet": {"post": {"operationId": "addPet", "consumes": ["application/json"], "parameters": [
        {"name": "body", "in": "body", "required": true}]}},
      "/moved": {"get": {"operationId": "moved"}}}})";
  std::atomic<int> document_status_{200}, fetches_{0};
  TestRequest last_;
  TestHttpServer server_;
};

TEST_F(OpenApiRunnerTest, CallsAnOperationOfSwagger) {
  EXPECT_EQ(
      Call("findPetsByStatus", "parameters: {status: '${ .status }'}", R"({"status":"available"})"),
      "[{\"id\":1}]");
  EXPECT_EQ(Cat(last_.method, " ", last_.Header("host"), last_.target),
            "GET pets.example/v2/pet/findByStatus?status=available");
  Call("getPetById", "parameters: {petId: '${ .petId }'}", R"({"petId":9007199254740993})");
  EXPECT_EQ(last_.target, "/v2/pet/9007199254740993");
  Call("addPet", "parameters: {body: {name: rex}}");
  EXPECT_EQ(Cat(last_.method, " ", last_.Header("content-type"), " ", last_.body),
            "POST application/json {\"name\":\"rex\"}");
}

TEST_F(OpenApiRunnerTest, CallsAnOperationOfOpenApi3) {
  document_ = R"({"openapi":"3.0.0","servers":[{"url":"http://pets.example/v3"}],
    "paths":{"/pet/{id}":{"put":{"operationId":"change","parameters":[
      {"name":"id","in":"path","required":true},{"name":"dry","in":"query"},
      {"name":"X-Trace","in":"header"},{"name":"sid","in":"cookie"}],
      "requestBody":{"content":{"application/json":{}}}}}}})";
  Call("change", "parameters: {id: 7, dry: true, X-Trace: t1, sid: s1, name: rex}");
  EXPECT_EQ(Cat(last_.method, " ", last_.target), "PUT /v3/pet/7?dry=true");
  EXPECT_EQ(last_.Header("x-trace"), "t1");
  EXPECT_EQ(last_.Header("cookie"), "sid=s1");
  EXPECT_EQ(last_.body, "{\"name\":\"rex\"}");
}

TEST_F(OpenApiRunnerTest, OutputsAndRedirectsAsCallHttp) {
  const std::string output = Call("getPetById", "parameters: {petId: 1}\noutput: response");
  EXPECT_THAT(output, AllOf(HasSubstr(R"("method":"get")"), HasSubstr(R"("statusCode":200)"),
                            HasSubstr(R"("uri":"http://pets.example/v2/pet/1")"),
                            HasSubstr(R"("content":[{"id":1}])")));
  EXPECT_EQ(Call("getPetById", "parameters: {petId: 1}\noutput: raw"), "\"W3siaWQiOjF9XQ==\"");
  EXPECT_THAT(Call("moved"), StartsWith("communication 302: "));
  EXPECT_EQ(Call("moved", "redirect: true"), "[{\"id\":1}]");
}

TEST_F(OpenApiRunnerTest, TheDocumentIsFetchedOnce) {
  for (int i = 0; i < 3; ++i) Call("getPetById", "parameters: {petId: 1}");
  EXPECT_EQ(fetches_, 1);
}

TEST_F(OpenApiRunnerTest, WrongCallsAreConfigurationErrors) {
  EXPECT_EQ(Call("nothing"),
            "configuration 400: OpenAPI document http://docs.example/s.json: the document has no "
            "operation \"nothing\"");
  EXPECT_EQ(Call("findPetsByStatus"),
            "configuration 400: operation findPetsByStatus: the parameter \"status\" is required");
  EXPECT_EQ(Call("getPetById", "parameters: {petId: 1, colour: red}"),
            "configuration 400: operation getPetById: the operation has no parameter \"colour\"");
  EXPECT_THAT(Call("'${ .missing }'"), StartsWith("configuration 400: "));
  EXPECT_THAT(Call("getPetById", "parameters: {petId: '${ .a.b + 1 }'}", R"({"a":{"b":"x"}})"),
              StartsWith("expression 400: "));
}

TEST_F(OpenApiRunnerTest, DocumentsThatCannotBeUsed) {
  document_ = "<html>Sign in</html>";
  EXPECT_EQ(Call("getPetById"),
            "configuration 400: OpenAPI document http://docs.example/s.json: the OpenAPI document "
            "is neither JSON nor YAML");
  document_ = "{\"swagger\":\"1.2\"}";
  EXPECT_THAT(Call("getPetById"), HasSubstr("neither Swagger 2.0 nor OpenAPI 3"));
  document_status_ = 404;
  EXPECT_THAT(Call("getPetById"),
              StartsWith("communication 404: GET http://docs.example/s.json answered 404"));
  document_status_ = 304;
  EXPECT_THAT(Call("getPetById"), StartsWith("communication 304: "));
  EXPECT_THAT(RunText("call: openapi\nwith: {document: {endpoint: 'http://nowhere.invalid/'}, "
                      "operationId: a}"),
              StartsWith("communication 500: GET http://nowhere.invalid/"));
  // Nothing of this is remembered.
  EXPECT_EQ(fetches_, 4);
}

TEST_F(OpenApiRunnerTest, AuthenticationOfDocumentAndOperationApart) {
  use_ = "secrets: [doc, api]";
  secrets_.secrets["doc"] = Value::String("doc-token");
  secrets_.secrets["api"] = Value::String("api-token");
  std::string seen;
  TestHttpServer docs([&](const TestRequest& request) {
    seen = request.Header("authorization");
    TestResponse response;
    response.body = document_;
    return response;
  });
  const auto call = [&](const std::string& token) {
    secrets_.secrets["doc"] = Value::String(token);
    return RunText(
        Cat("call: openapi\nwith:\n  operationId: getPetById\n  parameters: {petId: 1}\n"
            "  document:\n    endpoint:\n      uri: ",
            docs.Url("/s.json"),
            "\n      authentication: {bearer: {use: doc}}\n"
            "  authentication: {bearer: {use: api}}"));
  };
  EXPECT_EQ(call("doc-token"), "[{\"id\":1}]");
  EXPECT_EQ(seen, "Bearer doc-token");
  EXPECT_EQ(last_.Header("authorization"), "Bearer api-token");
  // Whoever asks with other credentials gets a document of his own.
  EXPECT_EQ(call("other-token"), "[{\"id\":1}]");
  EXPECT_EQ(seen, "Bearer other-token");
}

TEST_F(OpenApiRunnerTest, CancelledWhileTheDocumentIsFetched) {
  absl::Notification arrived;
  TestHttpServer slow([&](const TestRequest& request) {
    arrived.Notify();
    request.wait_closed();
    return TestResponse();
  });
  const auto run = Prepare(
      Cat("call: openapi\nwith: {operationId: a, document: {endpoint: '", slow.Url("/"), "'}}"));
  ASSERT_NE(run, nullptr);
  auto outcome = Start(run);
  arrived.WaitForNotification();
  run->Cancel();
  EXPECT_THAT(Text(outcome.get()), StartsWith("runtime 500: "));
}

}  // namespace
}  // namespace jaque
