// SPDX-License-Identifier: Apache-2.0
#include "worker/http_text.h"

#include "gtest/gtest.h"

namespace jaque {
namespace {

TEST(HttpTextTest, Escaping) {
  EXPECT_EQ(EscapeUriComponent("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(EscapeUriComponent("a+b&c=d/ä%"), "a%2Bb%26c%3Dd%2F%C3%A4%25");
  EXPECT_EQ(EscapeUri("http://h:1/ä b?x=%20&y=100%&z={q}"),
            "http://h:1/%C3%A4%20b?x=%20&y=100%25&z=%7Bq%7D");
  EXPECT_EQ(EscapeUri(std::string("a\0\r\n", 4)), "a%00%0D%0A");
}

TEST(HttpTextTest, AddQuery) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(AddQuery("http://h/p", Pairs{}), "http://h/p");
  EXPECT_EQ(AddQuery("http://h/p", Pairs{{"a", "1"}, {"a", "2"}}), "http://h/p?a=1&a=2");
  EXPECT_EQ(AddQuery("http://h/p?", Pairs{{"a", "1"}, {"b", ""}}), "http://h/p?a=1&b=");
  EXPECT_EQ(AddQuery("http://h/p?x=1&", Pairs{{"a", "1"}}), "http://h/p?x=1&a=1");
  EXPECT_EQ(AddQuery("http://h/p?x#f?g", Pairs{{"a", "1"}}), "http://h/p?x&a=1#f?g");
}

TEST(HttpTextTest, References) {
  EXPECT_EQ(*ResolveUri("http://h:1/a/b?c", "d"), "http://h:1/a/d");
  EXPECT_EQ(*ResolveUri("http://h:1/a/b?c", "/d?e"), "http://h:1/d?e");
  EXPECT_EQ(*ResolveUri("https://h/a", "//other/x"), "https://other/x");
  EXPECT_EQ(*ResolveUri("https://h/a", "http://other/ä"), "http://other/%C3%A4");
  EXPECT_FALSE(ResolveUri("https://h/a", "http://").ok());
}

TEST(HttpTextTest, Origins) {
  EXPECT_TRUE(SameOrigin("http://h/a", "http://H:80/b?c"));
  EXPECT_TRUE(SameOrigin("https://h/a", "https://h:443/"));
  EXPECT_FALSE(SameOrigin("http://h/", "https://h/"));
  EXPECT_FALSE(SameOrigin("http://h/", "http://h:81/"));
  EXPECT_FALSE(SameOrigin("http://h/", "http://h.example/"));
  EXPECT_FALSE(SameOrigin("http://h/", "not a uri"));
}

TEST(HttpTextTest, UserInformationIsNotShown) {
  EXPECT_EQ(WithoutUserInfo("http://u:p@h/p?q=a@b"), "http://h/p?q=a@b");
  EXPECT_EQ(WithoutUserInfo("http://h/p?q=a@b"), "http://h/p?q=a@b");
  EXPECT_EQ(WithoutUserInfo("http://u@h"), "http://h");
  EXPECT_EQ(WithoutUserInfo("no uri"), "no uri");
}

TEST(HttpTextTest, MediaTypes) {
  EXPECT_EQ(MediaType(" Application/JSON ; charset=UTF-8"), "application/json");
  EXPECT_EQ(MediaTypeParameter("text/plain; a=b; Charset=\"UTF-8\"", "charset"), "utf-8");
  EXPECT_EQ(MediaTypeParameter("text/plain", "charset"), "");
  EXPECT_TRUE(IsJsonType("application/problem+json"));
  EXPECT_FALSE(IsJsonType("+json"));
  EXPECT_FALSE(IsJsonType("application/json-seq"));
  EXPECT_TRUE(IsTextType("text/csv"));
  EXPECT_TRUE(IsTextType("image/svg+xml"));
  EXPECT_FALSE(IsTextType("application/octet-stream"));
  EXPECT_FALSE(IsTextType(""));
}

TEST(HttpTextTest, Names) {
  EXPECT_EQ(CanonicalHeaderName("content-TYPE"), "Content-Type");
  EXPECT_EQ(CanonicalHeaderName("x--a"), "X--A");
  EXPECT_TRUE(IsToken("X-a_1"));
  EXPECT_FALSE(IsToken(""));
  EXPECT_FALSE(IsToken("a:b"));
  EXPECT_FALSE(IsToken("ä"));
  EXPECT_TRUE(IsFieldValue("a\tb ä"));
  EXPECT_FALSE(IsFieldValue("a\nb"));
  EXPECT_EQ(ReasonPhrase(503), "Service Unavailable");
  EXPECT_EQ(ReasonPhrase(299), "");
}

}  // namespace
}  // namespace jaque
