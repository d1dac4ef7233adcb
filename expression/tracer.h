// SPDX-License-Identifier: Apache-2.0
// Finds what a program reads of its input and of its variables: an abstract run over the nodes,
// where a value is either a root (the input or a variable, whole) or anything else. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "expression/context.h"
#include "expression/node.h"
#include "expression/program.h"

namespace jaque::expression {

class Tracer {
 public:
  static constexpr int kOther = -1;
  static constexpr int kInput = 0;  // variable number n is root n + 1

  explicit Tracer(size_t variables) : roots_(variables + 1) {}

  // `root` goes where anything may be read of it.
  void Escapes(int root) {
    if (root != kOther) roots_[static_cast<size_t>(root)].all = true;
  }
  // Only whether it is true matters, but that too is the whole value.
  void Uses(int root) { Escapes(root); }
  void Reads(int root, std::string_view field) {
    if (root != kOther) roots_[static_cast<size_t>(root)].fields.insert(std::string(field));
  }
  // What the variable in a slot is, where it is one of the outermost function.
  int SlotOrigin(uint32_t hops, uint32_t slot) const;
  void Bind(uint32_t slot, int root);
  // Functions that enclose what is traced.
  uint32_t function_depth() const { return function_depth_; }
  // A function's body, once; nothing is known of its input.
  void TraceCode(const Code& code, uint32_t function_depth);

  // Two ways lead to one place: roots must agree.
  int Either(int a, int b) {
    if (a == b) return a;
    Escapes(a);
    Escapes(b);
    return kOther;
  }
  Program::Footprint Result(int root) const {
    const Root& found = roots_[static_cast<size_t>(root)];
    Program::Footprint footprint;
    footprint.all = found.all;
    if (!found.all) footprint.fields.assign(found.fields.begin(), found.fields.end());
    return footprint;
  }

 private:
  struct Root {
    bool all = false;
    std::set<std::string> fields;
  };
  std::vector<Root> roots_;
  std::map<uint32_t, int> slots_;  // of the outermost function
  std::set<const Code*> traced_;
  uint32_t function_depth_ = 0;
};

}  // namespace jaque::expression
