// SPDX-License-Identifier: Apache-2.0
#include "worker/authentication.h"

#include <openssl/evp.h>

#include <map>

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

std::string Hash(const EVP_MD* algorithm, const std::string& text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest, &size, algorithm, nullptr);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    static constexpr char kDigits[] = "0123456789abcdef";
    hex += {kDigits[digest[i] >> 4], kDigits[digest[i] & 15]};
  }
  return hex;
}

// `Digest a="b", c=d` by name.
std::map<std::string, std::string> DigestFields(std::string header) {
  std::map<std::string, std::string> fields;
  if (header.substr(0, 7) != "Digest ") return fields;
  std::string name, value;
  bool in_name = true, quoted = false;
  for (const char c : header.substr(7) + ",") {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields[std::string(Trim(name))] = value;
      name.clear();
      value.clear();
      in_name = true;
    } else if (c == '=' && in_name) {
      in_name = false;
    } else {
      (in_name ? name : value) += c;
    }
  }
  return fields;
}

// A server of RFC 7616 for user "alice", password "open sesame".
class DigestServer {
 public:
  explicit DigestServer(const std::string& algorithm)
      : algorithm_(algorithm), server_([this](const TestRequest& r) { return Answer(r); }) {}

  std::string Url(const std::string& path) const { return server_.Url(path); }
  int requests() const { return server_.requests(); }

 private:
  TestResponse Answer(const TestRequest& request) {
    TestResponse response;
    response.content_type = "text/plain";
    if (Accepts(request)) {
      response.body = "welcome " + request.method + " " + request.body;
      return response;
    }
    response.status = 401;
    response.headers = {{"WWW-Authenticate", "Digest realm=\"cave\", qop=\"auth\", algorithm=" +
                                                 algorithm_ + ", nonce=\"n0nce\", opaque=\"o\""}};
    return response;
  }

  bool Accepts(const TestRequest& request) const {
    auto fields = DigestFields(request.Header("authorization"));
    if (fields["nonce"] != "n0nce" || fields["uri"] != request.target) return false;
    const EVP_MD* hash = algorithm_ == "MD5" ? EVP_md5() : EVP_sha256();
    const std::string ha1 = Hash(hash, "alice:cave:open sesame");
    const std::string ha2 = Hash(hash, request.method + ":" + request.target);
    const std::string expected =
        Hash(hash, ha1 + ":n0nce:" + fields["nc"] + ":" + fields["cnonce"] + ":auth:" + ha2);
    return fields["username"] == "alice" && fields["response"] == expected;
  }

  const std::string algorithm_;
  TestHttpServer server_;
};

class AuthenticationTest : public RunnerFixture {
 protected:
  AuthenticationTest()
      : server_([this](const TestRequest& request) {
          last_ = request;
          TestResponse response;
          response.status = request.path() == "/401" ? 401 : 200;
          response.body = "you sent " + request.Header("authorization");
          response.content_type = "text/plain";
          return response;
        }) {}

  std::string Call(const std::string& uri, const std::string& authentication,
                   const std::string& more = "", const std::string& input = "{}") {
    return RunText(Cat("call: http\nwith:\n  method: get\n  endpoint:\n    uri: ", uri,
                       "\n    authentication: ", authentication, "\n", Indented(more, 2)),
                   input);
  }

  TestRequest last_;
  TestHttpServer server_;
};

TEST_F(AuthenticationTest, Basic) {
  Call(server_.Url("/"), "{basic: {username: alice, password: 'open sesame'}}");
  EXPECT_EQ(last_.Header("authorization"), "Basic YWxpY2U6b3BlbiBzZXNhbWU=");
  Call(server_.Url("/"), "{basic: {username: alice, password: '1234'}}");
  EXPECT_EQ(last_.Header("authorization"), "Basic YWxpY2U6MTIzNA==");
  EXPECT_THAT(Call(server_.Url("/"), "{basic: {username: 'a:b', password: c}}"),
              StartsWith("configuration 400: "));
}

TEST_F(AuthenticationTest, BearerReplacesTheAuthorsHeader) {
  Call(server_.Url("/"), "{bearer: {token: tok-123}}", "headers: {authorization: mine}");
  EXPECT_EQ(last_.Header("authorization"), "Bearer tok-123");
  EXPECT_THAT(Call(server_.Url("/"), "{bearer: {token: \"a\\nb\"}}"),
              StartsWith("configuration 400: "));
}

TEST_F(AuthenticationTest, ReusableAndFromSecrets) {
  use_ =
      "secrets: [login, tok, missing]\n"
      "authentications:\n"
      "  named: {basic: {use: login}}";
  secrets_.secrets["login"] = *ParseJson(R"({"username":"bob","password":"builder"})");
  secrets_.secrets["tok"] = Value::String("s3cret-token");
  Call(server_.Url("/"), "{use: named}");
  EXPECT_EQ(last_.Header("authorization"), "Basic Ym9iOmJ1aWxkZXI=");
  Call(server_.Url("/"), "{bearer: {use: tok}}");
  EXPECT_EQ(last_.Header("authorization"), "Bearer s3cret-token");
  EXPECT_THAT(Call(server_.Url("/"), "{bearer: {use: missing}}"),
              StartsWith("authorization 403: "));
  EXPECT_THAT(Call(server_.Url("/"), "{basic: {use: tok}}"), StartsWith("configuration 400: "));
}

