// SPDX-License-Identifier: Apache-2.0
#include "expression/nodes_call.h"

#include "expression/tracer.h"

namespace jaque::expression {

CallNode::CallNode(const Code* code, uint32_t hops, std::vector<Argument> arguments)
    : Node(true), code_(code), hops_(hops), arguments_(std::move(arguments)) {
  AtLeast(Shape::kMachine);
}

// A call in the last place pushes nothing: it can go on for ever in bounded memory.
void CallNode::Run(Machine& machine) const {
  Frame* caller = machine.frame();
  FrameRef callee = FrameRef::Make(*code_, caller->Up(hops_));
  for (uint32_t i = 0; i < arguments_.size(); ++i) {
    const Argument& argument = arguments_[i];
    Closure* closure = callee->closure(i);
    switch (argument.kind) {
      case Argument::Kind::kCode:
        *closure = {argument.code, caller};
        ++caller->refs;
        break;
      case Argument::Kind::kClosure:
        *closure = *caller->Up(argument.hops)->closure(argument.index);
        if (closure->frame != nullptr) ++closure->frame->refs;
        break;
      case Argument::Kind::kValue: {
        Value* slot = callee->slot(argument.slot);
        Value tmp;
        const Value* value = argument.node->Eval(machine.context(), machine.value(), caller, &tmp);
        if (value == nullptr) return machine.Nothing();
        *slot = value == &tmp ? std::move(tmp) : *value;
        break;
      }
    }
  }
  machine.set_frame(std::move(callee));
  machine.Eval(code_->body);
}

int CallNode::Trace(Tracer& tracer, int dot) const {
  tracer.Escapes(dot);
  const uint32_t depth = tracer.function_depth();
  for (const Argument& argument : arguments_) {
    if (argument.kind == Argument::Kind::kValue) {
      tracer.Escapes(argument.node->Trace(tracer, dot));
    } else if (argument.kind == Argument::Kind::kCode) {
      tracer.TraceCode(*argument.code, depth + (argument.code->own_frame ? 1 : 0));
    }
  }
  tracer.TraceCode(*code_, depth - hops_ + 1);
  return Tracer::kOther;
}

ClosureNode::ClosureNode(uint32_t hops, uint32_t index) : Node(true), hops_(hops), index_(index) {
  AtLeast(Shape::kMachine);
}

void ClosureNode::Run(Machine& machine) const {
  const Closure closure = *machine.frame()->Up(hops_)->closure(index_);
  if (closure.code->own_frame) {
    machine.set_frame(FrameRef::Make(*closure.code, closure.frame));
  } else {
    machine.set_frame(FrameRef(closure.frame));
  }
  machine.Eval(closure.code->body);
}

int ClosureNode::Trace(Tracer& tracer, int dot) const {
  tracer.Escapes(dot);
  return Tracer::kOther;
}

// --- tracer ---

int Tracer::SlotOrigin(uint32_t hops, uint32_t slot) const {
  if (hops != function_depth_) return kOther;
  const auto found = slots_.find(slot);
  return found == slots_.end() ? kOther : found->second;
}

void Tracer::Bind(uint32_t slot, int root) {
  const auto found = slots_.find(slot);
  if (function_depth_ > 0) {
    Escapes(root);
  } else if (found == slots_.end() || found->second == root) {
    slots_[slot] = root;
  } else {
    Escapes(found->second);
    Escapes(root);
    found->second = kOther;
  }
}

void Tracer::TraceCode(const Code& code, uint32_t function_depth) {
  if (!traced_.insert(&code).second) return;
  const uint32_t outer = function_depth_;
  function_depth_ = function_depth;
  Escapes(code.body->Trace(*this, kOther));
  function_depth_ = outer;
}

}  // namespace jaque::expression
