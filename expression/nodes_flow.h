// SPDX-License-Identifier: Apache-2.0
// Nodes that choose, catch, bind and gather.
#pragma once

#include <vector>

#include "expression/machine.h"
#include "expression/node.h"

namespace jaque::expression {

class IfNode final : public Node {
 public:
  IfNode(const Node* condition, const Node* then, const Node* otherwise);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  bool Move(Context& context, Value* value, Frame* frame) const override;
  bool Stream(Context& context, const Value& in, Frame* frame, Sink sink) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  class Waiting;
  // The branch to take; null: no output of the condition, or a failure.
  const Node* Choose(Context& context, const Value& in, Frame* frame) const;
  void Run(Machine& machine) const override;
};

// `and`, `or`.
class LogicNode final : public Node {
 public:
  LogicNode(bool conjunction, const Node* left, const Node* right);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  class WaitingForLeft;
  class WaitingForRight;
  void Run(Machine& machine) const override;

  bool conjunction_;
};

// `left // right`.
class AlternativeNode final : public Node {
 public:
  AlternativeNode(const Node* left, const Node* right);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  bool Stream(Context& context, const Value& in, Frame* frame, Sink sink) const override;
  void Retry(Machine& machine) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  class Waiting;
  void Run(Machine& machine) const override;
};

// `try body catch handler`; without a handler errors are no output.
class TryNode final : public Node {
 public:
  TryNode(const Node* body, const Node* handler);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  bool Stream(Context& context, const Value& in, Frame* frame, Sink sink) const override;
  void Retry(Machine& machine) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  class Waiting;
  void Run(Machine& machine) const override;

  const Node* handler_;
};

// To be called when what started with a kTry fork at `index` yields: errors from now on are not its
// own.
void EndTry(Machine& machine, size_t index);

// `source as $slot | body`.
class BindNode final : public Node {
 public:
  BindNode(const Node* source, uint32_t slot, const Node* body);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  bool Move(Context& context, Value* value, Frame* frame) const override;
  bool Stream(Context& context, const Value& in, Frame* frame, Sink sink) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  class Waiting;
  bool Set(Context& context, const Value& in, Frame* frame) const;
  void Run(Machine& machine) const override;

  uint32_t slot_;
};

// A function's `$parameter`: binds it from its closure unless the call did already.
class ParameterNode final : public Node {
 public:
  ParameterNode(uint32_t closure, const Node* bind, const Node* body);
  int Trace(Tracer& tracer, int dot) const override;

 private:
  void Run(Machine& machine) const override;

  uint32_t closure_;
};

// `?//`: the first way that raises no error; all variables start as null in each.
class AlternativeBindNode final : public Node {
 public:
  AlternativeBindNode(const std::vector<const Node*>& ways, std::vector<uint32_t> slots);
  void Retry(Machine& machine) const override;

 private:
  void Run(Machine& machine) const override;
  void Enter(Machine& machine, size_t way) const;

  std::vector<uint32_t> slots_;
};

class LabelNode final : public Node {
 public:
  LabelNode(uint32_t slot, const Node* body);
  int Trace(Tracer& tracer, int dot) const override;

 private:
  void Run(Machine& machine) const override;

  uint32_t slot_;
};

class BreakNode final : public Node {
 public:
  BreakNode(uint32_t hops, uint32_t slot);
  int Trace(Tracer& tracer, int dot) const override;

 private:
  void Run(Machine& machine) const override;

  uint32_t hops_;
  uint32_t slot_;
};

// `[body]`.
class CollectNode final : public Node {
 public:
  explicit CollectNode(const Node* body);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  void Retry(Machine& machine) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  class Waiting;
  void Run(Machine& machine) const override;
};

}  // namespace jaque::expression
