// SPDX-License-Identifier: Apache-2.0
// O-SEC-01 and O-SEC-02: data is never evaluated, and a secret stands in nothing that a worker
// says: no error, no description of a request, no line of its log.
#include "tests/support/http_server.h"
#include "worker/http_text.h"
#include "worker/runner_fixture.h"

namespace jaque {
namespace {

using ::jaque::testing::TestHttpServer;
using ::jaque::testing::TestRequest;
using ::jaque::testing::TestResponse;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kSecret[] = "s3cr3t +/ä\"token";

class SecrecyTest : public RunnerFixture {
 protected:
  SecrecyTest() : server_([this](const TestRequest& request) { return Answer(request); }) {
    use_ = "secrets: [tok, login]";
    secrets_.secrets["tok"] = Value::String(kSecret);
    secrets_.secrets["login"] =
        Value::Object({{"username", Value::String("alice")}, {"password", Value::String(kSecret)}});
    ::testing::internal::CaptureStderr();
  }
  ~SecrecyTest() override {
    for (const std::string& form : Forms()) EXPECT_FALSE(Contains(log(), form)) << form;
  }

  const std::string& log() {
    if (!log_read_) log_ = ::testing::internal::GetCapturedStderr();
    log_read_ = true;
    return log_;
  }

  // Says back all that it was told, in its body and its headers.
  TestResponse Answer(const TestRequest& request) {
    last_ = request;
    TestResponse response;
    response.content_type = "text/plain";
    response.headers.emplace_back("X-Echo", request.Header("authorization"));
    if (request.path() == "/ok") return response;
    response.status = 401;
    if (request.path() == "/away") {
      response.status = 302;
      response.headers.emplace_back("Location", "http://127.0.0.1:1/?k=" + Escaped());
    }
    response.body = Cat("you sent ", request.target, " ", request.body);
    for (const auto& [name, value] : request.headers) response.body += Cat("\n", name, ": ", value);
    return response;
  }

  static std::string Escaped() { return EscapeUriComponent(kSecret); }
  static std::vector<std::string> Forms() {
    const std::string json = ToJson(Value::String(kSecret));
    return {kSecret, Escaped(), json.substr(1, json.size() - 2), EncodeBase64(kSecret),
            EncodeBase64(Cat("alice:", std::string_view(kSecret)))};
  }
  static bool Contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
  }

  // The outcome as text; fails if a form of the secret stands in it.
  std::string Say(const std::string& task, const std::string& input = "{}") {
    const Outcome outcome = Run(task, input);
    std::string all = Text(outcome);
    if (const auto* problem = std::get_if<v1::Problem>(&outcome)) {
      all += Cat(" ", problem->title(), " ", problem->instance());
    }
    for (const std::string& form : Forms())
      EXPECT_FALSE(Contains(all, form)) << form << "\n" << all;
    return all;
  }
  std::string Call(const std::string& uri, const std::string& more) {
    return Say(Cat("call: http\nwith:\n  method: post\n  endpoint:\n    uri: ", uri, "\n",
                   Indented(more, 2)));
  }

