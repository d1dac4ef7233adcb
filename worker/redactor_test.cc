// SPDX-License-Identifier: Apache-2.0
#include "worker/redactor.h"

#include "expression/json.h"
#include "gtest/gtest.h"
#include "worker/http_text.h"

namespace jaque {
namespace {

TEST(RedactorTest, MasksEveryForm) {
  const std::string secret = "p/ä s+\"w0rd";
  Redactor redactor;
  redactor.Add(secret);
  const auto masked = [&](const std::string& text) { return redactor.Redact(text); };
  EXPECT_EQ(masked("a " + secret + " b"), "a *** b");
  EXPECT_EQ(masked(EscapeUriComponent(secret)), "***");
  EXPECT_EQ(masked(Lower(EscapeUriComponent("p/ä s+\"")) + "w0rd"), "***");
  EXPECT_EQ(masked("x=p%2F%C3%A4+s%2B%22w0rd&y"), "x=***&y");
  EXPECT_EQ(masked("{\"a\":\"p/ä s+\\\"w0rd\"}"), "{\"a\":\"***\"}");
  EXPECT_EQ(masked("nothing here"), "nothing here");
}

TEST(RedactorTest, MasksBase64AtEachAlignment) {
  const std::string secret = "sesame-open";
  Redactor redactor;
  redactor.Add(secret);
  for (const std::string before : {"", "u", "us", "use", "user:"}) {
    for (const std::string after : {"", "x", "xy", "xyz"}) {
      const std::string encoded = EncodeBase64(before + secret + after);
      const std::string masked = redactor.Redact(encoded);
      EXPECT_NE(masked.find("***"), std::string::npos) << before << "|" << after;
      // At most the two characters at each end that the neighbours share are left of it.
      EXPECT_LT(masked.size(), encoded.size() - 8) << masked;
    }
  }
}

TEST(RedactorTest, MasksAllThatIsInsideAValue) {
  Redactor redactor;
  redactor.AddAll(*ParseJson(R"({"user":"alice","keys":["k-one",{"pin":123456}]})"));
  EXPECT_EQ(redactor.Redact("alice k-one 123456 user keys"), "*** *** *** user keys");
}

TEST(RedactorTest, DeepValuesAreNoProblem) {
  Redactor redactor;
  const std::string deep = std::string(9'000, '[') + "\"inner-secret\"" + std::string(9'000, ']');
  redactor.AddAll(*ParseJson(deep));
  EXPECT_EQ(redactor.Redact("inner-secret"), "***");
}

TEST(RedactorTest, LinesOfALongSecretAreMaskedAlone) {
  Redactor redactor;
  redactor.Add("-----BEGIN-----\nMIIEvQIBADAN\nab\n");
  EXPECT_EQ(redactor.Redact("got MIIEvQIBADAN and ab"), "got *** and ab");
}

TEST(RedactorTest, ALongerSecretGoesBeforeItsPart) {
  Redactor redactor;
  redactor.Add("abc");
  redactor.Add("abcdef");
  EXPECT_EQ(redactor.Redact("abcdef abc ab"), "*** *** ab");
}

TEST(RedactorTest, WhatIsTooShortToTellIsLeft) {
  Redactor redactor;
  redactor.Add("");
  redactor.Add("a");
  EXPECT_EQ(redactor.Redact("banana"), "banana");
}

}  // namespace
}  // namespace jaque
