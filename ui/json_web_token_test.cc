// SPDX-License-Identifier: Apache-2.0
#include "ui/json_web_token.h"

#include "base/limits.h"
#include "expression/json.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ui/digest.h"

namespace jaque::ui {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kNow = 1'800'000'000;

std::string Refusal(const std::string& claims) {
  return std::string(
      CheckClaims(*ParseJson(claims), "https://id.example", "jaque", absl::FromUnixSeconds(kNow))
          .message());
}

std::string Claims(const std::string& more) {
  return fmt::format(R"({{"iss":"https://id.example","aud":"jaque",{}}})", more);
}

TEST(JsonWebTokenTest, ClaimsHoldWithinTheSkewOfClocks) {
  const int skew = limits::kClockSkewSeconds;
  EXPECT_EQ(Refusal(Claims(fmt::format(R"("exp":{})", kNow + 1))), "");
  EXPECT_EQ(Refusal(Claims(fmt::format(R"("exp":{})", kNow - skew + 1))), "");
  EXPECT_THAT(Refusal(Claims(fmt::format(R"("exp":{})", kNow - skew))), HasSubstr("has expired"));
  const std::string exp = fmt::format(R"("exp":{},)", kNow + 3600);
  EXPECT_EQ(Refusal(Claims(exp + fmt::format(R"("nbf":{})", kNow + skew))), "");
  EXPECT_THAT(Refusal(Claims(exp + fmt::format(R"("nbf":{})", kNow + skew + 1))),
              HasSubstr("not valid yet"));
  EXPECT_THAT(Refusal(Claims(exp + R"("nbf":"soon")")), HasSubstr("not valid yet"));
}

TEST(JsonWebTokenTest, ATokenWithoutAnEndIsRefused) {
  EXPECT_THAT(Refusal(Claims(R"("sub":"ada")")), HasSubstr("never expires"));
  EXPECT_THAT(Refusal(Claims(R"("exp":"1900000000")")), HasSubstr("never expires"));
  EXPECT_THAT(Refusal(Claims(R"("exp":1e400)")), HasSubstr("never expires"));
}

TEST(JsonWebTokenTest, IssuerAndAudienceHaveToBeOurs) {
  const std::string exp = fmt::format(R"("exp":{})", kNow + 3600);
  const auto with = [&](const std::string& iss, const std::string& aud) {
    return Refusal(fmt::format(R"({{"iss":{},"aud":{},{}}})", iss, aud, exp));
  };
  const std::string ours = R"("https://id.example")";
  EXPECT_EQ(with(ours, R"(["other","jaque"])"), "");
  EXPECT_THAT(with(R"("https://id.example/")", R"("jaque")"), HasSubstr("another issuer"));
  EXPECT_THAT(with("null", R"("jaque")"), HasSubstr("another issuer"));
  EXPECT_THAT(with(ours, R"("jaque2")"), HasSubstr("another audience"));
  EXPECT_THAT(with(ours, R"(["other"])"), HasSubstr("another audience"));
  EXPECT_THAT(with(ours, "{}"), HasSubstr("another audience"));
}

TEST(JsonWebTokenTest, WhatIsNoTokenIsRefused) {
  const std::string head = ToBase64Url(R"({"alg":"ES256"})"), body = ToBase64Url("{}");
  EXPECT_TRUE(ParseToken(head + "." + body + ".AA").ok());
  const std::string critical = ToBase64Url(R"({"alg":"ES256","crit":["b64"],"b64":false})");
  for (const std::string& token :
       {std::string(), std::string("a"), head + "." + body, head + "." + body + ".AA.AA",
        head + ".!." + "AA", "." + body + ".AA", head + "." + ToBase64Url("[]") + ".AA",
        head + "=." + body + ".AA", critical + "." + body + ".AA"}) {
    EXPECT_FALSE(ParseToken(token).ok()) << token;
  }
}

TEST(JsonWebTokenTest, RolesComeFromTheClaimThatIsNamed) {
  const Value claims = *ParseJson(R"({"sub":"7","preferred_username":"a\nda","roles":"viewer",
      "realm":{"jaque":["operator@shop","boss","author@news"]}})");
  EXPECT_EQ(CallerOf(claims, "roles").name, "ada (7)");
  EXPECT_TRUE(CallerOf(claims, "roles").MayEverywhere(Role::kViewer));
  const Caller caller = CallerOf(claims, "realm.jaque");
  EXPECT_EQ(caller.grants.size(), 2u);
  EXPECT_TRUE(caller.May(Role::kOperator, "shop"));
  EXPECT_FALSE(caller.May(Role::kViewer, "bank"));
  EXPECT_TRUE(CallerOf(claims, "roles.jaque").grants.empty());
  EXPECT_TRUE(CallerOf(claims, "nothing").grants.empty());
}

}  // namespace
}  // namespace jaque::ui
