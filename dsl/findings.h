// SPDX-License-Identifier: Apache-2.0
// Collects what is wrong with a document. The first limits::kFindings stay, each once (a shared
// definition may be checked from several places); ordered by place when taken. One Load, one
// thread.
#pragma once

#include <string>
#include <vector>

#include "dsl/load.h"
#include "dsl/node.h"

namespace jaque::dsl {

class Findings {
 public:
  void Add(Place place, std::string pointer, std::string message);
  void Add(Findings others);
  // At the node's value, or at its key.
  void AddAt(const Node& node, std::string message);
  void AddAtKey(const Node& node, std::string message);

  bool empty() const { return findings_.empty(); }
  // Further ones are dropped, so there is no point in looking for them.
  bool full() const;
  std::vector<Finding> Take();

 private:
  std::vector<Finding> findings_;
};

}  // namespace jaque::dsl
