// SPDX-License-Identifier: Apache-2.0
// Against an issuer that is a real HTTP server, and once with TLS.
#include "ui/oidc.h"

#include <memory>
#include <string>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "base/limits.h"
#include "base/simulated_clock.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/http_server.h"
#include "tests/support/tls_files.h"
#include "ui/issuer_fixture.h"

namespace jaque::ui {
namespace {

using ::testing::HasSubstr;

class OidcTest : public ::testing::Test {
 protected:
  OidcTest() : issuer_([this](const auto& request) { return Answer(request); }) {}

  testing::TestResponse Answer(const testing::TestRequest& request) {
    absl::MutexLock lock(&mutex_);
    testing::TestResponse response;
    if (down_) {
      response.status = 503;
    } else if (request.path() == "/.well-known/openid-configuration") {
      response.body = fmt::format(R"({{"issuer":"{}","jwks_uri":"{}/keys"}})",
                                  named_.empty() ? Url() : named_, Url());
    } else {
      ++fetched_;
      response.body = R"({"keys":[)" + keys_ + "]}";
    }
    return response;
  }
  std::string Url() const { return issuer_.Url(""); }

  void Publish(const std::string& keys) {
    absl::MutexLock lock(&mutex_);
    keys_ = keys;
  }
  void SetDown(bool down) {
    absl::MutexLock lock(&mutex_);
    down_ = down;
  }
  int fetched() {
    absl::MutexLock lock(&mutex_);
    return fetched_;
  }
  // One that has its keys.
  std::unique_ptr<Authenticator> Make() {
    auto oidc = MakeOidc({Url(), "jaque", "roles", ""}, &clock_, &SystemClock()).value();
    EXPECT_TRUE(Ask(oidc.get(), key_.Sign(Claims())).ok());
    return oidc;
  }
  std::string Claims(const std::string& audience = "jaque", absl::Duration life = absl::Hours(1)) {
    return fmt::format(R"({{"iss":"{}","aud":"{}","sub":"ada","roles":["viewer@shop"],"exp":{}}})",
                       Url(), audience, absl::ToUnixSeconds(clock_.Now() + life));
  }
  static absl::StatusOr<Caller> Ask(Authenticator* oidc, const std::string& token) {
    auto done = std::make_shared<absl::Notification>();
    auto caller = std::make_shared<absl::StatusOr<Caller>>(absl::UnknownError(""));
    oidc->Authenticate(token, [done, caller](absl::StatusOr<Caller> got) {
      *caller = std::move(got);
      done->Notify();
    });
    done->WaitForNotification();
    return *caller;
  }
  static std::string Refusal(Authenticator* oidc, const std::string& token) {
    const absl::Status status = Ask(oidc, token).status();
    return absl::IsUnauthenticated(status) ? std::string(status.message()) : status.ToString();
  }

