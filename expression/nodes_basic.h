// SPDX-License-Identifier: Apache-2.0
// Nodes without loops: constants, variables, pipes, operators, constructors of values.
#pragma once

#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "expression/ast.h"
#include "expression/formats.h"
#include "expression/machine.h"
#include "expression/node.h"

namespace jaque::expression {

class IdentityNode final : public Node {
 public:
  IdentityNode() : Node(true) {}
  const Value* Eval(Context&, const Value& in, Frame*, Value*) const override { return &in; }
  bool Move(Context&, Value*, Frame*) const override { return true; }
  int Trace(Tracer&, int dot) const override { return dot; }

 private:
  void Run(Machine& machine) const override { machine.Return(); }
};

class LiteralNode final : public Node {
 public:
  explicit LiteralNode(Value value) : value_(std::move(value)) {}
  const Value* Eval(Context&, const Value&, Frame*, Value*) const override { return &value_; }
  int Trace(Tracer&, int) const override;
  const Value& value() const { return value_; }

 private:
  Value value_;
};

class EmptyNode final : public Node {
 public:
  const Value* Eval(Context&, const Value&, Frame*, Value*) const override { return nullptr; }
  int Trace(Tracer&, int) const override;
};

// A variable of this or an enclosing function.
class VariableNode final : public Node {
 public:
  VariableNode(uint32_t hops, uint32_t slot) : hops_(hops), slot_(slot) {}
  const Value* Eval(Context&, const Value&, Frame* frame, Value*) const override {
    return frame->Up(hops_)->slot(slot_);
  }
  int Trace(Tracer&, int) const override;

 private:
  uint32_t hops_;
  uint32_t slot_;
};

// A free variable, which the caller provides.
class GlobalNode final : public Node {
 public:
  explicit GlobalNode(uint32_t index) : index_(index) {}
  const Value* Eval(Context& context, const Value&, Frame*, Value*) const override {
    return context.Variable(index_);
  }
  int Trace(Tracer&, int) const override { return static_cast<int>(index_) + 1; }

 private:
  uint32_t index_;
};

class PipeNode final : public Node {
 public:
  explicit PipeNode(const std::vector<const Node*>& stages);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  bool Move(Context& context, Value* value, Frame* frame) const override;
  bool Stream(Context& context, const Value& in, Frame* frame, Sink sink) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  class Rest;
  bool StreamFrom(size_t stage, Context& context, const Value& in, Value* owned, Frame* frame,
                  Sink sink) const;
  void Run(Machine& machine) const override;
  void RunFrom(Machine& machine, size_t stage) const;
};

class CommaNode final : public Node {
 public:
  explicit CommaNode(const std::vector<const Node*>& parts);
  bool Stream(Context& context, const Value& in, Frame* frame, Sink sink) const override;
  void Retry(Machine& machine) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  void Run(Machine& machine) const override;
};

// Works on the outputs of its operands: on each combination, the first operand varying slowest.
class OperatorNode : public Node {
 public:
  using Operands = absl::InlinedVector<Value, 3>;

  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  int Trace(Tracer& tracer, int dot) const override;

 protected:
  explicit OperatorNode(const std::vector<const Node*>& operands);
  // `operands` may be consumed. False: no output or a failure.
  virtual bool Combine(Context& context, const Value& in, Value* operands, Value* out) const = 0;
  // Whether to go on after the last of `done`; false: a failure. Only where there are several
  // outputs: else the node looks itself.
  virtual bool Accept(Context&, const Value& /*in*/, const Operands& /*done*/) const {
    return true;
  }
  // What Trace makes of `.`, which Combine gets.
  virtual bool reads_dot() const { return false; }

 private:
  class Waiting;
  void Run(Machine& machine) const override;
  void Proceed(Machine& machine, Value input, Operands done) const;
};

// The right operand is evaluated first, as in jq.
class BinaryNode final : public OperatorNode {
 public:
  BinaryNode(Op op, const Node* left, const Node* right);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  bool Move(Context& context, Value* value, Frame* frame) const override;

 private:
  bool Combine(Context& context, const Value& in, Value* operands, Value* out) const override;
  const Value* Finish(Context& context, const Value* left, const Value& right, Value* tmp) const;

  Op op_;
};

class NegateNode final : public OperatorNode {
 public:
  explicit NegateNode(const Node* operand) : OperatorNode({operand}) {}

 private:
  bool Combine(Context& context, const Value& in, Value* operands, Value* out) const override;
};

// A string with interpolations: texts[0] part[0] texts[1] … The last part varies slowest.
class StringNode final : public OperatorNode {
 public:
  StringNode(std::vector<std::string> texts, const std::vector<const Node*>& parts, Format format);

 private:
  bool Combine(Context& context, const Value& in, Value* operands, Value* out) const override;

  std::vector<std::string> texts_;
  Format format_;
};

// `@name`.
class FormatNode final : public OperatorNode {
 public:
  FormatNode(Format format, const Node* operand) : OperatorNode({operand}), format_(format) {}

 private:
  bool Combine(Context& context, const Value& in, Value* operands, Value* out) const override;

  Format format_;
};

// An object; keys and values in turn. `field_values[i]`: the value is `.[key]`, its node is unused.
class ObjectNode final : public OperatorNode {
 public:
  ObjectNode(const std::vector<const Node*>& keys_and_values, std::vector<bool> field_values);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;

 private:
  bool Combine(Context& context, const Value& in, Value* operands, Value* out) const override;
  bool Accept(Context& context, const Value& in, const Operands& done) const override;
  bool reads_dot() const override { return any_field_; }
  bool Put(Context& context, const Value& in, size_t entry, const Value& key, Value value,
           Value* out) const;

  std::vector<bool> field_values_;
  bool any_field_ = false;
};

// A built-in function in C++: `value` is the input and becomes the output. False: none or a
// failure.
using NativeFunction = bool (*)(Context& context, Value* value, Value* arguments);

// The last argument varies slowest, as in jq.
class NativeNode final : public OperatorNode {
 public:
  NativeNode(NativeFunction function, const std::vector<const Node*>& arguments);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  bool Move(Context& context, Value* value, Frame* frame) const override;

 private:
  bool Combine(Context& context, const Value& in, Value* operands, Value* out) const override;
  bool reads_dot() const override { return true; }
  bool EvalArguments(Context& context, const Value& in, Frame* frame, Operands* arguments) const;

  NativeFunction function_;
};

}  // namespace jaque::expression
