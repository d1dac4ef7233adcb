// SPDX-License-Identifier: Apache-2.0
#include "worker/http_runner.h"

#include <atomic>
#include <semaphore>

#include "absl/synchronization/notification.h"
#include "tests/support/http_server.h"
#include "worker/http_text.h"
#include "worker/runner_fixture.h"

namespace jaque {
namespace {

using ::jaque::testing::TestHttpServer;
using ::jaque::testing::TestRequest;
using ::jaque::testing::TestResponse;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class HttpRunnerTest : public RunnerFixture {
 protected:
  // What the server saw last is in last_; answers are by path.
  HttpRunnerTest()
      : server_([this](const TestRequest& request) {
          last_ = request;
          return Answer(request);
        }) {}

  static TestResponse Json(int status, const std::string& body) {
    TestResponse response;
    response.status = status;
    response.body = body;
    response.content_type = "application/json";
    return response;
  }

  static TestResponse Redirect(int status, const std::string& location) {
    TestResponse response;
    response.status = status;
    if (!location.empty()) response.headers.emplace_back("Location", location);
    return response;
  }

  static TestResponse Content(const std::string& type, const std::string& body) {
    TestResponse response;
    response.body = body;
    response.content_type = type;
    return response;
  }

  virtual TestResponse Answer(const TestRequest& request) {
    const std::string path = request.path();
    if (path == "/no-content") return Redirect(204, "");
    if (path == "/empty") return Content("application/json", "");
    if (path == "/html") return Content("text/html", "<p>x");
    if (path == "/latin1") return Content("text/plain; charset=ISO-8859-1", "\xe4");
    if (path == "/bytes") return Content("application/octet-stream", std::string("\x00\xff", 2));
    if (path == "/no-type") return Content("", "ok");
    if (path == "/problem") return Content("application/problem+json; charset=utf-8", "{\"a\":1}");
    if (path == "/bad") return Content("application/json", "{bad");
    if (path == "/a") return Redirect(302, "/b");
    if (path == "/b") return Json(200, "{\"ok\":true}");
    if (path == "/loop") return Redirect(302, "/loop");
    if (path == "/303") return Redirect(303, "/echo");
    if (path == "/307") return Redirect(307, "/echo");
    if (path == "/nowhere") return Redirect(302, "gopher://127.0.0.1/");
    if (path == "/304") return Redirect(304, "");
    if (path == "/300") return Redirect(300, "");
    if (path.substr(0, 8) == "/status/") {
      return Json(std::stoi(path.substr(8)), "{\"why\":\"it is so\"}");
    }
    return Json(200, Echo(request));
  }

  static std::string Echo(const TestRequest& request) {
    Value headers = Value::Object();
    for (const auto& [name, value] : request.headers) headers.Set(name, Value::String(value));
    return ToJson(Value::Object({{"method", Value::String(request.method)},
                                 {"target", Value::String(request.target)},
                                 {"headers", headers},
                                 {"body", Value::String(request.body)}}));
  }

  std::string Call(const std::string& path, const std::string& more = "",
                   const std::string& input = "{}") {
    return RunText(Cat("call: http\nwith:\n  method: get\n  endpoint: ", server_.Url(path), "\n",
                       Indented(more, 2)),
                   input);
  }

  TestRequest last_;
  TestHttpServer server_;
};

// O-HTTP-01
TEST_F(HttpRunnerTest, ContentByItsType) {
  EXPECT_EQ(Call("/no-content"), "null");
  EXPECT_EQ(Call("/empty"), "null");
  EXPECT_EQ(Call("/html"), "\"<p>x\"");
  EXPECT_EQ(Call("/latin1"), "\"ä\"");
  EXPECT_EQ(Call("/no-type"), "\"b2s=\"");
  EXPECT_EQ(Call("/bytes"), "\"AP8=\"");
  EXPECT_EQ(Call("/problem"), "{\"a\":1}");
  EXPECT_THAT(Call("/bad"), StartsWith("communication 500: GET http://127.0.0.1"));
  EXPECT_THAT(Call("/bad"), HasSubstr("no JSON"));
}

TEST_F(HttpRunnerTest, RawIsBase64) {
  EXPECT_EQ(Call("/b", "output: raw"), "\"eyJvayI6dHJ1ZX0=\"");
  EXPECT_EQ(Call("/no-content", "output: raw"), "null");
}

TEST_F(HttpRunnerTest, ResponseHasRequestHeadersAndContent) {
  const Outcome outcome =
      Run(Cat("call: http\nwith:\n  method: get\n  endpoint: ", server_.Url("/b"),
              "\n  headers: {x-one: '1'}\n"
              "  output: response"));
  ASSERT_TRUE(std::holds_alternative<Value>(outcome)) << Text(outcome);
  const Value& output = std::get<Value>(outcome);
  EXPECT_EQ(output.FindPath({"request", "method"})->AsString(), "get");
  EXPECT_EQ(output.FindPath({"request", "uri"})->AsString(), server_.Url("/b"));
  EXPECT_EQ(output.FindPath({"request", "headers", "X-One"})->AsString(), "1");
  EXPECT_EQ(output.Find("statusCode")->AsInt(), 200);
  EXPECT_EQ(output.FindPath({"headers", "Content-Type"})->AsString(), "application/json");
  EXPECT_EQ(ToJson(*output.Find("content")), "{\"ok\":true}");
  const Outcome empty =
      Run(Cat("call: http\nwith:\n  method: get\n  endpoint: ", server_.Url("/no-content"),
              "\n  output: response"));
  ASSERT_TRUE(std::holds_alternative<Value>(empty)) << Text(empty);
  EXPECT_EQ(std::get<Value>(empty).Find("statusCode")->AsInt(), 204);
  EXPECT_TRUE(std::get<Value>(empty).Find("content")->is_null());
}

// O-HTTP-02
TEST_F(HttpRunnerTest, RedirectsAreErrorsUnlessAllowed) {
  for (const char* redirect : {"", "redirect: false"}) {
    EXPECT_THAT(Call("/a", redirect), StartsWith("communication 302: "));
    EXPECT_THAT(Call("/304", redirect), StartsWith("communication 304: "));
    EXPECT_THAT(Call("/status/399", redirect), StartsWith("communication 399: "));
    EXPECT_THAT(Call("/status/400", redirect), StartsWith("communication 400: "));
  }
  EXPECT_EQ(Call("/a", "redirect: true"), "{\"ok\":true}");
  EXPECT_EQ(Call("/304", "redirect: true"), "null");
  EXPECT_EQ(Call("/300", "redirect: true"), "null");
  EXPECT_EQ(Call("/status/399", "redirect: true"), "{\"why\":\"it is so\"}");
  EXPECT_THAT(Call("/status/400", "redirect: true"), StartsWith("communication 400: "));
  const int before = server_.requests();
  EXPECT_THAT(Call("/loop", "redirect: true"), HasSubstr("more than 10 redirects"));
  EXPECT_EQ(server_.requests() - before, 11);
  EXPECT_THAT(Call("/nowhere", "redirect: true"), StartsWith("validation 400: "));
}

TEST_F(HttpRunnerTest, ARedirectOfAPost) {
  const std::string post = "redirect: true\nbody: {a: 1}";
  const auto call = [&](const std::string& path) {
    return RunText(Cat("call: http\nwith:\n  method: post\n  endpoint: ", server_.Url(path), "\n",
                       Indented(post, 2)));
  };
  EXPECT_THAT(call("/303"), HasSubstr("\"method\":\"GET\""));
  EXPECT_EQ(last_.body, "");
  EXPECT_EQ(last_.Header("content-type"), "");
  EXPECT_THAT(call("/307"), HasSubstr("\"method\":\"POST\""));
  EXPECT_EQ(last_.body, "{\"a\":1}");
}

TEST_F(HttpRunnerTest, CredentialsStayWithTheirOrigin) {
  TestHttpServer other([this](const TestRequest& request) {
    TestResponse response = Redirect(302, server_.Url("/echo"));
    if (request.path() == "/home") response.headers = {{"Location", "/elsewhere"}};
    return response;
  });
  use_ = "secrets: [tok]";
  secrets_.secrets["tok"] = Value::String("s3cret");
  const std::string result = RunText(Cat(
      "call: http\nwith:\n  method: get\n  redirect: true\n  headers: {Cookie: 'a=b', X-Key: k}\n"
      "  endpoint:\n    uri: ",
      other.Url("/home"), "\n    authentication: {bearer: {use: tok}}"));
  EXPECT_THAT(result, HasSubstr("\"x-key\":\"k\""));
  EXPECT_EQ(last_.Header("authorization"), "");
  EXPECT_EQ(last_.Header("cookie"), "");
  EXPECT_EQ(other.requests(), 2);
}

// O-HTTP-03
TEST_F(HttpRunnerTest, QueriesAreEscapedOnce) {
  Call("/s?fixed=1",
       "query: {mail: 'a+b@x.org', q: 'ä & b=c', pct: '100%25', empty: '', n: 1e3, list: [1, 2]}");
  EXPECT_EQ(last_.target,
            "/s?fixed=1&mail=a%2Bb%40x.org&q=%C3%A4%20%26%20b%3Dc&pct=100%2525&empty=&n=1000"
            "&list=1&list=2");
  Call("/s#part", "query: {a: b}");
  EXPECT_EQ(last_.target, "/s?a=b");
}

TEST_F(HttpRunnerTest, QueryValuesFromData) {
  Call("/s?fixed=1", "query: '${ .query }'",
       R"({"query":{"n":1e3,"list":[1,"b c"],"t":true,"none":null,"o":{"a":1}}})");
  EXPECT_EQ(last_.target, "/s?fixed=1&n=1000&list=1&list=b%20c&t=true&o=%7B%22a%22%3A1%7D");
}

TEST_F(HttpRunnerTest, UriTemplates) {
  const std::string input = R"({"id":"a/b c","n":7,"b":true,"o":{}})";
  Call("/pet/{id}/{n}/{b}/{missing}?status={id}", "", input);
  EXPECT_EQ(last_.target, "/pet/a%2Fb%20c/7/true/?status=a%2Fb%20c");
  EXPECT_THAT(Call("/{o}", "", input), StartsWith("expression 400: "));
}

TEST_F(HttpRunnerTest, AnEndpointFromDataIsNotATemplate) {
  const std::string input = Cat("{\"url\":\"", server_.Url("/{x}/ä"), "\",\"x\":\"no\"}");
  RunText("call: http\nwith: {method: get, endpoint: '${ .url }'}", input);
  EXPECT_EQ(last_.target, "/%7Bx%7D/%C3%A4");
  for (const char* url : {"/relative", "file:///etc/passwd", "ftp://h/", "http:", ""}) {
    EXPECT_THAT(RunText("call: http\nwith: {method: get, endpoint: '${ .url }'}",
                        Cat("{\"url\":\"", url, "\"}")),
                StartsWith("validation 400: "))
        << url;
  }
}

TEST_F(HttpRunnerTest, Bodies) {
  const auto post = [&](const std::string& more, const std::string& input = "{}") {
    const std::string result =
        RunText(Cat("call: http\nwith:\n  method: post\n  endpoint: ", server_.Url("/echo"), "\n",
                    Indented(more, 2)),
                input);
    EXPECT_THAT(result, StartsWith("{")) << more;
    return Cat(last_.Header("content-type"), "|", last_.body);
  };
  EXPECT_EQ(post("body: {a: [1, x]}"), "application/json|{\"a\":[1,\"x\"]}");
  EXPECT_EQ(post("body: text"), "application/json|\"text\"");
  EXPECT_EQ(post("body: text\nheaders: {Content-Type: text/plain}"), "text/plain|text");
  EXPECT_EQ(post("body: text\nheaders: {content-type: application/json}"),
            "application/json|\"text\"");
  EXPECT_EQ(
      post("body: {a: 1, b: 'x y'}\nheaders: {content-type: application/x-www-form-urlencoded}"),
      "application/x-www-form-urlencoded|a=1&b=x%20y");
  EXPECT_EQ(post("body: 0"), "application/json|0");
  EXPECT_EQ(post("headers: {x: y}"), "|");
}

TEST_F(HttpRunnerTest, HeadersThatWouldBreakTheRequestAreRefused) {
  for (const char* header : {"'a b': c", "'': c", "a: \"b\\r\\nx: y\"", "a: \"b\\0c\"",
                             "content-length: '5'", "transfer-encoding: chunked", "'a:b': c"}) {
    const int before = server_.requests();
    EXPECT_THAT(Call("/echo", Cat("headers: {", header, "}")), StartsWith("validation 400: "))
        << header;
    EXPECT_EQ(server_.requests(), before);
  }
  for (const char* method : {"'ge t'", "CONNECT", "\"get\\r\\n\"", "''"}) {
    EXPECT_THAT(RunText(Cat("call: http\nwith: {method: ", method, ", endpoint: '",
                            server_.Url("/"), "'}")),
                StartsWith("validation 400: "))
        << method;
  }
}

TEST_F(HttpRunnerTest, StatusErrorsSayWhatWasAnswered) {
  const Outcome outcome =
      Run(Cat("call: http\nwith: {method: get, endpoint: '", server_.Url("/status/404"), "'}"));
  ASSERT_TRUE(std::holds_alternative<v1::Problem>(outcome));
  const v1::Problem& problem = std::get<v1::Problem>(outcome);
  EXPECT_EQ(problem.type(),
            "https://open-workflow-specification.org/spec/1.0.0/errors/communication");
  EXPECT_EQ(problem.status(), 404);
  EXPECT_EQ(problem.title(), "Not Found");
  EXPECT_EQ(problem.detail(), Cat("GET ", server_.Url("/status/404"),
                                  " answered 404 Not Found: {\"why\":\"it is so\"}"));
  EXPECT_THAT(Call("/status/500"), StartsWith("communication 500: "));
  EXPECT_THAT(Call("/status/401"), StartsWith("communication 401: "));
}

TEST_F(HttpRunnerTest, NetworkErrors) {
  EXPECT_THAT(RunText("call: http\nwith: {method: get, endpoint: 'http://nowhere.invalid/x'}"),
              ::testing::AllOf(StartsWith("communication 500: GET http://nowhere.invalid/x: "),
                               HasSubstr("nowhere.invalid")));
  int port = 0;
  {
    TestHttpServer closed([](const TestRequest&) { return TestResponse(); });
    port = closed.port();
  }
  EXPECT_THAT(
      RunText(Cat("call: http\nwith: {method: get, endpoint: 'http://127.0.0.1:", port, "/'}")),
      StartsWith("communication 500: "));
}

TEST_F(HttpRunnerTest, ALargeAnswerIsReadAway) {
  TestHttpServer large([](const TestRequest&) {
    TestResponse response = Content("application/json", "");
    response.body = "[\"" + std::string(500'000, 'x') + "\"]";
    return response;
  });
  const std::string result =
      RunText(Cat("call: http\nwith: {method: get, endpoint: '", large.Url("/"), "'}"));
  EXPECT_EQ(result.size(), 500'004u);
}

// O-RUN-03, the worker's part: the timeout aborts the request.
TEST_F(HttpRunnerTest, ATimeoutAbortsTheRequest) {
  std::counting_semaphore<> closed(0);
  TestHttpServer slow([&](const TestRequest& request) {
    request.wait_closed();
    closed.release();
    return TestResponse();
  });
  const std::string task =
      Cat("call: http\nwith: {method: post, endpoint: '", slow.Url("/slow"), "'}");
  // Twice the time until it suffices for the request to arrive, however slow the machine is.
  for (absl::Duration time = absl::Milliseconds(50); slow.requests() == 0; time *= 2) {
    EXPECT_THAT(RunText(task, "{}", time), StartsWith("timeout 408: "));
  }
  closed.acquire();
  // A deadline that has passed starts nothing.
  const int before = slow.requests();
  EXPECT_THAT(RunText(task, "{}", absl::Nanoseconds(1)), StartsWith("timeout 408: "));
  EXPECT_EQ(slow.requests(), before);
  EXPECT_EQ(slow.requests(), 1);
}

TEST_F(HttpRunnerTest, CancellingAbortsTheRequest) {
  absl::Notification arrived, closed;
  TestHttpServer slow([&](const TestRequest& request) {
    arrived.Notify();
    request.wait_closed();
    closed.Notify();
    return TestResponse();
  });
  const auto run = Prepare(Cat("call: http\nwith: {method: get, endpoint: '", slow.Url("/"), "'}"));
  ASSERT_NE(run, nullptr);
  auto outcome = Start(run);
  arrived.WaitForNotification();
  run->Cancel();
  closed.WaitForNotification();
  EXPECT_TRUE(std::holds_alternative<v1::Problem>(outcome.get()));
}

TEST_F(HttpRunnerTest, ExpressionsSeeInputAndVariables) {
  variables_["context"] = R"({"host":"h"})";
  variables_["workflow"] = R"({"id":"i1"})";
  Call("/echo",
       "headers:\n  X-A: '${ $context.host }'\n  X-B: '${ $workflow.id + .id }'\n"
       "  X-C: '${ $runtime.name }'",
       R"({"id":"-7"})");
  EXPECT_EQ(last_.Header("x-a"), "h");
  EXPECT_EQ(last_.Header("x-b"), "i1-7");
  EXPECT_EQ(last_.Header("x-c"), "jaque");
  EXPECT_THAT(Call("/echo", "headers: {a: '${ .id + 1 }'}", R"({"id":"x"})"),
              StartsWith("expression 400: "));
}

// O-SEC-01: what data contains is never evaluated.
TEST_F(HttpRunnerTest, ExpressionsInDataStayText) {
  Call("/echo", "headers: {x-msg: '${ .msg }'}", R"json({"msg":"${ $secrets }"})json");
  EXPECT_EQ(last_.Header("x-msg"), "${ $secrets }");
}

}  // namespace
}  // namespace jaque
