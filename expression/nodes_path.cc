// SPDX-License-Identifier: Apache-2.0
#include "expression/nodes_path.h"

#include "expression/describe.h"
#include "expression/path_access.h"
#include "expression/text.h"
#include "expression/tracer.h"

namespace jaque::expression {

bool StepInto(Machine& machine, const Value& key) {
  State& state = machine.state();
  Context& context = machine.context();
  const bool tracks = machine.tracks_path();
  if (tracks && !machine.PathIntact()) {
    context.Raise(Join({"Invalid path expression near attempt to access element ", ShortJson(key),
                        " of ", ShortJson(state.value)}));
    return false;
  }
  Value tmp;
  const Value* found = Index(context, state.value, key, &tmp);
  if (found == nullptr) return false;
  Value next(found == &tmp ? std::move(tmp) : *found);
  if (tracks) {
    if (!context.Admit(state.path.size() * sizeof(Value))) return false;
    state.path.Append(key);
    state.at = next;
  }
  state.value = std::move(next);
  return true;
}

bool RaiseNotIterable(Context& context, const Value& value) {
  context.Raise(Join({"Cannot iterate over ", TypeName(value), " (", ShortJson(value), ")"}));
  return false;
}

// --- .a.b ---

class FieldNode::Waiting final : public Continuation {
 public:
  explicit Waiting(const FieldNode* node) : node_(node) {}
  void Resume(Machine& machine, bool) override { node_->Finish(machine); }

 private:
  const FieldNode* node_;
};

FieldNode::FieldNode(const Node* target, bool on_identity, std::vector<Value> keys)
    : Node(true), on_identity_(on_identity), keys_(std::move(keys)) {
  Adopt(target);
}

const Value* FieldNode::Walk(Context& context, const Value* value, Value* tmp) const {
  for (const Value& key : keys_) {
    value = Index(context, *value, key, tmp);
    if (value == nullptr) return nullptr;
  }
  return value;
}

const Value* FieldNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  if (on_identity_) return Walk(context, &in, tmp);
  Value own;
  const Value* target = children_[0]->Eval(context, in, frame, &own);
  if (target == nullptr) return nullptr;
  const Value* found = Walk(context, target, tmp);
  if (found == nullptr || target != &own || found == tmp) return found;
  *tmp = *found;  // a part of what ends here
  return tmp;
}

bool FieldNode::Move(Context& context, Value* value, Frame* frame) const {
  if (!on_identity_ && !children_[0]->Move(context, value, frame)) return false;
  Value tmp;
  const Value* found = Walk(context, value, &tmp);
  if (found == nullptr) return false;
  *value = Value(*found);
  return true;
}

bool FieldNode::Stream(Context& context, const Value& in, Frame* frame, Sink sink) const {
  if (scalar()) return Node::Stream(context, in, frame, sink);
  return children_[0]->Stream(context, in, frame, [&](const Value& output, Value*) {
    Value tmp;
    const Value* found = Walk(context, &output, &tmp);
    return found != nullptr && sink(*found, nullptr);
  });
}

void FieldNode::Run(Machine& machine) const {
  if (on_identity_) return Finish(machine);
  machine.Push(new Waiting(this));
  machine.Eval(children_[0]);
}

void FieldNode::Finish(Machine& machine) const {
  for (const Value& key : keys_) {
    if (!StepInto(machine, key)) return machine.Nothing();
  }
  machine.Return();
}

int FieldNode::Trace(Tracer& tracer, int dot) const {
  const int target = children_[0]->Trace(tracer, dot);
  if (keys_[0].is_string()) {
    tracer.Reads(target, keys_[0].str());
  } else {
    tracer.Escapes(target);
  }
  return Tracer::kOther;
}

// --- .[index] ---

class IndexNode::WaitingForIndex final : public Continuation {
 public:
  WaitingForIndex(const IndexNode* node, const State& state, FrameRef frame)
      : node_(node), state_(state), frame_(std::move(frame)) {}
  void Resume(Machine& machine, bool) override {
    Value key = std::move(machine.value());
    machine.state() = state_;
    machine.set_frame(frame_);
    node_->RunTarget(machine, std::move(key));
  }

 private:
  const IndexNode* node_;
  State state_;
  FrameRef frame_;
};

class IndexNode::WaitingForTarget final : public Continuation {
 public:
  explicit WaitingForTarget(Value key) : key_(std::move(key)) {}
  void Resume(Machine& machine, bool) override {
    StepInto(machine, key_) ? machine.Return() : machine.Nothing();
  }

