// SPDX-License-Identifier: Apache-2.0
#include "dsl/text_rules.h"

#include <gtest/gtest.h>

namespace jaque::dsl {
namespace {

TEST(TextRules, SemanticVersion) {
  for (const char* good :
       {"0.0.0", "1.2.3", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-0.3.7", "1.0.0-x-y-z.-",
        "1.0.0+20130313144700", "1.0.0-beta+exp.sha.5114f85", "10.20.30"}) {
    EXPECT_EQ(CheckSemanticVersion(good), "") << good;
  }
  for (const char* bad :
       {"", "1", "1.0", "1.0.0.0", "01.0.0", "1.00.0", "v1.0.0", "1.0.0-", "1.0.0-a..b", "1.0.0-01",
        "1.0.0+", "1.0.0+a+b", "1.0.x", " 1.0.0", "1.0.0-ä"}) {
    EXPECT_NE(CheckSemanticVersion(bad), "") << bad;
  }
  EXPECT_EQ(CheckDslVersion("1.0.3"), "");
  EXPECT_EQ(CheckDslVersion("1.0.0-alpha5"), "");
  EXPECT_NE(CheckDslVersion("1.1.0"), "");
  EXPECT_NE(CheckDslVersion("0.9.0"), "");
}

TEST(TextRules, DnsLabel) {
  EXPECT_EQ(CheckDnsLabel("a"), "");
  EXPECT_EQ(CheckDnsLabel("A-1"), "");
  EXPECT_EQ(CheckDnsLabel(std::string(63, 'x')), "");
  for (const std::string bad : {"", "-a", "a-", "a.b", "a b", "a_b", "*", "x.>", "ä", "a/b"}) {
    EXPECT_NE(CheckDnsLabel(bad), "") << bad;
  }
  EXPECT_NE(CheckDnsLabel(std::string(64, 'x')), "");
}

TEST(TextRules, RuntimeExpression) {
  EXPECT_TRUE(IsRuntimeExpression("${ .x }"));
  EXPECT_TRUE(IsRuntimeExpression("  ${.x}\n"));
  EXPECT_TRUE(IsRuntimeExpression("${}"));
  EXPECT_FALSE(IsRuntimeExpression("a ${ .x }"));
  EXPECT_FALSE(IsRuntimeExpression("${ .x } b"));
  EXPECT_FALSE(IsRuntimeExpression("$ { .x }"));
  EXPECT_FALSE(IsRuntimeExpression("{ .x }"));
  EXPECT_FALSE(IsRuntimeExpression(""));
}

TEST(TextRules, UriTemplate) {
  for (const char* good :
       {"https://a.b/{id}?x={y}", "openapi/petstore.json", "/api", "urn:a:b", "x", "?a", "#f",
        "https://a/{pet.id}", "file://app/greet.proto", "//host/x", "https://ä/ö"}) {
    EXPECT_EQ(CheckUriTemplate(good), "") << good;
  }
  for (const char* bad :
       {"", " https://a", "https://a b", "https://a/${ .x }", "https://a/{", "https://a/}",
        "https://a/{}", "https://a/{{x}}", "https://a/{?x}", "https://a/{x,y}", ":x"}) {
    EXPECT_NE(CheckUriTemplate(bad), "") << bad;
  }
}

TEST(TextRules, DateTime) {
  for (const char* good :
       {"2024-01-31T12:00:00Z", "2024-02-29t00:00:00.123z", "2024-12-31T23:59:60Z",
        "2024-01-01T00:00:00+01:00", "2024-01-01T00:00:00.5-23:59"}) {
    EXPECT_TRUE(IsDateTime(good)) << good;
  }
  for (const char* bad :
       {"", "2024-01-31", "2023-02-29T00:00:00Z", "2024-01-01T24:00:00Z", "2024-13-01T00:00:00Z",
        "2024-01-01 00:00:00Z", "2024-01-01T00:00:00", "2024-01-01T00:00:00.Z",
        "2024-01-01T00:00:00+0100", "2024-1-1T0:0:0Z", "2024-01-01T00:00:00Zx"}) {
    EXPECT_FALSE(IsDateTime(bad)) << bad;
  }
}

TEST(TextRules, VariableName) {
  EXPECT_EQ(CheckVariableName("item_2"), "");
  for (const char* bad :
       {"", "2a", "$x", "a-b", "a.b", "input", "context", "secrets", "ENV", "ä"}) {
    EXPECT_NE(CheckVariableName(bad), "") << bad;
  }
}

TEST(TextRules, Nearest) {
  EXPECT_EQ(Nearest("fro", {"for", "fork", "from"}), "for");
  EXPECT_EQ(Nearest("exceptwhen", {"when", "exceptWhen"}), "exceptWhen");
  EXPECT_EQ(Nearest("zzz", {"for", "do"}), "");
  EXPECT_EQ(Nearest(std::string(100'000, 'x'), {"for"}), "");
}

}  // namespace
}  // namespace jaque::dsl
