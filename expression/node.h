// SPDX-License-Identifier: Apache-2.0
// A compiled expression: a tree of nodes, immutable, shared by threads. A node can be run in up to
// three ways, by its shape:
//   kScalar   at most one output: Eval returns it, by plain recursion (the tree's height is
//   bounded) kStream   any number of outputs without recursion of functions: Stream pushes them to
//   a sink kMachine  anything: Start runs it on the Machine, whose stack is on the heap
// Each shape includes the ones above it: a scalar can stream, and all can start.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "expression/context.h"
#include "expression/value.h"

namespace jaque::expression {

class Machine;
struct Fork;
class Tracer;

enum class Shape : uint8_t { kScalar, kStream, kMachine };

// Gets an output; `owned` is the same value where it may be moved away, else null. False: no more.
using Sink = absl::FunctionRef<bool(const Value& output, Value* owned)>;

inline Value Take(const Value& output, Value* owned) {
  return owned != nullptr ? std::move(*owned) : output;
}

class Node {
 public:
  virtual ~Node() = default;

  Shape shape() const { return shape_; }
  bool scalar() const { return shape_ == Shape::kScalar; }
  bool streams() const { return shape_ != Shape::kMachine; }
  const std::vector<const Node*>& children() const { return children_; }

  // The output, in `tmp` or borrowed from `in`, a frame or the node: valid until one of them
  // changes. nullptr: no output, or a failure. Scalars only.
  virtual const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const;
  // The same for an input that may be consumed: `value` becomes the output. False: none.
  virtual bool Move(Context& context, Value* value, Frame* frame) const;
  // Scalars and streams only. False: the sink said so, or a failure.
  virtual bool Stream(Context& context, const Value& in, Frame* frame, Sink sink) const;

  // Runs on the machine: its registers are the input, one of Machine's endings must be called.
  void Start(Machine& machine) const;
  // Called on backtracking to a fork of this node, which is still on top.
  virtual void Retry(Machine& machine) const;

  // Tells what it reads of `.` and of variables, where `dot` is what `.` is (tracer.h).
  virtual int Trace(Tracer& tracer, int dot) const;

 protected:
  // A tree higher than this runs on the machine.
  static constexpr uint32_t kDirectHeight = 100;

  // `paths`: the node can extend a path, or lets others do it; the rest is run without.
  explicit Node(bool paths = false) : paths_(paths) {}
  // To be called by constructors: the shape is at least this child's.
  void Adopt(const Node* child);
  void AtLeast(Shape shape) {
    if (shape > shape_) shape_ = shape;
  }
  // Where gathering children makes one output of many.
  void Narrow(Shape shape) { shape_ = shape; }
  virtual void Run(Machine& machine) const;

  std::vector<const Node*> children_;

 private:
  Shape shape_ = Shape::kScalar;
  bool paths_;
  uint32_t height_ = 1;
};

}  // namespace jaque::expression
