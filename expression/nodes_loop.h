// SPDX-License-Identifier: Apache-2.0
// Nodes that repeat.
#pragma once

#include "expression/machine.h"
#include "expression/node.h"

namespace jaque::expression {

// `reduce source as $slot (start; update)`.
class ReduceNode final : public Node {
 public:
  ReduceNode(const Node* source, uint32_t slot, const Node* start, const Node* update);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  void Retry(Machine& machine) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  class WaitingForStart;
  class WaitingForItem;
  class WaitingForUpdate;
  void Run(Machine& machine) const override;
  void Begin(Machine& machine, const State& input) const;

  uint32_t slot_;
};

// `foreach source as $slot (start; update; extract)`; without extract the state is the output.
class ForeachNode final : public Node {
 public:
  ForeachNode(const Node* source, uint32_t slot, const Node* start, const Node* update,
              const Node* extract);
  bool Stream(Context& context, const Value& in, Frame* frame, Sink sink) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  class WaitingForStart;
  class WaitingForItem;
  class WaitingForUpdate;
  void Run(Machine& machine) const override;
  void Begin(Machine& machine, const State& input) const;

  uint32_t slot_;
  const Node* extract_;
};

// Numbers from `from` while below `upto`, `by` apart (downwards if negative). Scalar operands.
class RangeNode final : public Node {
 public:
  RangeNode(const Node* from, const Node* upto, const Node* by);
  bool Stream(Context& context, const Value& in, Frame* frame, Sink sink) const override;
  void Retry(Machine& machine) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  bool Bounds(Context& context, const Value& in, Frame* frame, Value* bounds) const;
  static bool Within(const Value* bounds);
  static bool Advance(Context& context, Value* bounds);
  void Run(Machine& machine) const override;
};

// The first `count` outputs of `body`; `count` is a scalar.
class LimitNode final : public Node {
 public:
  LimitNode(const Node* count, const Node* body, bool first);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  bool Stream(Context& context, const Value& in, Frame* frame, Sink sink) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  class Waiting;
  // Negative: nothing to yield or a failure. `odd` becomes a count that is no number, where jq
  // notices that at the first output only.
  double Count(Context& context, const Value& in, Frame* frame, Value* odd) const;
  void Run(Machine& machine) const override;

  bool first_;
};

// All outputs of `body` but the first `count`, a scalar.
class SkipNode final : public Node {
 public:
  SkipNode(const Node* count, const Node* body);
  bool Stream(Context& context, const Value& in, Frame* frame, Sink sink) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  class Waiting;
  // As LimitNode's; false: no output or a failure.
  bool Count(Context& context, const Value& in, Frame* frame, double* count, Value* odd) const;
  void Run(Machine& machine) const override;
};

// `input | until(condition; update)` with scalars.
class UntilNode final : public Node {
 public:
  UntilNode(const Node* condition, const Node* update);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  bool Move(Context& context, Value* value, Frame* frame) const override;
};

// sort_by and its kin, by a scalar key.
class ByNode final : public Node {
 public:
  enum class What : uint8_t { kSort, kGroup, kUnique, kMin, kMax };
  ByNode(What what, const Node* key);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;

 private:
  bool Keys(Context& context, const Value& in, Frame* frame, std::vector<Value>* keys) const;

  What what_;
};

// What ByNode does, for keys that are ready (one for each item).
bool ArrangeBy(Context& context, ByNode::What what, const Value& items,
               const std::vector<Value>& keys, Value* out);

}  // namespace jaque::expression