 private:
  Value key_;
};

IndexNode::IndexNode(const Node* target, const Node* index) : Node(true) {
  Adopt(index);
  Adopt(target);
  if (!scalar()) AtLeast(Shape::kMachine);
}

const Value* IndexNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  Value own_key;
  const Value* key = children_[0]->Eval(context, in, frame, &own_key);
  if (key == nullptr) return nullptr;
  Value own;
  const Value* target = children_[1]->Eval(context, in, frame, &own);
  if (target == nullptr) return nullptr;
  const Value* found = Index(context, *target, *key, tmp);
  if (found == nullptr || target != &own || found == tmp) return found;
  *tmp = *found;
  return tmp;
}

void IndexNode::Run(Machine& machine) const {
  if (children_[0]->scalar()) {
    Value tmp;
    const Value* key =
        children_[0]->Eval(machine.context(), machine.value(), machine.frame(), &tmp);
    if (key == nullptr) return machine.Nothing();
    return RunTarget(machine, key == &tmp ? std::move(tmp) : *key);
  }
  machine.Push(new WaitingForIndex(this, machine.state(), machine.frame_ref()));
  machine.state().path = Value();
  machine.state().at = Value();
  machine.Eval(children_[0]);
}

void IndexNode::RunTarget(Machine& machine, Value key) const {
  machine.Push(new WaitingForTarget(std::move(key)));
  machine.Eval(children_[1]);
}

int IndexNode::Trace(Tracer& tracer, int dot) const {
  tracer.Escapes(children_[0]->Trace(tracer, dot));
  tracer.Escapes(children_[1]->Trace(tracer, dot));
  return Tracer::kOther;
}

// --- .[] ---

class EachNode::Waiting final : public Continuation {
 public:
  explicit Waiting(const EachNode* node) : node_(node) {}
  void Resume(Machine& machine, bool) override { node_->Iterate(machine); }

 private:
  const EachNode* node_;
};

EachNode::EachNode(const Node* target, bool on_identity) : Node(true), on_identity_(on_identity) {
  AtLeast(Shape::kStream);
  Adopt(target);
}

bool EachNode::StreamItems(Context& context, const Value& container, Sink sink) const {
  const Value keep = container;  // the sink may let go of the last other owner
  if (keep.is_array()) {
    for (const Value& item : keep.items()) {
      if (!context.Step() || !sink(item, nullptr)) return false;
    }
    return true;
  }
  if (!keep.is_object()) return RaiseNotIterable(context, keep);
  for (const Member& member : keep.members()) {
    if (!context.Step() || !sink(member.value, nullptr)) return false;
  }
  return true;
}

bool EachNode::Stream(Context& context, const Value& in, Frame* frame, Sink sink) const {
  if (on_identity_) return StreamItems(context, in, sink);
  return children_[0]->Stream(context, in, frame, [&](const Value& container, Value*) {
    return StreamItems(context, container, sink);
  });
}

void EachNode::Run(Machine& machine) const {
  if (on_identity_) return Iterate(machine);
  machine.Push(new Waiting(this));
  machine.Eval(children_[0]);
}

void EachNode::Iterate(Machine& machine) const {
  Context& context = machine.context();
  const Value& container = machine.value();
  if (machine.tracks_path() && !machine.PathIntact()) {
    context.Raise(
        Join({"Invalid path expression near attempt to iterate through ", ShortJson(container)}));
    return machine.Nothing();
  }
  if (!container.is_array() && !container.is_object()) {
    RaiseNotIterable(context, container);
    return machine.Nothing();
  }
  if (container.size() == 0) return machine.Backtrack();
  if (container.size() > 1) machine.PushFork(this).n = 1;
  Enter(machine, 0);
}

void EachNode::Retry(Machine& machine) const {
  const auto n = static_cast<size_t>(machine.top().n++);
  machine.RestoreTop(n + 1 == machine.top().state.value.size());
  Enter(machine, n);
}

void EachNode::Enter(Machine& machine, size_t n) {
  State& state = machine.state();
  const Value container = std::move(state.value);
  state.value = container.is_array() ? container.items()[n] : container.members()[n].value;
  if (machine.tracks_path()) {
    if (!machine.context().Admit(state.path.size() * sizeof(Value))) return machine.Nothing();
    state.path.Append(container.is_array() ? Value::Int(static_cast<int64_t>(n))
                                           : container.members()[n].key);
    state.at = state.value;
  }
  machine.Return();
}

