// SPDX-License-Identifier: Apache-2.0
#include "dsl/node.h"

#include "dsl/text.h"

namespace jaque::dsl {

const Node* Node::Find(std::string_view wanted) const {
  if (!is_object()) return nullptr;
  for (const Node& child : children) {
    if (child.key == wanted) return &child;
  }
  return nullptr;
}

const Node* Node::Find(std::initializer_list<std::string_view> keys) const {
  const Node* node = this;
  for (std::string_view wanted : keys) {
    if (node == nullptr) return nullptr;
    node = node->Find(wanted);
  }
  return node;
}

void LinkParents(Node* root) {
  for (Node& child : root->children) {
    child.parent = root;
    LinkParents(&child);
  }
}

void AppendPointerToken(std::string_view token, std::string* pointer) {
  pointer->push_back('/');
  for (char c : token) {
    if (c == '~') {
      pointer->append("~0");
    } else if (c == '/') {
      pointer->append("~1");
    } else {
      pointer->push_back(c);
    }
  }
}

std::string PointerOf(const Node& node) {
  if (node.parent == nullptr) return "";
  std::string pointer = PointerOf(*node.parent);
  if (node.parent->is_array()) {
    Append(&pointer, "/", &node - node.parent->children.data());
  } else {
    AppendPointerToken(node.key, &pointer);
  }
  return pointer;
}

std::string_view KindName(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kNull:
      return "null";
    case Value::Kind::kFalse:
    case Value::Kind::kTrue:
      return "a boolean";
    case Value::Kind::kNumber:
      return "a number";
    case Value::Kind::kString:
      return "a string";
    case Value::Kind::kArray:
      return "a list";
    case Value::Kind::kObject:
      return "an object";
  }
  return "a value";
}

}  // namespace jaque::dsl
