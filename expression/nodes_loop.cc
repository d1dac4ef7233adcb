// SPDX-License-Identifier: Apache-2.0
// reduce, foreach, until; ranges and limits are in nodes_range.cc.
#include "expression/nodes_loop.h"

#include "expression/tracer.h"

namespace jaque::expression {
namespace {

// The state while the update of it is under way is null, which is also what an empty update leaves.
bool UpdateState(Context& context, const Node* update, Value* state, Frame* frame) {
  if (update->Move(context, state, frame)) return true;
  if (context.failed()) return false;
  *state = Value();
  return true;
}

// As in jq, each round starts at the path of the first, with the state as its value.
State TakeState(const CellRef& cell) {
  State state = {std::move(cell->state.value), cell->state.path, cell->state.at};
  cell->state.value = Value();
  return state;
}

}  // namespace

// --- reduce ---

ReduceNode::ReduceNode(const Node* source, uint32_t slot, const Node* start, const Node* update)
    : Node(true), slot_(slot) {
  Adopt(start);
  Adopt(update);
  const bool direct = scalar();
  Adopt(source);
  if (streams()) Narrow(direct ? Shape::kScalar : Shape::kMachine);
}

const Value* ReduceNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  Value state;
  const Value* start = children_[0]->Eval(context, in, frame, &state);
  if (start == nullptr) return nullptr;
  if (start != &state) state = *start;
  const auto step = [&](const Value& item, Value* owned) {
    *frame->slot(slot_) = Take(item, owned);
    return UpdateState(context, children_[1], &state, frame);
  };
  if (!children_[2]->Stream(context, in, frame, step)) return nullptr;
  *tmp = std::move(state);
  return tmp;
}

class ReduceNode::WaitingForUpdate final : public Continuation {
 public:
  explicit WaitingForUpdate(CellRef cell) : cell_(std::move(cell)) {}
  void Resume(Machine& machine, bool) override {
    cell_->state.value = std::move(machine.value());
    machine.Backtrack();
  }

 private:
  CellRef cell_;
};

class ReduceNode::WaitingForItem final : public Continuation {
 public:
  WaitingForItem(const ReduceNode* node, CellRef cell, FrameRef frame)
      : node_(node), cell_(std::move(cell)), frame_(std::move(frame)) {}
  void Resume(Machine& machine, bool) override {
    *frame_->slot(node_->slot_) = std::move(machine.value());
    machine.set_frame(frame_);
    machine.state() = TakeState(cell_);
    machine.Push(new WaitingForUpdate(cell_));
    machine.Eval(node_->children_[1]);
  }

 private:
  const ReduceNode* node_;
  CellRef cell_;
  FrameRef frame_;
};

class ReduceNode::WaitingForStart final : public Continuation {
 public:
  WaitingForStart(const ReduceNode* node, const State& input, FrameRef frame)
      : node_(node), input_(input), frame_(std::move(frame)) {}
  void Resume(Machine& machine, bool) override {
    machine.set_frame(frame_);
    node_->Begin(machine, input_);
  }

 private:
  const ReduceNode* node_;
  State input_;
  FrameRef frame_;
};

void ReduceNode::Run(Machine& machine) const {
  machine.Push(new WaitingForStart(this, machine.state(), machine.frame_ref()));
  machine.Eval(children_[0]);
}

// The registers hold the first state; the source runs on the input, without a path.
void ReduceNode::Begin(Machine& machine, const State& input) const {
  CellRef cell = CellRef::Make();
  cell->state = std::move(machine.state());
  machine.state() = State();
  machine.PushFork(this).cell = cell;
  machine.Push(new WaitingForItem(this, std::move(cell), machine.frame_ref()));
  machine.value() = input.value;
  machine.Eval(children_[2]);
}

void ReduceNode::Retry(Machine& machine) const {
  const CellRef cell = machine.top().cell;
  machine.RestoreTop(true);
  machine.state() = std::move(cell->state);
  machine.Return();
}

int ReduceNode::Trace(Tracer& tracer, int dot) const {
  tracer.Bind(slot_, children_[2]->Trace(tracer, dot));
  tracer.Escapes(children_[0]->Trace(tracer, dot));
  tracer.Escapes(children_[1]->Trace(tracer, Tracer::kOther));
  return Tracer::kOther;
}

// --- foreach ---