int EachNode::Trace(Tracer& tracer, int dot) const {
  tracer.Escapes(children_[0]->Trace(tracer, dot));
  return Tracer::kOther;
}

// --- .. ---

RecurseNode::RecurseNode(const Node* recursion) : Node(true), recursion_(recursion) {
  AtLeast(Shape::kStream);
}

bool RecurseNode::Stream(Context& context, const Value& in, Frame*, Sink sink) const {
  struct Level {
    Value container;
    size_t next;
  };
  std::vector<Level> stack;
  Value value = in;
  for (;;) {
    if (!context.Step()) return false;
    if (value.size() > 0 && (value.is_array() || value.is_object())) stack.push_back({value, 0});
    if (!sink(value, nullptr)) return false;
    while (!stack.empty() && stack.back().next == stack.back().container.size()) stack.pop_back();
    if (stack.empty()) return true;
    Level& top = stack.back();
    value = top.container.is_array() ? top.container.items()[top.next]
                                     : top.container.members()[top.next].value;
    ++top.next;
  }
}

void RecurseNode::Run(Machine& machine) const { machine.Eval(recursion_); }

int RecurseNode::Trace(Tracer& tracer, int dot) const {
  tracer.Escapes(dot);
  return Tracer::kOther;
}

// --- path(…) ---

class PathNode::Waiting final : public Continuation {
 public:
  void Resume(Machine& machine, bool) override {
    State& state = machine.state();
    if (!machine.PathIntact()) {
      machine.context().Raise(
          Join({"Invalid path expression with result ", ShortJson(state.value)}));
      return machine.Nothing();
    }
    state.value = std::move(state.path);
    state.path = Value();
    state.at = Value();
    machine.Return();
  }
};

PathNode::PathNode(const Node* body, std::optional<Value> fixed) : fixed_(std::move(fixed)) {
  if (!fixed_.has_value()) AtLeast(Shape::kMachine);
  Adopt(body);
}

const Value* PathNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  if (children_[0]->Eval(context, in, frame, tmp) == nullptr) return nullptr;
  return &*fixed_;
}

void PathNode::Run(Machine& machine) const {
  machine.Push(new Waiting);
  machine.state().path = Value::Array();
  machine.state().at = machine.value();
  machine.Eval(children_[0]);
}

int PathNode::Trace(Tracer& tracer, int dot) const {
  tracer.Escapes(children_[0]->Trace(tracer, dot));
  return Tracer::kOther;
}

// --- getpath(…) ---

class GetPathNode::Waiting final : public Continuation {
 public:
  Waiting(const State& state, FrameRef frame) : state_(state), frame_(std::move(frame)) {}
  void Resume(Machine& machine, bool) override {
    const Value path = std::move(machine.value());
    machine.state() = state_;
    machine.set_frame(frame_);
    Finish(machine, path);
  }

 private:
  State state_;
  FrameRef frame_;
};

GetPathNode::GetPathNode(const Node* path) : Node(true) {
  Adopt(path);
  if (!scalar()) AtLeast(Shape::kMachine);
}

const Value* GetPathNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  Value own;
  const Value* path = children_[0]->Eval(context, in, frame, &own);
  if (path == nullptr) return nullptr;
  return GetPath(context, in, *path, tmp) ? tmp : nullptr;
}

void GetPathNode::Run(Machine& machine) const {
  if (children_[0]->scalar()) {
    Value tmp;
    const Value* path =
        children_[0]->Eval(machine.context(), machine.value(), machine.frame(), &tmp);
    if (path == nullptr) return machine.Nothing();
    return Finish(machine, Value(*path));
  }
  machine.Push(new Waiting(machine.state(), machine.frame_ref()));
  machine.state().path = Value();
  machine.state().at = Value();
  machine.Eval(children_[0]);
}

void GetPathNode::Finish(Machine& machine, const Value& path) {
  State& state = machine.state();
  Context& context = machine.context();
  Value found;
  if (!GetPath(context, state.value, path, &found)) return machine.Nothing();
  if (machine.tracks_path()) {
    if (!machine.PathIntact()) {
      context.Raise(Join({"Invalid path expression with result ", ShortJson(state.value)}));
      return machine.Nothing();
    }
    if (!context.Admit((state.path.size() + path.size()) * sizeof(Value))) return machine.Nothing();
    for (const Value& key : path.items()) state.path.Append(key);
    state.at = found;
  }
  machine.Return(std::move(found));
}

}  // namespace jaque::expression
