// SPDX-License-Identifier: Apache-2.0
// Choices and errors; bindings and arrays are in nodes_bind.cc.
#include "expression/nodes_flow.h"

#include "expression/tracer.h"

namespace jaque::expression {

// --- if ---

class IfNode::Waiting final : public Continuation {
 public:
  Waiting(const IfNode* node, const State& state, FrameRef frame)
      : node_(node), state_(state), frame_(std::move(frame)) {}
  void Resume(Machine& machine, bool alone) override {
    const bool truth = machine.value().truthy();
    machine.state() = alone ? std::move(state_) : state_;
    machine.set_frame(frame_);
    machine.Eval(node_->children_[truth ? 1 : 2]);
  }

 private:
  const IfNode* node_;
  State state_;
  FrameRef frame_;
};

IfNode::IfNode(const Node* condition, const Node* then, const Node* otherwise) : Node(true) {
  Adopt(condition);
  if (!scalar()) AtLeast(Shape::kMachine);
  Adopt(then);
  Adopt(otherwise);
}

const Node* IfNode::Choose(Context& context, const Value& in, Frame* frame) const {
  Value tmp;
  const Value* condition = children_[0]->Eval(context, in, frame, &tmp);
  if (condition == nullptr) return nullptr;
  return children_[condition->truthy() ? 1 : 2];
}

const Value* IfNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  const Node* branch = Choose(context, in, frame);
  return branch == nullptr ? nullptr : branch->Eval(context, in, frame, tmp);
}

bool IfNode::Move(Context& context, Value* value, Frame* frame) const {
  const Node* branch = Choose(context, *value, frame);
  return branch != nullptr && branch->Move(context, value, frame);
}

bool IfNode::Stream(Context& context, const Value& in, Frame* frame, Sink sink) const {
  const Node* branch = Choose(context, in, frame);
  if (branch == nullptr) return !context.failed();
  return branch->Stream(context, in, frame, sink);
}

void IfNode::Run(Machine& machine) const {
  if (children_[0]->scalar()) {
    const Node* branch = Choose(machine.context(), machine.value(), machine.frame());
    return branch == nullptr ? machine.Nothing() : machine.Eval(branch);
  }
  machine.Push(new Waiting(this, machine.state(), machine.frame_ref()));
  machine.state().path = Value();
  machine.state().at = Value();
  machine.Eval(children_[0]);
}

int IfNode::Trace(Tracer& tracer, int dot) const {
  tracer.Uses(children_[0]->Trace(tracer, dot));
  const int then = children_[1]->Trace(tracer, dot);
  return tracer.Either(then, children_[2]->Trace(tracer, dot));
}

// --- and, or ---

class LogicNode::WaitingForRight final : public Continuation {
 public:
  void Resume(Machine& machine, bool) override {
    machine.Return(Value::Bool(machine.value().truthy()));
  }
};

class LogicNode::WaitingForLeft final : public Continuation {
 public:
  WaitingForLeft(const LogicNode* node, Value input, FrameRef frame)
      : node_(node), input_(std::move(input)), frame_(std::move(frame)) {}
  void Resume(Machine& machine, bool) override {
    const bool truth = machine.value().truthy();
    if (truth != node_->conjunction_) return machine.Return(Value::Bool(truth));
    machine.value() = input_;
    machine.set_frame(frame_);
    machine.Push(new WaitingForRight);
    machine.Eval(node_->children_[1]);
  }

 private:
  const LogicNode* node_;
  Value input_;
  FrameRef frame_;
};

LogicNode::LogicNode(bool conjunction, const Node* left, const Node* right)
    : conjunction_(conjunction) {
  Adopt(left);
  Adopt(right);
  if (!scalar()) AtLeast(Shape::kMachine);
}

const Value* LogicNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  for (const Node* side : children_) {
    Value own;
    const Value* value = side->Eval(context, in, frame, &own);
    if (value == nullptr) return nullptr;
    const bool truth = value->truthy();
    *tmp = Value::Bool(truth);
    if (truth != conjunction_) break;
  }
  return tmp;
}

void LogicNode::Run(Machine& machine) const {
  machine.Push(new WaitingForLeft(this, machine.value(), machine.frame_ref()));
  machine.Eval(children_[0]);
}

int LogicNode::Trace(Tracer& tracer, int dot) const {
  for (const Node* side : children_) tracer.Uses(side->Trace(tracer, dot));
  return Tracer::kOther;
}

// --- try ---

void EndTry(Machine& machine, size_t index) {
  if (machine.forks() == index + 1) {
    machine.PopFork();  // nothing of it is left
  } else {
    machine.PushMark(Fork::Kind::kTryEnd, static_cast<int64_t>(index));
  }
}

