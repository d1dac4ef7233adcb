// SPDX-License-Identifier: Apache-2.0
#include "expression/node.h"

#include <algorithm>

#include "base/status_macros.h"
#include "expression/machine.h"
#include "expression/tracer.h"

namespace jaque::expression {
namespace {

// After a node that knows nothing of paths: its output has none, unless it is the very value there.
class PathContinuation final : public Continuation {
 public:
  explicit PathContinuation(const State& state) : path_(state.path), at_(state.at) {}

  void Resume(Machine& machine, bool) override {
    machine.state().path = path_;
    machine.state().at = at_;
    machine.Return();
  }

 private:
  Value path_;
  Value at_;
};

}  // namespace

void Node::Adopt(const Node* child) {
  children_.push_back(child);
  height_ = std::max(height_, child->height_ + 1);
  AtLeast(child->shape_);
  if (height_ > kDirectHeight) shape_ = Shape::kMachine;
}

const Value* Node::Eval(Context&, const Value&, Frame*, Value*) const {
  JAQUE_CHECK(false && "no scalar");
  return nullptr;
}

bool Node::Move(Context& context, Value* value, Frame* frame) const {
  Value tmp;
  const Value* output = Eval(context, *value, frame, &tmp);
  if (output == nullptr) return false;
  if (output == &tmp) {
    *value = std::move(tmp);
  } else if (output != value) {
    *value = Value(*output);
  }
  return true;
}

bool Node::Stream(Context& context, const Value& in, Frame* frame, Sink sink) const {
  Value tmp;
  const Value* output = Eval(context, in, frame, &tmp);
  if (output == nullptr) return !context.failed();
  return sink(*output, output == &tmp ? &tmp : nullptr);
}

void Node::Start(Machine& machine) const {
  const bool tracks = machine.tracks_path();
  if (scalar() && !(tracks && paths_)) {
    // The registers' value is consumed: forks that need it hold their own.
    Frame* frame = machine.frame();
    if (Move(machine.context(), &machine.value(), frame)) return machine.Return();
    return machine.Nothing();
  }
  if (tracks && !paths_) {
    machine.Push(new PathContinuation(machine.state()));
    machine.state().path = Value();
    machine.state().at = Value();
  }
  Run(machine);
}

void Node::Retry(Machine&) const { JAQUE_CHECK(false && "no fork of this node"); }

void Node::Run(Machine&) const { JAQUE_CHECK(false && "scalar only"); }

int Node::Trace(Tracer& tracer, int dot) const {
  tracer.Escapes(dot);
  for (const Node* child : children_) tracer.Escapes(child->Trace(tracer, Tracer::kOther));
  return Tracer::kOther;
}

}  // namespace jaque::expression
