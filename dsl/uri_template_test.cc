// SPDX-License-Identifier: Apache-2.0
#include "dsl/uri_template.h"

#include <gtest/gtest.h>

#include "expression/json.h"

namespace jaque::dsl {
namespace {

std::string Expand(const char* text, const char* json) {
  const auto uri = ExpandUriTemplate(text, *ParseJson(json));
  return uri.ok() ? *uri : "error: " + std::string(uri.status().message());
}

TEST(UriTemplate, Scalars) {
  EXPECT_EQ(Expand("https://x/{id}/y", R"({"id": 7})"), "https://x/7/y");
  EXPECT_EQ(Expand("{a}{b}{c}{d}", R"({"a": true, "b": null, "c": "z", "d": 1.5})"), "truez1.5");
  EXPECT_EQ(Expand("/pet/{id}", R"({"id": 9007199254740993})"), "/pet/9007199254740993");
}

TEST(UriTemplate, EscapesAllButUnreserved) {
  EXPECT_EQ(Expand("/{q}", R"({"q": "a b/ä?&%-._~"})"), "/a%20b%2F%C3%A4%3F%26%25-._~");
}

TEST(UriTemplate, NamesAreVerbatim) {
  EXPECT_EQ(Expand("/{pet.id}", R"({"pet.id": 1, "pet": {"id": 2}})"), "/1");
  EXPECT_EQ(Expand("/{pet.id}", R"({"pet": {"id": 2}})"), "/");
}

TEST(UriTemplate, AbsentIsEmpty) {
  EXPECT_EQ(Expand("/{x}", "{}"), "/");
  EXPECT_EQ(Expand("/{x}", "null"), "/");
  EXPECT_EQ(Expand("/{x}", R"("text")"), "/");
}

TEST(UriTemplate, ObjectsAndListsAreErrors) {
  EXPECT_EQ(Expand("/{x}", R"({"x": []})").substr(0, 6), "error:");
  EXPECT_EQ(Expand("/{x}", R"({"x": {}})").substr(0, 6), "error:");
}

TEST(UriTemplate, TheResultIsNotExpandedAgain) {
  EXPECT_EQ(Expand("/{x}", R"({"x": "{y}", "y": 1})"), "/%7By%7D");
  EXPECT_EQ(Expand("/{x", R"({"x": 1})"), "/{x");
}

}  // namespace
}  // namespace jaque::dsl