class TryNode::Waiting final : public Continuation {
 public:
  explicit Waiting(size_t index) : index_(index) {}
  void Resume(Machine& machine, bool) override {
    EndTry(machine, index_);
    machine.Return();
  }

 private:
  size_t index_;
};

TryNode::TryNode(const Node* body, const Node* handler) : Node(true), handler_(handler) {
  Adopt(body);
  if (handler != nullptr) Adopt(handler);
}

const Value* TryNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  const Value* output = children_[0]->Eval(context, in, frame, tmp);
  if (output != nullptr || !context.failed() || context.failed_for_good()) return output;
  const Value error = context.TakeError();
  if (handler_ == nullptr) return nullptr;
  Value own;
  output = handler_->Eval(context, error, frame, &own);
  if (output == nullptr) return nullptr;
  *tmp = output == &own ? std::move(own) : Value(*output);
  return tmp;
}

bool TryNode::Stream(Context& context, const Value& in, Frame* frame, Sink sink) const {
  bool sink_ended = false;
  const auto guarded = [&](const Value& output, Value* owned) {
    if (sink(output, owned)) return true;
    sink_ended = true;
    return false;
  };
  if (children_[0]->Stream(context, in, frame, guarded)) return true;
  if (sink_ended || !context.failed() || context.failed_for_good()) return false;
  const Value error = context.TakeError();
  return handler_ == nullptr || handler_->Stream(context, error, frame, sink);
}

void TryNode::Run(Machine& machine) const {
  const size_t index = machine.forks();
  machine.PushFork(this, Fork::Kind::kTry);
  machine.Push(new Waiting(index));
  machine.Eval(children_[0]);
}

void TryNode::Retry(Machine& machine) const {
  if (!machine.context().failed()) {
    machine.PopFork();
    return machine.Backtrack();
  }
  Value error = machine.context().TakeError();
  machine.RestoreTop(true);
  if (handler_ == nullptr) return machine.Backtrack();
  machine.value() = std::move(error);
  machine.Eval(handler_);
}

int TryNode::Trace(Tracer& tracer, int dot) const {
  const int body = children_[0]->Trace(tracer, dot);
  if (handler_ == nullptr) return body;
  return tracer.Either(body, handler_->Trace(tracer, Tracer::kOther));
}

// --- // ---

class AlternativeNode::Waiting final : public Continuation {
 public:
  Waiting(size_t index, CellRef cell) : index_(index), cell_(std::move(cell)) {}
  void Resume(Machine& machine, bool) override {
    if (!machine.value().truthy()) return machine.Backtrack();
    cell_->count = 1;
    EndTry(machine, index_);
    machine.Return();
  }

 private:
  size_t index_;
  CellRef cell_;  // its count: whether there was a true output
};

AlternativeNode::AlternativeNode(const Node* left, const Node* right) : Node(true) {
  Adopt(left);
  Adopt(right);
}

const Value* AlternativeNode::Eval(Context& context, const Value& in, Frame* frame,
                                   Value* tmp) const {
  const Value* output = children_[0]->Eval(context, in, frame, tmp);
  if (output != nullptr && output->truthy()) return output;
  if (context.failed()) {
    if (context.failed_for_good()) return nullptr;
    context.TakeError();
  }
  return children_[1]->Eval(context, in, frame, tmp);
}

bool AlternativeNode::Stream(Context& context, const Value& in, Frame* frame, Sink sink) const {
  bool found = false;
  bool sink_ended = false;
  const auto filtered = [&](const Value& output, Value* owned) {
    if (!output.truthy()) return true;
    found = true;
    if (sink(output, owned)) return true;
    sink_ended = true;
    return false;
  };
  if (!children_[0]->Stream(context, in, frame, filtered)) {
    if (sink_ended || !context.failed() || context.failed_for_good()) return false;
    context.TakeError();
  }
  return found || children_[1]->Stream(context, in, frame, sink);
}

void AlternativeNode::Run(Machine& machine) const {
  const size_t index = machine.forks();
  CellRef cell = CellRef::Make();
  machine.PushFork(this, Fork::Kind::kTry).cell = cell;
  machine.Push(new Waiting(index, std::move(cell)));
  machine.Eval(children_[0]);
}

void AlternativeNode::Retry(Machine& machine) const {
  if (machine.context().failed()) machine.context().TakeError();
  if (machine.top().cell->count > 0) {
    machine.PopFork();
    return machine.Backtrack();
  }
  machine.RestoreTop(true);
  machine.Eval(children_[1]);
}

int AlternativeNode::Trace(Tracer& tracer, int dot) const {
  const int left = children_[0]->Trace(tracer, dot);
  return tracer.Either(left, children_[1]->Trace(tracer, dot));
}

}  // namespace jaque::expression
