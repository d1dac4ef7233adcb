// SPDX-License-Identifier: Apache-2.0
#include "nats/names.h"

#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace jaque::nats {
namespace {

TEST(Names, TokensAreSafeInjectiveAndComeBack) {
  std::vector<std::string> texts = {"",    "_",   "a",   "A",   "a b", "a..b", ".a",         "a.",
                                    "*",   "x.>", "ä",   "a/b", "_20", "a_b",  " ",          "\n",
                                    "a-b", "__",  "=2E", "\\",  "$JS", "a\0b", "1.0.0+build"};
  for (int c = 0; c < 256; ++c) texts.push_back("c" + std::string(1, static_cast<char>(c)));
  texts.push_back(std::string(300, '.'));
  texts.push_back(std::string("a\0b", 3));
  std::set<std::string> tokens;
  const std::set<std::string> distinct(texts.begin(), texts.end());
  for (const std::string& text : distinct) {
    const std::string token = EncodeToken(text);
    EXPECT_EQ(
        token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
        std::string::npos)
        << text;
    EXPECT_FALSE(token.empty());
    EXPECT_TRUE(tokens.insert(token).second) << text;
    const auto back = DecodeToken(token);
    ASSERT_TRUE(back.ok()) << text;
    EXPECT_EQ(*back, text);
  }
}

TEST(Names, WhatIsNoTokenIsRefused) {
  for (const char* token : {"", "a.b", "_2", "_2e", "_41", "a_", "__", "_ZZ", "a*"}) {
    EXPECT_FALSE(DecodeToken(token).ok()) << token;
  }
}

TEST(Names, Prefix) {
  const auto names = Names::Make("my-cluster");
  ASSERT_TRUE(names.ok());
  EXPECT_EQ(names->Stream("LOG"), "MY-CLUSTER_LOG");
  EXPECT_EQ(names->Subject("log.3"), "my-cluster.log.3");
  EXPECT_EQ(names->Bucket("cluster"), "my-cluster_cluster");
  for (const char* bad :
       {"", "a.b", "A", "a b", "-a", "1a", "a*", "a>", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
    EXPECT_FALSE(Names::Make(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace jaque::nats
