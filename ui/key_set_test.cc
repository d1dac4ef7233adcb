// SPDX-License-Identifier: Apache-2.0
#include "ui/key_set.h"

#include "gtest/gtest.h"
#include "ui/issuer_fixture.h"

namespace jaque::ui {
namespace {

constexpr char kClaims[] = R"({"sub":"ada"})";

KeySet Set(const std::string& keys) { return KeySet::Parse(R"({"keys":[)" + keys + "]}").value(); }
absl::StatusCode Verify(const KeySet& set, const std::string& token) {
  const absl::StatusOr<JsonWebToken> parsed = ParseToken(token);
  return parsed.ok() ? set.Verify(*parsed).code() : parsed.status().code();
}
constexpr auto kOk = absl::StatusCode::kOk;
constexpr auto kForged = absl::StatusCode::kUnauthenticated;
constexpr auto kUnknown = absl::StatusCode::kNotFound;

class KeySetTest : public ::testing::TestWithParam<const char*> {
 protected:
  const SigningKey key_{"k1", GetParam()};
  const SigningKey other_{"k1", GetParam()};
};

TEST_P(KeySetTest, WhatTheKeySignedIsTaken) {
  EXPECT_EQ(Verify(Set(key_.Jwk()), key_.Sign(kClaims)), kOk);
}

TEST_P(KeySetTest, WhatAnotherKeySignedIsNot) {
  EXPECT_EQ(Verify(Set(key_.Jwk()), other_.Sign(kClaims)), kForged);
}

TEST_P(KeySetTest, ChangedClaimsAreForged) {
  const std::string token = key_.Sign(kClaims);
  const size_t first = token.find('.'), second = token.rfind('.');
  const std::string forged =
      token.substr(0, first + 1) + ToBase64Url(R"({"sub":"eve"})") + token.substr(second);
  EXPECT_EQ(Verify(Set(key_.Jwk()), forged), kForged);
  EXPECT_EQ(Verify(Set(key_.Jwk()), token.substr(0, second + 1)), kForged);
}

TEST_P(KeySetTest, AnUnknownKeyIsToldApart) {
  const SigningKey unknown("k2", GetParam());
  EXPECT_EQ(Verify(Set(key_.Jwk()), unknown.Sign(kClaims)), kUnknown);
  EXPECT_EQ(Verify(Set(key_.Jwk() + "," + unknown.Jwk()), unknown.Sign(kClaims)), kOk);
}

TEST_P(KeySetTest, TheTokenDoesNotChooseTheAlgorithm) {
  const KeySet set = Set(key_.Jwk());
  EXPECT_EQ(Verify(set, key_.SignAsHmac(kClaims)), kForged);
  for (const char* algorithm : {"none", "None", "HS256", "RS512", "PS256", ""}) {
    const std::string header = fmt::format(R"({{"alg":"{}","kid":"k1"}})", algorithm);
    EXPECT_EQ(Verify(set, key_.Sign(kClaims, header)), kForged) << algorithm;
    EXPECT_EQ(Verify(set, ToBase64Url(header) + "." + ToBase64Url(kClaims) + "."), kForged);
  }
}

TEST_P(KeySetTest, WithoutAnIdTheOnlyKeyIsMeant) {
  const std::string header = fmt::format(R"({{"alg":"{}"}})", GetParam());
  EXPECT_EQ(Verify(Set(key_.Jwk()), key_.Sign(kClaims, header)), kOk);
  const SigningKey second("k2", GetParam());
  EXPECT_EQ(Verify(Set(key_.Jwk() + "," + second.Jwk()), key_.Sign(kClaims, header)), kUnknown);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, KeySetTest, ::testing::Values("RS256", "ES256", "EdDSA"),
                         [](const auto& info) { return std::string(info.param); });

TEST(KeySetParseTest, KeysThatAreNotForThisAreLeftOut) {
  const SigningKey weak("weak", "RS256", 1024);
  EXPECT_EQ(Set(weak.Jwk()).size(), 0u);
  EXPECT_EQ(Set(R"({"kty":"oct","k":"c2VjcmV0"})").size(), 0u);
  EXPECT_EQ(Set(R"({"kty":"RSA","n":"!","e":"AQAB"},{"kty":"EC","crv":"P-521"},{},1)").size(), 0u);
  EXPECT_EQ(Set(R"({"kty":"EC","crv":"P-256","x":")" + std::string(43, 'A') + R"(","y":")" +
                std::string(43, 'A') + R"("})")
                .size(),
            0u);  // no point of the curve
  const SigningKey good("good", "ES256");
  std::string sealing = good.Jwk();
  sealing.replace(sealing.find("sig"), 3, "enc");
  EXPECT_EQ(Set(sealing).size(), 0u);
  EXPECT_EQ(Set(good.Jwk()).size(), 1u);
  EXPECT_FALSE(KeySet::Parse("[]").ok());
  EXPECT_FALSE(KeySet::Parse("{").ok());
}

}  // namespace
}  // namespace jaque::ui
