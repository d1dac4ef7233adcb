// SPDX-License-Identifier: Apache-2.0
// Bindings, labels and `[…]`.
#include "expression/nodes_flow.h"
#include "expression/tracer.h"

namespace jaque::expression {

// --- as ---

class BindNode::Waiting final : public Continuation {
 public:
  Waiting(const BindNode* node, const State& state, FrameRef frame)
      : node_(node), state_(state), frame_(std::move(frame)) {}
  void Resume(Machine& machine, bool alone) override {
    *frame_->slot(node_->slot_) = std::move(machine.value());
    machine.state() = alone ? std::move(state_) : state_;
    machine.set_frame(frame_);
    machine.Eval(node_->children_[1]);
  }

 private:
  const BindNode* node_;
  State state_;
  FrameRef frame_;
};

BindNode::BindNode(const Node* source, uint32_t slot, const Node* body) : Node(true), slot_(slot) {
  Adopt(source);
  Adopt(body);
}

bool BindNode::Set(Context& context, const Value& in, Frame* frame) const {
  Value tmp;
  const Value* value = children_[0]->Eval(context, in, frame, &tmp);
  if (value == nullptr) return false;
  *frame->slot(slot_) = value == &tmp ? std::move(tmp) : *value;
  return true;
}

const Value* BindNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  return Set(context, in, frame) ? children_[1]->Eval(context, in, frame, tmp) : nullptr;
}

bool BindNode::Move(Context& context, Value* value, Frame* frame) const {
  return Set(context, *value, frame) && children_[1]->Move(context, value, frame);
}

bool BindNode::Stream(Context& context, const Value& in, Frame* frame, Sink sink) const {
  return children_[0]->Stream(context, in, frame, [&](const Value& output, Value* owned) {
    *frame->slot(slot_) = Take(output, owned);
    return children_[1]->Stream(context, in, frame, sink);
  });
}

void BindNode::Run(Machine& machine) const {
  if (children_[0]->scalar()) {
    if (!Set(machine.context(), machine.value(), machine.frame())) return machine.Nothing();
    return machine.Eval(children_[1]);
  }
  machine.Push(new Waiting(this, machine.state(), machine.frame_ref()));
  machine.state().path = Value();
  machine.state().at = Value();
  machine.Eval(children_[0]);
}

int BindNode::Trace(Tracer& tracer, int dot) const {
  tracer.Bind(slot_, children_[0]->Trace(tracer, dot));
  return children_[1]->Trace(tracer, dot);
}

// --- parameters ---

ParameterNode::ParameterNode(uint32_t closure, const Node* bind, const Node* body)
    : Node(true), closure_(closure) {
  AtLeast(Shape::kMachine);
  Adopt(bind);
  Adopt(body);
}

void ParameterNode::Run(Machine& machine) const {
  const bool bound = machine.frame()->closure(closure_)->code == nullptr;
  machine.Eval(children_[bound ? 1 : 0]);
}

int ParameterNode::Trace(Tracer& tracer, int dot) const {
  children_[0]->Trace(tracer, dot);
  return Tracer::kOther;
}

// --- ?// ---

AlternativeBindNode::AlternativeBindNode(const std::vector<const Node*>& ways,
                                         std::vector<uint32_t> slots)
    : Node(true), slots_(std::move(slots)) {
  AtLeast(Shape::kMachine);
  for (const Node* way : ways) Adopt(way);
}

void AlternativeBindNode::Run(Machine& machine) const { Enter(machine, 0); }

void AlternativeBindNode::Enter(Machine& machine, size_t way) const {
  for (const uint32_t slot : slots_) *machine.frame()->slot(slot) = Value();
  if (way + 1 < children_.size()) {
    machine.PushFork(this, Fork::Kind::kTry).n = static_cast<int64_t>(way + 1);
  }
  machine.Eval(children_[way]);
}

// As in jq, an error after an output makes it try the next way too.
void AlternativeBindNode::Retry(Machine& machine) const {
  if (!machine.context().failed()) {
    machine.PopFork();
    return machine.Backtrack();
  }
  machine.context().TakeError();
  const auto way = static_cast<size_t>(machine.top().n);
  machine.RestoreTop(true);
  Enter(machine, way);
}

// --- label, break ---

LabelNode::LabelNode(uint32_t slot, const Node* body) : Node(true), slot_(slot) {
  AtLeast(Shape::kMachine);
  Adopt(body);
}

void LabelNode::Run(Machine& machine) const {
  const int64_t label = machine.NewLabel();
  *machine.frame()->slot(slot_) = Value::Int(label);
  machine.PushMark(Fork::Kind::kLabel, label);
  machine.Eval(children_[0]);
}

int LabelNode::Trace(Tracer& tracer, int dot) const { return children_[0]->Trace(tracer, dot); }

BreakNode::BreakNode(uint32_t hops, uint32_t slot) : Node(true), hops_(hops), slot_(slot) {
  AtLeast(Shape::kMachine);
}

void BreakNode::Run(Machine& machine) const {
  machine.Break(machine.frame()->Up(hops_)->slot(slot_)->int_value());
}

int BreakNode::Trace(Tracer&, int) const { return Tracer::kOther; }

// --- […] ---

class CollectNode::Waiting final : public Continuation {
 public:
  explicit Waiting(CellRef cell) : cell_(std::move(cell)) {}
  void Resume(Machine& machine, bool) override {
    cell_->state.value.Append(std::move(machine.value()));
    machine.Backtrack();
  }

 private:
  CellRef cell_;
};

CollectNode::CollectNode(const Node* body) : Node(true) {
  Adopt(body);
  if (streams()) Narrow(Shape::kScalar);
}

const Value* CollectNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  Value array = Value::Array();
  const bool ended =
      children_[0]->Stream(context, in, frame, [&array](const Value& output, Value* owned) {
        array.Append(Take(output, owned));
        return true;
      });
  if (!ended) return nullptr;
  *tmp = std::move(array);
  return tmp;
}

void CollectNode::Run(Machine& machine) const {
  CellRef cell = CellRef::Make();
  cell->state.value = Value::Array();
  machine.PushFork(this).cell = cell;
  machine.Push(new Waiting(std::move(cell)));
  machine.Eval(children_[0]);
}

void CollectNode::Retry(Machine& machine) const {
  const CellRef cell = machine.top().cell;
  machine.RestoreTop(true);
  machine.value() = std::move(cell->state.value);
  if (machine.tracks_path()) machine.state().Judge();
  machine.Return();
}

int CollectNode::Trace(Tracer& tracer, int dot) const {
  tracer.Escapes(children_[0]->Trace(tracer, dot));
  return Tracer::kOther;
}

}  // namespace jaque::expression
