// SPDX-License-Identifier: Apache-2.0
#include "expression/nodes_update.h"

#include <cmath>

#include "expression/describe.h"
#include "expression/nodes_path.h"
#include "expression/path_access.h"
#include "expression/text.h"

namespace jaque::expression {
namespace {

// Whether `container[key]` is absent although it could be there.
bool Missing(const Value& container, const Value& key) {
  if (container.is_null()) return key.is_string() || key.is_number();
  if (container.is_object() && key.is_string()) return container.FindKey(key) == nullptr;
  if (!container.is_array() || !key.is_number()) return false;
  double index = std::floor(key.number());
  if (index < 0) index += static_cast<double>(container.size());
  return !(index >= 0 && index < static_cast<double>(container.size()));
}

}  // namespace

StepUpdateNode::StepUpdateNode(std::vector<PathStep> steps, const Node* update)
    : steps_(std::move(steps)), update_(update) {
  for (const PathStep& step : steps_) {
    if (step.index != nullptr) Adopt(step.index);
  }
  Adopt(update);
}

const Value* StepUpdateNode::Eval(Context& context, const Value& in, Frame* frame,
                                  Value* tmp) const {
  *tmp = in;
  return Move(context, tmp, frame) ? tmp : nullptr;
}

bool StepUpdateNode::Move(Context& context, Value* value, Frame* frame) const {
  Keys keys;
  std::vector<Value> own(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    const PathStep& step = steps_[i];
    const Value* key = &step.key;
    if (step.index != nullptr) {
      key = step.index->Eval(context, *value, frame, &own[i]);
      if (key == nullptr) return !context.failed();  // no path: nothing changes
      if (key != &own[i]) own[i] = Value(*key);
      key = &own[i];
    }
    keys.push_back(key);
  }
  const Outcome outcome = UpdateAt(context, value, 0, keys, frame);
  if (outcome == Outcome::kEmpty) *value = Value();
  return outcome != Outcome::kFailed;
}

StepUpdateNode::Outcome StepUpdateNode::UpdateHere(Context& context, Value* slot,
                                                   Frame* frame) const {
  Value value = std::move(*slot);
  if (!update_->Move(context, &value, frame)) {
    return context.failed() ? Outcome::kFailed : Outcome::kEmpty;
  }
  *slot = std::move(value);
  return Outcome::kDone;
}

StepUpdateNode::Outcome StepUpdateNode::UpdateAt(Context& context, Value* slot, size_t step,
                                                 const Keys& keys, Frame* frame) const {
  if (step == steps_.size()) return UpdateHere(context, slot, frame);
  if (steps_[step].kind == PathStep::Kind::kEach) {
    return UpdateEach(context, slot, step, keys, frame);
  }
  const Value& key = *keys[step];
  if (key.is_object() || Missing(*slot, key)) {
    return UpdateMissing(context, slot, step, keys, frame);
  }
  Value* child = IndexSlot(context, slot, key);
  if (child == nullptr) return Outcome::kFailed;
  const Outcome outcome = UpdateAt(context, child, step + 1, keys, frame);
  if (outcome != Outcome::kEmpty) return outcome;
  const Value path = Value::Array({Value::Array({key})});
  return DeletePaths(context, slot, path) ? Outcome::kDone : Outcome::kFailed;
}

// There is nothing to change in place: a slice, or a part that setpath will make.
StepUpdateNode::Outcome StepUpdateNode::UpdateMissing(Context& context, Value* slot, size_t step,
                                                      const Keys& keys, Frame* frame) const {
  const Value path = Value::Array({*keys[step]});
  Value part;
  if (!GetPath(context, *slot, path, &part)) return Outcome::kFailed;
  const Outcome outcome = UpdateAt(context, &part, step + 1, keys, frame);
  if (outcome == Outcome::kFailed) return outcome;
  if (outcome == Outcome::kEmpty) {
    const Value paths = Value::Array({path});
    return DeletePaths(context, slot, paths) ? Outcome::kDone : Outcome::kFailed;
  }
  const bool set = SetPath(context, slot, path, std::move(part));
  return set ? Outcome::kDone : Outcome::kFailed;
}

StepUpdateNode::Outcome StepUpdateNode::UpdateEach(Context& context, Value* slot, size_t step,
                                                   const Keys& keys, Frame* frame) const {
  if (!slot->is_array() && !slot->is_object()) {
    RaiseNotIterable(context, *slot);
    return Outcome::kFailed;
  }
  const bool array = slot->is_array();
  if (!slot->unshared() && !context.Admit(slot->size() * sizeof(Member))) return Outcome::kFailed;
  Value gone = Value::Array();
  for (size_t i = 0; i < slot->size(); ++i) {
    if (!context.Step()) return Outcome::kFailed;
    Value* child = array ? slot->MutableItems() + i : slot->MutableMemberValue(i);
    const Outcome outcome = UpdateAt(context, child, step + 1, keys, frame);
    if (outcome == Outcome::kFailed) return outcome;
    if (outcome == Outcome::kEmpty) {
      const Value key = array ? Value::Int(static_cast<int64_t>(i)) : slot->members()[i].key;
      gone.Append(Value::Array({key}));
    }
  }
  if (gone.size() > 0 && !DeletePaths(context, slot, gone)) return Outcome::kFailed;
  return Outcome::kDone;
}

// --- any path ---

class UpdateNode::WaitingForUpdate final : public Continuation {
 public:
  WaitingForUpdate(CellRef cell, Value path, size_t forks)
      : cell_(std::move(cell)), path_(std::move(path)), forks_(forks) {}
  void Resume(Machine& machine, bool) override {
    machine.CutForks(forks_);  // only the first output counts
    Value* result = &cell_->state.value;
    if (!SetPath(machine.context(), result, path_, std::move(machine.value()))) {
      return machine.Nothing();
    }
    machine.Backtrack();
  }

