// SPDX-License-Identifier: Apache-2.0
#include "dsl/text_place.h"

#include <gtest/gtest.h>

#include "dsl/findings.h"
#include "dsl/read.h"
#include "dsl/text.h"

namespace jaque::dsl {
namespace {

// Where the character `wanted` of the value of key `k` stands in `text`: by the value, and by the
// text.
void ExpectFound(const std::string& text, std::string_view wanted) {
  Findings findings;
  const auto root = ReadDocument(text, &findings);
  ASSERT_NE(root, nullptr) << text;
  const Node& node = *root->Find("k");
  const size_t offset = node.text().find(wanted);
  ASSERT_NE(offset, std::string_view::npos) << node.text();
  const Place expected = PlaceOfByte(text, text.find(wanted));
  const Place place = PlaceInScalar(text, node, offset);
  EXPECT_EQ(Cat(place.line, ":", place.column), Cat(expected.line, ":", expected.column)) << text;
}

TEST(PlaceInScalar, EveryStyle) {
  ExpectFound("k: abc @ def", "@");
  ExpectFound("k: 'it''s ''@'' x'", "@");
  ExpectFound("k: \"a\\tb \\u00e4 \\\"@\"", "@");
  ExpectFound("a: ä\nk: äöü @", "@");
  ExpectFound("k: |\n  one\n  two @\n", "@");
  ExpectFound("x:\n  y: 1\nk: |-\n      one\n        two @\n", "@");
  ExpectFound("k: |2\n    one @\n", "@");
  ExpectFound("k: >\n  one\n  two\n\n  three @ four\n", "@");
  ExpectFound("k: one\n  two\n  three @\n", "@");
  ExpectFound("k: 'one\n\n  two @'\n", "@");
  ExpectFound("k: \"one \\\n   two @\"\n", "@");
  ExpectFound("k: &anchor !!str 'x @'", "@");
  ExpectFound("{\"k\": \"\\ud83d\\ude00 \\n @\"}", "@");
  ExpectFound("k: |  # comment\n  @\n", "@");
}

TEST(PlaceInScalar, AliasIsItsOwnPlace) {
  Findings findings;
  const std::string text = "a: &a 'x @'\nk: *a\n";
  const auto root = ReadDocument(text, &findings);
  const Place place = PlaceInScalar(text, *root->Find("k"), 2);
  EXPECT_EQ(place.line, 2);
  EXPECT_EQ(place.column, 4);
}

TEST(PlaceInScalar, OffsetsBeyondTheTextStayInside) {
  Findings findings;
  const std::string text = "k: abc";
  const auto root = ReadDocument(text, &findings);
  EXPECT_EQ(PlaceInScalar(text, *root->Find("k"), 1'000).column, 7);
}

TEST(ByteOfPlace, IsTheReverse) {
  const std::string text = "äb\ncö\n";
  for (size_t i : {0, 2, 3, 4, 5}) EXPECT_EQ(ByteOfPlace(text, PlaceOfByte(text, i)), i);
  EXPECT_EQ(ByteOfPlace(text, {9, 1}), text.size());
}

}  // namespace
}  // namespace jaque::dsl
