// SPDX-License-Identifier: Apache-2.0
#include "ui/digest.h"

#include "gtest/gtest.h"

namespace jaque::ui {
namespace {

TEST(DigestTest, IsWhatSha256sumSays) {
  const std::string hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(HexOf(DigestOf("abc")), hex);
  EXPECT_TRUE(SameDigest(ParseHex(hex).value(), DigestOf("abc")));
  EXPECT_FALSE(SameDigest(DigestOf("abd"), DigestOf("abc")));
}

TEST(DigestTest, HexadecimalIsReadStrictly) {
  const std::string hex = HexOf(DigestOf("x"));
  EXPECT_FALSE(ParseHex(hex.substr(1)));
  EXPECT_FALSE(ParseHex(hex + "00"));
  EXPECT_FALSE(ParseHex("g" + hex.substr(1)));
}

TEST(DigestTest, Base64UrlGoesThereAndBack) {
  EXPECT_EQ(ToBase64Url("\xfb\xff\xfe"), "-__-");
  EXPECT_EQ(ToBase64Url("a"), "YQ");
  for (const std::string& bytes : {std::string(), std::string("a"), std::string("ab"),
                                   std::string("abc"), std::string("\0\xff\x10z", 4)}) {
    EXPECT_EQ(FromBase64Url(ToBase64Url(bytes)), bytes);
  }
}

TEST(DigestTest, Base64UrlHasOneFormForEachText) {
  for (const char* text : {"YQ==", "Y", "YR", "Y Q", "Y+/_", "YWI="}) {
    EXPECT_FALSE(FromBase64Url(text)) << text;
  }
}

TEST(DigestTest, RandomBytesDiffer) { EXPECT_NE(RandomBytes(32), RandomBytes(32)); }

}  // namespace
}  // namespace jaque::ui