TEST_F(AuthenticationTest, FromExpressions) {
  Call(server_.Url("/"), "{basic: {username: '${ .u }', password: '${ .p }'}}", "",
       R"({"u":"alice","p":"open sesame"})");
  EXPECT_EQ(last_.Header("authorization"), "Basic YWxpY2U6b3BlbiBzZXNhbWU=");
  Call(server_.Url("/"), "{bearer: {token: tok-123}}",
       "headers: {x-scheme: '${ $authorization.scheme + \" \" + $authorization.parameter }'}");
  EXPECT_EQ(last_.Header("x-scheme"), "Bearer tok-123");
}

TEST_F(AuthenticationTest, Digest) {
  for (const char* algorithm : {"MD5", "SHA-256"}) {
    DigestServer digest(algorithm);
    const std::string good = "{digest: {username: alice, password: 'open sesame'}}";
    EXPECT_EQ(Call(digest.Url("/a?b=1"), good), "\"welcome GET \"") << algorithm;
    EXPECT_EQ(RunText(Cat("call: http\nwith:\n  method: post\n  body: {x: 1}\n  endpoint:\n"
                          "    uri: ",
                          digest.Url("/p"), "\n    authentication: ", good)),
              "\"welcome POST {\\\"x\\\":1}\"")
        << algorithm;
    EXPECT_THAT(Call(digest.Url("/a"), "{digest: {username: alice, password: wrong}}"),
                StartsWith("communication 401: "));
    // The handle that answered a challenge knows nothing of it in its next use.
    EXPECT_THAT(RunText(Cat("call: http\nwith: {method: get, endpoint: '", digest.Url("/a"), "'}")),
                StartsWith("communication 401: "));
  }
}

// O-SEC-02: nothing that is shown contains the secret, whatever the server answers.
TEST_F(AuthenticationTest, SecretsAreMaskedInErrorsAndRequests) {
  use_ = "secrets: [tok]";
  const std::string secret = "t0k/en+ä";
  secrets_.secrets["tok"] = Value::String(secret);
  const auto clean = [&](const std::string& text) {
    for (const std::string& form : {secret, EscapeUriComponent(secret), EncodeBase64(secret)}) {
      EXPECT_THAT(text, Not(HasSubstr(form)));
    }
  };
  int closed_port = 0;
  {
    TestHttpServer closed([](const TestRequest&) { return TestResponse(); });
    closed_port = closed.port();
  }
  const std::string with_token = "query: {key: '${ $secrets.tok }'}";
  const std::string bearer = "{bearer: {use: tok}}";
  const std::string refused = Call(server_.Url("/401"), bearer, with_token);
  EXPECT_EQ(last_.Header("authorization"), "Bearer " + secret);
  EXPECT_EQ(last_.target, "/401?key=t0k%2Fen%2B%C3%A4");
  EXPECT_THAT(refused, HasSubstr("answered 401 Unauthorized: you sent Bearer ***"));
  clean(refused);
  clean(Call(Cat("http://127.0.0.1:", closed_port, "/"), bearer, with_token));
  clean(Call(Cat("http://", "u:pw-in-uri@127.0.0.1:", closed_port, "/"), bearer));
  const std::string response = Call(server_.Url("/"), bearer,
                                    with_token +
                                        "\noutput: response\nheaders:\n"
                                        "  X-Key: '${ $secrets.tok }'");
  EXPECT_THAT(response, HasSubstr("\"Authorization\":\"***\""));
  EXPECT_THAT(response, HasSubstr("\"X-Key\":\"***\""));
  clean(response.substr(0, response.find("\"content\"")));
}

TEST_F(AuthenticationTest, OnlyDeclaredSecretsAreSeen) {
  secrets_.secrets["tok"] = Value::String("s3cret-token");
  secrets_.secrets["other"] = Value::String("other-token");
  use_ = "secrets: [tok, gone]";
  const auto header = [&](const std::string& expression) {
    last_ = TestRequest();
    const std::string result =
        RunText(Cat("call: http\nwith:\n  method: get\n  endpoint: ", server_.Url("/"),
                    "\n  headers: {x-key: '${ ", expression, " }'}"));
    return last_.method.empty() ? result : last_.Header("x-key");
  };
  EXPECT_EQ(header("$secrets.tok"), "s3cret-token");
  EXPECT_EQ(header("$secrets | keys | join(\",\")"), "tok");
  EXPECT_EQ(header("$secrets[\"oth\" + \"er\"] | tostring"), "null");
  EXPECT_THAT(header("$secrets.gone"), StartsWith("authorization 403: "));
}

}  // namespace
}  // namespace jaque