  TestRequest last_;
  TestHttpServer server_;
  std::string log_;
  bool log_read_ = false;
};

constexpr char kBearer[] = "  authentication: {bearer: {use: tok}}";
constexpr char kBasic[] = "  authentication: {basic: {use: login}}";
constexpr char kDigest[] = "  authentication: {digest: {use: login}}";

TEST_F(SecrecyTest, AServerThatRefusesAndSaysBackWhatItWasTold) {
  for (const char* authentication : {kBearer, kBasic, kDigest}) {
    EXPECT_THAT(Call(server_.Url("/401"), authentication), StartsWith("communication 401: "));
  }
  EXPECT_THAT(
      Call(server_.Url("/401"),
           "body: {a: '${ $secrets.tok }'}\nheaders: {X-Key: '${ $secrets.tok | @base64 }'}"),
      HasSubstr("you sent /401"));
  EXPECT_TRUE(Contains(last_.Header("x-key"), EncodeBase64(kSecret)));
}

TEST_F(SecrecyTest, APortThatIsClosed) {
  for (const char* authentication : {kBearer, kBasic, kDigest}) {
    EXPECT_THAT(Call("http://127.0.0.1:1/x", authentication),
                StartsWith("communication 500: POST http://127.0.0.1:1/x: "));
  }
}

TEST_F(SecrecyTest, ARedirect) {
  for (const char* authentication : {kBearer, kBasic}) {
    EXPECT_THAT(Call(server_.Url("/away"), authentication), StartsWith("communication 302: "));
    EXPECT_THAT(Call(server_.Url("/away"), Cat(authentication, "\nredirect: true")),
                StartsWith("communication 500: GET http://127.0.0.1:1/?k=***: "));
  }
}

TEST_F(SecrecyTest, ATokenInTheQuery) {
  EXPECT_THAT(Call(server_.Url("/401"), "query: {token: '${ $secrets.tok }'}"),
              HasSubstr("/401?token=***"));
  EXPECT_EQ(last_.target, "/401?token=" + Escaped());
  EXPECT_THAT(Call("http://127.0.0.1:1/", "query: {token: '${ $secrets.tok }'}"),
              HasSubstr("?token=***"));
  Call(Cat("'${ \"", server_.Url("/401"), "?t=\\($secrets.tok | @uri)\" }'"), "output: response");
  EXPECT_EQ(last_.target, "/401?t=" + Escaped());
  Call("'${ \"http://u:\\($secrets.tok | @uri)@127.0.0.1:1/\" }'", "output: response");
}

TEST_F(SecrecyTest, TheDescriptionOfARequest) {
  const std::string said =
      Call(server_.Url("/ok"),
           Cat(kBearer,
               "\noutput: response\nquery: {t: '${ $secrets.tok }'}\nheaders:\n"
               "  X-Key: '${ $secrets.tok | @uri }'\n  Cookie: 'sid=1'\n  X-Plain: fine"));
  EXPECT_THAT(said, HasSubstr(R"("Authorization":"***")"));
  EXPECT_THAT(said, HasSubstr(R"("Cookie":"***")"));
  EXPECT_THAT(said, HasSubstr(R"("X-Key":"***")"));
  EXPECT_THAT(said, HasSubstr(R"("X-Plain":"fine")"));
  EXPECT_THAT(said, HasSubstr(R"("X-Echo":"Bearer ***")"));
  EXPECT_THAT(said, HasSubstr("/ok?t=***\""));
  EXPECT_EQ(last_.Header("authorization"), Cat("Bearer ", std::string_view(kSecret)));
}

TEST_F(SecrecyTest, ExpressionsThatFail) {
  for (const char* expression :
       {"$secrets.tok + 1", "error($secrets.tok)", "$secrets | tojson + 1",
        "$secrets.tok | .[0:6] + {}", "{a: $secrets} + 1", "$secrets.tok | explode | error"}) {
    EXPECT_EQ(Say(Cat("call: http\nwith:\n  method: get\n  endpoint: ", server_.Url("/ok"),
                      "\n  body: '${ ", expression, " }'")),
              "expression 400: an expression failed; its message is withheld because it uses "
              "secrets (at 10:15) Expression Error ")
        << expression;
  }
  // What has nothing to do with secrets says what is wrong.
  EXPECT_THAT(Say("run: {shell: {command: ':', environment: {T: '${ $secrets.tok }'}, "
                  "arguments: ['${ .a + 1 }']}}",
                  R"({"a":"x"})"),
              HasSubstr("cannot be added"));
}

TEST_F(SecrecyTest, ArgumentsThatCannotBeSent) {
  secrets_.secrets["tok"] = Value::String(Cat(kSecret, "\r\nX: y"));
  EXPECT_THAT(Call(server_.Url("/ok"), kBearer), StartsWith("configuration 400: "));
  EXPECT_THAT(Call(server_.Url("/ok"), "headers: {a: '${ $secrets.tok }'}"),
              StartsWith("validation 400: "));
  EXPECT_THAT(Call(server_.Url("/ok"), "headers: '${ {($secrets.login.password): 1} }'"),
              StartsWith("validation 400: "));
  EXPECT_THAT(Call("'${ $secrets.tok }'", ""), StartsWith("validation 400: "));
}

TEST_F(SecrecyTest, ProcessesThatSayWhatTheyKnow) {
  EXPECT_THAT(Say("run: {shell: {command: 'echo \"$T\" >&2; printf %s \"$T\" | base64 -w0 >&2; "
                  "exit 1', environment: {T: '${ $secrets.tok }'}}}"),
              StartsWith("runtime 500: the process ended with code 1; stderr ends: ***"));
  EXPECT_THAT(Say("run: {script: {language: python, code: 'import sys; raise "
                  "ValueError(sys.argv[1])', arguments: ['${ $secrets.tok }']}}"),
              HasSubstr("ValueError: ***"));
}

TEST_F(SecrecyTest, OpenApi) {
  EXPECT_THAT(Say(Cat("call: openapi\nwith:\n  operationId: a\n  document:\n    endpoint:\n"
                      "      uri: ",
                      server_.Url("/401"), "\n      authentication: {bearer: {use: tok}}")),
              StartsWith("communication 401: "));
}

// O-SEC-01
TEST_F(SecrecyTest, DataIsNeverEvaluated) {
  const std::string input = R"json({"msg":"${ $secrets }","deep":{"msg":"${ $secrets.tok }"}})json";
  Say(Cat("call: http\nwith: {method: post, endpoint: '", server_.Url("/ok"),
          "', body: '${ . }', query: {m: '${ .msg }'}}"),
      input);
  EXPECT_EQ(last_.body, input);
  EXPECT_EQ(last_.target, "/ok?m=" + EscapeUriComponent("${ $secrets }"));
  EXPECT_EQ(
      Say("run: {shell: {command: 'printf \"%s|%s|\" \"$1\" \"$M\"; cat', stdin: '${ .msg }', "
          "arguments: ['${ .msg }'], environment: {M: '${ .deep.msg }'}}}",
          input),
      R"("${ $secrets }|${ $secrets.tok }|${ $secrets }")");
  EXPECT_THAT(Say("call: http\nwith: {method: get, endpoint: '${ .msg }'}", input),
              StartsWith("validation 400: the endpoint \"$%7B%20$secrets%20%7D\""));
}

}  // namespace
}  // namespace jaque
