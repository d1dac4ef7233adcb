// SPDX-License-Identifier: Apache-2.0
// Nodes that go into a value, and so extend a path where one is tracked.
#pragma once

#include <vector>

#include "expression/machine.h"
#include "expression/node.h"

namespace jaque::expression {

// `target.a.b`: keys are strings or numbers that do not depend on the input.
class FieldNode final : public Node {
 public:
  FieldNode(const Node* target, bool on_identity, std::vector<Value> keys);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  bool Move(Context& context, Value* value, Frame* frame) const override;
  bool Stream(Context& context, const Value& in, Frame* frame, Sink sink) const override;
  int Trace(Tracer& tracer, int dot) const override;

  bool on_identity() const { return on_identity_; }
  const std::vector<Value>& keys() const { return keys_; }

 private:
  class Waiting;
  const Value* Walk(Context& context, const Value* value, Value* tmp) const;
  void Run(Machine& machine) const override;
  void Finish(Machine& machine) const;

  bool on_identity_;
  std::vector<Value> keys_;
};

// `target[index]`: the index, evaluated on the node's own input, varies slowest.
class IndexNode final : public Node {
 public:
  IndexNode(const Node* target, const Node* index);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  class WaitingForIndex;
  class WaitingForTarget;
  void Run(Machine& machine) const override;
  void RunTarget(Machine& machine, Value key) const;
};

// `target[]`.
class EachNode final : public Node {
 public:
  EachNode(const Node* target, bool on_identity);
  bool Stream(Context& context, const Value& in, Frame* frame, Sink sink) const override;
  void Retry(Machine& machine) const override;
  int Trace(Tracer& tracer, int dot) const override;
  bool on_identity() const { return on_identity_; }

 private:
  class Waiting;
  bool StreamItems(Context& context, const Value& container, Sink sink) const;
  void Run(Machine& machine) const override;
  void Iterate(Machine& machine) const;
  static void Enter(Machine& machine, size_t n);

  bool on_identity_;
};

// `..`. On the machine `recursion` runs instead, jq's own definition of it.
class RecurseNode final : public Node {
 public:
  explicit RecurseNode(const Node* recursion);
  bool Stream(Context& context, const Value& in, Frame* frame, Sink sink) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  void Run(Machine& machine) const override;

  const Node* recursion_;
};

// `path(body)`. `fixed`: the path, where it does not depend on the input.
class PathNode final : public Node {
 public:
  PathNode(const Node* body, std::optional<Value> fixed);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  int Trace(Tracer& tracer, int dot) const override;

 private:
  class Waiting;
  void Run(Machine& machine) const override;

  std::optional<Value> fixed_;
};

// `getpath(path)`.
class GetPathNode final : public Node {
 public:
  explicit GetPathNode(const Node* path);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;

 private:
  class Waiting;
  void Run(Machine& machine) const override;
  static void Finish(Machine& machine, const Value& path);
};

// The registers go on to `value[key]`, and so does the path. False: an error was raised.
bool StepInto(Machine& machine, const Value& key);
bool RaiseNotIterable(Context& context, const Value& value);

}  // namespace jaque::expression
