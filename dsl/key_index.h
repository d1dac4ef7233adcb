// SPDX-License-Identifier: Apache-2.0
// The keys of one mapping while it is read: finds a duplicate, without being quadratic in a great
// mapping.
#pragma once

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "dsl/node.h"

namespace jaque::dsl {

class KeyIndex {
 public:
  // The earlier member with this key, or nullptr. `members` are those read so far.
  const Node* Find(std::string_view key, const std::vector<Node>& members) {
    if (members.size() < kFew) {
      for (const Node& member : members) {
        if (member.key == key) return &member;
      }
      return nullptr;
    }
    for (; indexed_ < members.size(); ++indexed_) by_key_.emplace(members[indexed_].key, indexed_);
    const auto found = by_key_.find(std::string(key));
    return found == by_key_.end() ? nullptr : &members[found->second];
  }

 private:
  static constexpr size_t kFew = 16;
  size_t indexed_ = 0;
  absl::flat_hash_map<std::string, size_t> by_key_;
};

}  // namespace jaque::dsl
