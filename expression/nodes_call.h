// SPDX-License-Identifier: Apache-2.0
// Calls of functions that are not expanded in place: those that call themselves.
#pragma once

#include <vector>

#include "expression/machine.h"
#include "expression/node.h"

namespace jaque::expression {

struct Argument {
  enum class Kind : uint8_t {
    kCode,     // a closure over the caller's frame
    kClosure,  // the caller's own argument, handed on
    kValue,    // a scalar for a `$parameter`, evaluated at the call
  };
  Kind kind = Kind::kCode;
  const Code* code = nullptr;
  uint32_t hops = 0;
  uint32_t index = 0;          // of the closure
  const Node* node = nullptr;  // of the value
  uint32_t slot = 0;           // where the value goes
};

class CallNode final : public Node {
 public:
  // The function is defined in the frame `hops` up.
  CallNode(const Code* code, uint32_t hops, std::vector<Argument> arguments);
  int Trace(Tracer& tracer, int dot) const override;

 private:
  void Run(Machine& machine) const override;

  const Code* code_;
  uint32_t hops_;
  std::vector<Argument> arguments_;
};

// Runs an argument of this or an enclosing function.
class ClosureNode final : public Node {
 public:
  ClosureNode(uint32_t hops, uint32_t index);
  int Trace(Tracer& tracer, int dot) const override;

 private:
  void Run(Machine& machine) const override;

  uint32_t hops_;
  uint32_t index_;
};

}  // namespace jaque::expression
