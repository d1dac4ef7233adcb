// SPDX-License-Identifier: Apache-2.0
#include "expression/nodes_basic.h"

#include "expression/tracer.h"

namespace jaque::expression {

int LiteralNode::Trace(Tracer&, int) const { return Tracer::kOther; }
int EmptyNode::Trace(Tracer&, int) const { return Tracer::kOther; }
int VariableNode::Trace(Tracer& tracer, int) const { return tracer.SlotOrigin(hops_, slot_); }

// --- pipe ---

class PipeNode::Rest final : public Continuation {
 public:
  Rest(const PipeNode* pipe, size_t stage, FrameRef frame)
      : pipe_(pipe), stage_(stage), frame_(std::move(frame)) {}
  void Resume(Machine& machine, bool) override {
    machine.set_frame(frame_);
    pipe_->RunFrom(machine, stage_);
  }

 private:
  const PipeNode* pipe_;
  size_t stage_;
  FrameRef frame_;
};

PipeNode::PipeNode(const std::vector<const Node*>& stages) : Node(true) {
  for (const Node* stage : stages) Adopt(stage);
}

const Value* PipeNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  const Value* value = &in;
  for (const Node* stage : children_) {
    if (value == tmp) {
      if (!stage->Move(context, tmp, frame)) return nullptr;
      continue;
    }
    value = stage->Eval(context, *value, frame, tmp);
    if (value == nullptr) return nullptr;
  }
  return value;
}

bool PipeNode::Move(Context& context, Value* value, Frame* frame) const {
  for (const Node* stage : children_) {
    if (!stage->Move(context, value, frame)) return false;
  }
  return true;
}

bool PipeNode::Stream(Context& context, const Value& in, Frame* frame, Sink sink) const {
  return StreamFrom(0, context, in, nullptr, frame, sink);
}

bool PipeNode::StreamFrom(size_t stage, Context& context, const Value& in, Value* owned,
                          Frame* frame, Sink sink) const {
  const Node* node = children_[stage];
  if (stage + 1 == children_.size()) {
    if (node->scalar() && owned != nullptr) {
      if (!node->Move(context, owned, frame)) return !context.failed();
      return sink(*owned, owned);
    }
    return node->Stream(context, in, frame, sink);
  }
  if (node->scalar()) {
    Value tmp;
    const Value* output = &in;
    if (owned != nullptr) {
      if (!node->Move(context, owned, frame)) return !context.failed();
      return StreamFrom(stage + 1, context, *owned, owned, frame, sink);
    }
    output = node->Eval(context, in, frame, &tmp);
    if (output == nullptr) return !context.failed();
    return StreamFrom(stage + 1, context, *output, output == &tmp ? &tmp : nullptr, frame, sink);
  }
  return node->Stream(context, in, frame, [&](const Value& output, Value* own) {
    return StreamFrom(stage + 1, context, output, own, frame, sink);
  });
}

void PipeNode::RunFrom(Machine& machine, size_t stage) const {
  if (stage + 1 < children_.size()) {
    machine.Push(new Rest(this, stage + 1, machine.frame_ref()));
  }
  machine.Eval(children_[stage]);
}

void PipeNode::Run(Machine& machine) const { RunFrom(machine, 0); }

int PipeNode::Trace(Tracer& tracer, int dot) const {
  for (const Node* stage : children_) dot = stage->Trace(tracer, dot);
  return dot;
}

// --- comma ---

CommaNode::CommaNode(const std::vector<const Node*>& parts) : Node(true) {
  AtLeast(Shape::kStream);
  for (const Node* part : parts) Adopt(part);
}

bool CommaNode::Stream(Context& context, const Value& in, Frame* frame, Sink sink) const {
  for (const Node* part : children_) {
    if (!part->Stream(context, in, frame, sink)) return false;
  }
  return true;
}

void CommaNode::Run(Machine& machine) const {
  machine.PushFork(this).n = 1;
  machine.Eval(children_[0]);
}

void CommaNode::Retry(Machine& machine) const {
  const auto n = static_cast<size_t>(machine.top().n++);
  machine.RestoreTop(n + 1 == children_.size());
  machine.Eval(children_[n]);
}

int CommaNode::Trace(Tracer& tracer, int dot) const {
  int result = children_[0]->Trace(tracer, dot);
  for (size_t i = 1; i < children_.size(); ++i) {
    result = tracer.Either(result, children_[i]->Trace(tracer, dot));
  }
  return result;
}

}  // namespace jaque::expression