ForeachNode::ForeachNode(const Node* source, uint32_t slot, const Node* start, const Node* update,
                         const Node* extract)
    : Node(true), slot_(slot), extract_(extract) {
  Adopt(start);
  Adopt(update);
  if (!scalar()) AtLeast(Shape::kMachine);
  AtLeast(Shape::kStream);
  Adopt(source);
  if (extract != nullptr) Adopt(extract);
}

bool ForeachNode::Stream(Context& context, const Value& in, Frame* frame, Sink sink) const {
  Value state;
  const Value* start = children_[0]->Eval(context, in, frame, &state);
  if (start == nullptr) return !context.failed();
  if (start != &state) state = *start;
  return children_[2]->Stream(context, in, frame, [&](const Value& item, Value* owned) {
    *frame->slot(slot_) = Take(item, owned);
    if (!children_[1]->Move(context, &state, frame)) {
      if (context.failed()) return false;
      state = Value();
      return true;
    }
    if (extract_ == nullptr) return sink(state, nullptr);
    const Value keep = state;
    return extract_->Stream(context, keep, frame, sink);
  });
}

class ForeachNode::WaitingForUpdate final : public Continuation {
 public:
  WaitingForUpdate(const ForeachNode* node, CellRef cell, FrameRef frame)
      : node_(node), cell_(std::move(cell)), frame_(std::move(frame)) {}
  void Resume(Machine& machine, bool) override {
    cell_->state.value = machine.value();
    if (node_->extract_ == nullptr) return machine.Return();
    machine.set_frame(frame_);
    machine.Eval(node_->extract_);
  }

 private:
  const ForeachNode* node_;
  CellRef cell_;
  FrameRef frame_;
};

class ForeachNode::WaitingForItem final : public Continuation {
 public:
  WaitingForItem(const ForeachNode* node, CellRef cell, FrameRef frame)
      : node_(node), cell_(std::move(cell)), frame_(std::move(frame)) {}
  void Resume(Machine& machine, bool) override {
    *frame_->slot(node_->slot_) = std::move(machine.value());
    machine.set_frame(frame_);
    machine.state() = TakeState(cell_);
    machine.Push(new WaitingForUpdate(node_, cell_, frame_));
    machine.Eval(node_->children_[1]);
  }

 private:
  const ForeachNode* node_;
  CellRef cell_;
  FrameRef frame_;
};

class ForeachNode::WaitingForStart final : public Continuation {
 public:
  WaitingForStart(const ForeachNode* node, const State& input, FrameRef frame)
      : node_(node), input_(input), frame_(std::move(frame)) {}
  void Resume(Machine& machine, bool) override {
    machine.set_frame(frame_);
    node_->Begin(machine, input_);
  }

 private:
  const ForeachNode* node_;
  State input_;
  FrameRef frame_;
};

void ForeachNode::Run(Machine& machine) const {
  machine.Push(new WaitingForStart(this, machine.state(), machine.frame_ref()));
  machine.Eval(children_[0]);
}

void ForeachNode::Begin(Machine& machine, const State& input) const {
  CellRef cell = CellRef::Make();
  cell->state = std::move(machine.state());
  machine.state() = State();
  machine.Push(new WaitingForItem(this, std::move(cell), machine.frame_ref()));
  machine.value() = input.value;
  machine.Eval(children_[2]);
}

int ForeachNode::Trace(Tracer& tracer, int dot) const {
  tracer.Bind(slot_, children_[2]->Trace(tracer, dot));
  tracer.Escapes(children_[0]->Trace(tracer, dot));
  tracer.Escapes(children_[1]->Trace(tracer, Tracer::kOther));
  if (extract_ != nullptr) tracer.Escapes(extract_->Trace(tracer, Tracer::kOther));
  return Tracer::kOther;
}

// --- until ---

UntilNode::UntilNode(const Node* condition, const Node* update) {
  Adopt(condition);
  Adopt(update);
}

const Value* UntilNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  *tmp = in;
  return Move(context, tmp, frame) ? tmp : nullptr;
}

bool UntilNode::Move(Context& context, Value* value, Frame* frame) const {
  for (;;) {
    if (!context.Step()) return false;
    Value own;
    const Value* done = children_[0]->Eval(context, *value, frame, &own);
    if (done == nullptr) return false;
    if (done->truthy()) return true;
    if (!children_[1]->Move(context, value, frame)) return false;
  }
}

}  // namespace jaque::expression