 private:
  CellRef cell_;
  Value path_;
  size_t forks_;
};

class UpdateNode::WaitingForPath final : public Continuation {
 public:
  WaitingForPath(const UpdateNode* node, CellRef cell, FrameRef frame)
      : node_(node), cell_(std::move(cell)), frame_(std::move(frame)) {}
  void Resume(Machine& machine, bool) override {
    Context& context = machine.context();
    if (!machine.PathIntact()) {
      context.Raise(Join({"Invalid path expression with result ", ShortJson(machine.value())}));
      return machine.Nothing();
    }
    Value path = std::move(machine.state().path);
    machine.state() = State();
    machine.set_frame(frame_);
    Value current;
    if (!GetPath(context, cell_->state.value, path, &current)) return machine.Nothing();
    const size_t forks = machine.forks();
    Fork& fork = machine.PushFork(node_);  // reached if the update yields nothing
    fork.n = 1;
    fork.cell = cell_;
    fork.state.value = path;
    machine.Push(new WaitingForUpdate(cell_, std::move(path), forks));
    machine.value() = std::move(current);
    machine.Eval(node_->children_[1]);
  }

 private:
  const UpdateNode* node_;
  CellRef cell_;  // its value: the result so far; extra: paths to delete in the end
  FrameRef frame_;
};

UpdateNode::UpdateNode(const Node* path, const Node* update) {
  AtLeast(Shape::kMachine);
  Adopt(path);
  Adopt(update);
}

void UpdateNode::Run(Machine& machine) const {
  CellRef cell = CellRef::Make();
  cell->state.value = machine.value();
  cell->extra = Value::Array();
  Fork& end = machine.PushFork(this);
  end.cell = cell;
  end.state = State();
  machine.Push(new WaitingForPath(this, std::move(cell), machine.frame_ref()));
  machine.state().path = Value::Array();
  machine.state().at = machine.value();
  machine.state().off_path = false;
  machine.Eval(children_[0]);
}

void UpdateNode::Retry(Machine& machine) const {
  Fork& fork = machine.top();
  const CellRef cell = fork.cell;
  if (fork.n == 1) {
    cell->extra.Append(std::move(fork.state.value));
    machine.PopFork();
    return machine.Backtrack();
  }
  machine.RestoreTop(true);
  Value result = std::move(cell->state.value);
  if (cell->extra.size() > 0 && !DeletePaths(machine.context(), &result, cell->extra)) {
    return machine.Nothing();
  }
  machine.Return(std::move(result));
}

}  // namespace jaque::expression
