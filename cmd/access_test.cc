// SPDX-License-Identifier: Apache-2.0
#include "cmd/access.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace jaque::cmd {
namespace {

using ::testing::HasSubstr;

std::string Refusal(const AccessFlags& flags, const std::string& listen = "127.0.0.1:8080",
                    bool serves_api = true) {
  return std::string(CheckAccessFlags(flags, listen, serves_api).message());
}

TEST(AccessFlagsTest, BeyondLoopbackItHasToBeSaidWhoMay) {
  for (const char* listen : {":8080", "0.0.0.0:8080", "[::]:8080", "192.0.2.1:80", "host:80",
                             "127.0.0.1.example.org:80", "localhost.example.org:80"}) {
    EXPECT_THAT(Refusal({}, listen), HasSubstr("say -auth tokens, or -auth none")) << listen;
    EXPECT_EQ(Refusal({}, listen, /*serves_api=*/false), "") << listen;
    AccessFlags open;
    open.auth = "none";
    EXPECT_EQ(Refusal(open, listen), "") << listen;
  }
  for (const char* listen : {"127.0.0.1:8080", "localhost:0", "[::1]:8080", "127.8.9.1:1"}) {
    EXPECT_EQ(Refusal({}, listen), "") << listen;
  }
}

TEST(AccessFlagsTest, WhatGoesTogetherHasToBeThere) {
  AccessFlags flags;
  flags.auth = "tokens";
  EXPECT_THAT(Refusal(flags), HasSubstr("-auth tokens and -auth-tokens FILE go together"));
  flags.token_file = "/t";
  EXPECT_EQ(Refusal(flags), "");
  flags.auth = "";
  EXPECT_THAT(Refusal(flags), HasSubstr("go together"));
  flags = AccessFlags();
  flags.auth = "oidc";
  flags.oidc_issuer = "https://id.example";
  EXPECT_THAT(Refusal(flags), HasSubstr("-oidc-audience NAME go together"));
  flags.oidc_audience = "jaque";
  EXPECT_EQ(Refusal(flags), "");
  flags.auth = "ldap";
  EXPECT_THAT(Refusal(flags), HasSubstr("none of none, tokens, oidc"));
  flags = AccessFlags();
  flags.tls_key = "/k";
  EXPECT_THAT(Refusal(flags), HasSubstr("-tls-cert and -tls-key go together"));
  flags.tls_certificate = "/c";
  EXPECT_EQ(Refusal(flags), "");
  flags.trusted_proxies = {"ten"};
  EXPECT_THAT(Refusal(flags), HasSubstr("-trusted-proxies: \"ten\" is no network"));
}

}  // namespace
}  // namespace jaque::cmd
