// SPDX-License-Identifier: Apache-2.0
// A definition as read: a tree of values that remember where they stand in the text. The readers
// make it, the checks walk it; it dies when Load returns. Depth is bounded
// (limits::kDefinitionDepth), so walking it may recurse. Columns count characters, not bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "expression/value.h"

namespace jaque::dsl {

struct Place {
  int line = 0, column = 0;  // 1-based; 0: unknown
};

// How a scalar was written; decides how an offset in its text maps to a place in the file.
enum class ScalarStyle : uint8_t { kNone, kPlain, kSingle, kDouble, kLiteral, kFolded, kAlias };

struct Node {
  Value value;      // the whole subtree
  Place place;      // of the value
  Place key_place;  // of the key, if this is a member
  std::string key;  // if this is a member
  ScalarStyle style = ScalarStyle::kNone;
  std::vector<Node> children;    // items or members, in order
  const Node* parent = nullptr;  // set by LinkParents, once the tree stands still

  bool is_object() const { return value.is_object(); }
  bool is_array() const { return value.is_array(); }
  bool is_string() const { return value.is_string(); }
  // CHECKs nothing: empty unless this is a string.
  std::string_view text() const { return is_string() ? value.AsString() : std::string_view(); }
  // nullptr if absent or if this is no object.
  const Node* Find(std::string_view key) const;
  // Find along a path of keys.
  const Node* Find(std::initializer_list<std::string_view> keys) const;
};

// Sets `parent` below `root`, which must not move afterwards.
void LinkParents(Node* root);

// JSON pointer of a linked node.
std::string PointerOf(const Node& node);
// Appends "/token", escaped (RFC 6901).
void AppendPointerToken(std::string_view token, std::string* pointer);

// "an object", "a string" …, for messages.
std::string_view KindName(const Value& value);

}  // namespace jaque::dsl