  SimulatedClock clock_;
  absl::Mutex mutex_;
  const SigningKey key_{"k1", "ES256"};
  std::string keys_ = key_.Jwk(), named_;
  bool down_ = false;
  int fetched_ = 0;
  testing::TestHttpServer issuer_;  // last: answers while the rest is there
};

TEST_F(OidcTest, ATokenOfTheIssuerLetsIn) {
  const auto oidc = Make();
  const absl::StatusOr<Caller> caller = Ask(oidc.get(), key_.Sign(Claims()));
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_EQ(caller->name, "ada");
  EXPECT_TRUE(caller->May(Role::kViewer, "shop"));
  EXPECT_FALSE(caller->May(Role::kViewer, "bank"));
  EXPECT_EQ(fetched(), 1);
}

TEST_F(OidcTest, ForgedExpiredAndForeignTokensAreRefused) {
  const auto oidc = Make();
  const SigningKey forger("k1", "ES256");
  EXPECT_THAT(Refusal(oidc.get(), forger.Sign(Claims())), HasSubstr("not signed by the issuer"));
  EXPECT_THAT(Refusal(oidc.get(), key_.Sign(Claims("other"))), HasSubstr("another audience"));
  EXPECT_THAT(Refusal(oidc.get(), key_.Sign(Claims("jaque", -absl::Hours(1)))),
              HasSubstr("has expired"));
  const std::string none = ToBase64Url(R"({"alg":"none","kid":"k1"})");
  EXPECT_THAT(Refusal(oidc.get(), none + "." + ToBase64Url(Claims()) + "."),
              HasSubstr("not signed by the issuer"));
  EXPECT_THAT(Refusal(oidc.get(), key_.SignAsHmac(Claims())),
              HasSubstr("not signed by the issuer"));
  EXPECT_THAT(Refusal(oidc.get(), "jaque_static"), HasSubstr("is no JWT"));
}

TEST_F(OidcTest, ANewKeyIsFetchedButNotForEverybodyWhoAsks) {
  const auto oidc = Make();
  const SigningKey fresh("k2", "EdDSA");
  Publish(key_.Jwk() + "," + fresh.Jwk());
  // Asked too soon after the first fetch.
  EXPECT_THAT(Refusal(oidc.get(), fresh.Sign(Claims())),
              HasSubstr("a key that the issuer has not"));
  EXPECT_EQ(fetched(), 1);
  clock_.Advance(absl::Seconds(limits::kKeyFetchSeconds));
  EXPECT_TRUE(Ask(oidc.get(), fresh.Sign(Claims())).ok());
  EXPECT_EQ(fetched(), 2);
  const SigningKey stranger("k3", "ES256");
  for (int i = 0; i < 5; ++i) Refusal(oidc.get(), stranger.Sign(Claims()));
  EXPECT_EQ(fetched(), 2);
}

TEST_F(OidcTest, AKeyThatIsTakenBackIsForgotten) {
  const auto oidc = Make();
  const SigningKey fresh("k2", "RS256");
  Publish(fresh.Jwk());
  clock_.Advance(absl::Seconds(limits::kKeySetSeconds));
  oidc->Tick();
  // Waits for the fetch that the tick began.
  EXPECT_TRUE(Ask(oidc.get(), fresh.Sign(Claims())).ok());
  EXPECT_THAT(Refusal(oidc.get(), key_.Sign(Claims())), HasSubstr("a key that the issuer has not"));
}

TEST_F(OidcTest, WithoutTheIssuerItsLastKeysCount) {
  const auto oidc = Make();
  SetDown(true);
  clock_.Advance(absl::Seconds(limits::kKeySetSeconds));
  oidc->Tick();
  const SigningKey unknown("k2", "ES256");
  Refusal(oidc.get(), unknown.Sign(Claims()));  // waits for the fetch
  EXPECT_TRUE(Ask(oidc.get(), key_.Sign(Claims())).ok());
}

TEST_F(OidcTest, BeforeThereAreKeysNobodyCanTell) {
  SetDown(true);
  const auto oidc = MakeOidc({Url(), "jaque", "roles", ""}, &clock_, &SystemClock()).value();
  EXPECT_TRUE(absl::IsUnavailable(Ask(oidc.get(), key_.Sign(Claims())).status()));
  SetDown(false);
  clock_.Advance(absl::Seconds(limits::kKeyFetchSeconds));
  EXPECT_TRUE(Ask(oidc.get(), key_.Sign(Claims())).ok());
}

TEST_F(OidcTest, DiscoveryHasToNameTheIssuerThatWasAsked) {
  named_ = "https://elsewhere.example";
  const auto oidc = MakeOidc({Url(), "jaque", "roles", ""}, &clock_, &SystemClock()).value();
  EXPECT_TRUE(absl::IsUnavailable(Ask(oidc.get(), key_.Sign(Claims())).status()));
  EXPECT_EQ(fetched(), 0);
}

TEST_F(OidcTest, AnIssuerWithoutTlsIsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(
      MakeOidc({"http://id.example", "jaque", "roles", ""}, &clock_, &SystemClock()).status()));
}

TEST_F(OidcTest, TheIssuersCertificateHasToBeKnown) {
  const testing::TlsFiles files;
  ASSERT_EQ(files.error(), "");
  std::string url;
  testing::TestHttpServer issuer(
      [&](const testing::TestRequest& request) {
        testing::TestResponse response;
        response.body = request.path() == "/keys"
                            ? R"({"keys":[)" + key_.Jwk() + "]}"
                            : fmt::format(R"({{"issuer":"{0}","jwks_uri":"{0}/keys"}})", url);
        return response;
      },
      {files.certificate(), files.key()});
  url = issuer.Url("");
  const std::string token =
      key_.Sign(fmt::format(R"({{"iss":"{}","aud":"jaque","sub":"ada","exp":{}}})", url,
                            absl::ToUnixSeconds(clock_.Now() + absl::Hours(1))));
  const auto ask = [&](const std::string& authority) {
    const auto oidc = MakeOidc({url, "jaque", "roles", authority}, &clock_, &SystemClock()).value();
    return Ask(oidc.get(), token).status();
  };
  EXPECT_TRUE(ask(files.authority()).ok());
  EXPECT_TRUE(absl::IsUnavailable(ask("")));
}

}  // namespace
}  // namespace jaque::ui
