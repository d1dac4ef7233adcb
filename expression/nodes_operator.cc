// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expression/describe.h"
#include "expression/json.h"
#include "expression/nodes_basic.h"
#include "expression/number.h"
#include "expression/operators.h"
#include "expression/path_access.h"
#include "expression/text.h"
#include "expression/tracer.h"

namespace jaque::expression {
namespace {

// Text of `value` as @text gives it, appended.
bool AppendText(Context& context, const Value& value, std::string* out) {
  if (value.is_string()) {
    out->append(value.str());
  } else {
    const size_t before = out->size();
    if (!context.AdmitCopy(value)) return false;
    AppendJson(value, static_cast<size_t>(limits::kJsonDepth), out);
    if (!context.Steps((out->size() - before) / 64)) return false;
  }
  return true;
}

bool ApplyTo(Context& context, Format format, const Value& value, Value* out) {
  if (!context.AdmitCopy(value, 6)) return false;
  auto text = ApplyFormat(format, value);
  if (!text.ok()) {
    context.RaiseStatus(text.status());
    return false;
  }
  *out = Value::String(*text);
  return context.Steps(text->size() / 64);
}

}  // namespace

// --- any operator ---

class OperatorNode::Waiting final : public Continuation {
 public:
  Waiting(const OperatorNode* node, Value input, FrameRef frame, const Operands& done)
      : node_(node), input_(std::move(input)), frame_(std::move(frame)), done_(done) {}
  void Resume(Machine& machine, bool alone) override {
    Operands done = alone ? std::move(done_) : done_;
    done.push_back(std::move(machine.value()));
    machine.set_frame(frame_);
    if (!node_->Accept(machine.context(), input_, done)) return machine.Nothing();
    node_->Proceed(machine, input_, std::move(done));
  }

 private:
  const OperatorNode* node_;
  Value input_;
  FrameRef frame_;
  Operands done_;
};

OperatorNode::OperatorNode(const std::vector<const Node*>& operands) {
  for (const Node* operand : operands) Adopt(operand);
  if (!scalar()) AtLeast(Shape::kMachine);
}

const Value* OperatorNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  Operands operands;
  for (const Node* child : children_) {
    Value own;
    const Value* operand = child->Eval(context, in, frame, &own);
    if (operand == nullptr) return nullptr;
    operands.push_back(operand == &own ? std::move(own) : *operand);
  }
  return Combine(context, in, operands.data(), tmp) ? tmp : nullptr;
}

void OperatorNode::Run(Machine& machine) const { Proceed(machine, std::move(machine.value()), {}); }

void OperatorNode::Proceed(Machine& machine, Value input, Operands done) const {
  while (done.size() < children_.size()) {
    const Node* operand = children_[done.size()];
    if (!operand->scalar()) {
      machine.value() = input;
      machine.Push(new Waiting(this, std::move(input), machine.frame_ref(), done));
      return machine.Eval(operand);
    }
    Value tmp;
    const Value* value = operand->Eval(machine.context(), input, machine.frame(), &tmp);
    if (value == nullptr) return machine.Nothing();
    done.push_back(value == &tmp ? std::move(tmp) : *value);
    if (!Accept(machine.context(), input, done)) return machine.Nothing();
  }
  Value out;
  if (!Combine(machine.context(), input, done.data(), &out)) return machine.Nothing();
  machine.Return(std::move(out));
}

int OperatorNode::Trace(Tracer& tracer, int dot) const {
  if (reads_dot()) tracer.Escapes(dot);
  for (const Node* child : children_) tracer.Escapes(child->Trace(tracer, dot));
  return Tracer::kOther;
}

// --- binary ---

BinaryNode::BinaryNode(Op op, const Node* left, const Node* right)
    : OperatorNode({right, left}), op_(op) {}

const Value* BinaryNode::Finish(Context& context, const Value* left, const Value& right,
                                Value* tmp) const {
  if (op_ >= Op::kEqual) {
    bool result;
    if (left->is_int() && right.is_int()) {
      const int64_t a = left->int_value();
      const int64_t b = right.int_value();
      switch (op_) {
        case Op::kEqual:
          result = a == b;
          break;
        case Op::kNotEqual:
          result = a != b;
          break;
        case Op::kLess:
          result = a < b;
          break;
        case Op::kLessEqual:
          result = a <= b;
          break;
        case Op::kGreater:
          result = a > b;
          break;
        default:
          result = a >= b;
      }
    } else if (!Compares(context, op_, *left, right, &result)) {
      return nullptr;
    }
    *tmp = Value::Bool(result);
    return tmp;
  }
  if (left != tmp) *tmp = *left;
  return Apply(context, op_, tmp, right) ? tmp : nullptr;
}

const Value* BinaryNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  Value own;
  const Value* right = children_[0]->Eval(context, in, frame, &own);
  if (right == nullptr) return nullptr;
  const Value* left = children_[1]->Eval(context, in, frame, tmp);
  return left == nullptr ? nullptr : Finish(context, left, *right, tmp);
}

bool BinaryNode::Move(Context& context, Value* value, Frame* frame) const {
  Value own;
  const Value* right = children_[0]->Eval(context, *value, frame, &own);
  if (right == nullptr) return false;
  if (right != &own) own = *right;  // it may be a part of what is consumed now
  if (!children_[1]->Move(context, value, frame)) return false;
  return Finish(context, value, own, value) != nullptr;
}

bool BinaryNode::Combine(Context& context, const Value&, Value* operands, Value* out) const {
  *out = std::move(operands[1]);
  return Finish(context, out, operands[0], out) != nullptr;
}

bool NegateNode::Combine(Context& context, const Value&, Value* operands, Value* out) const {
  *out = std::move(operands[0]);
  return Negate(context, out);
}

// --- strings ---

StringNode::StringNode(std::vector<std::string> texts, const std::vector<const Node*>& parts,
                       Format format)
    : OperatorNode({parts.rbegin(), parts.rend()}), texts_(std::move(texts)), format_(format) {}

bool StringNode::Combine(Context& context, const Value&, Value* operands, Value* out) const {
  std::string text = texts_[0];
  const size_t parts = children_.size();
  for (size_t i = 0; i < parts; ++i) {
    const Value& part = operands[parts - 1 - i];
    if (format_ == Format::kText) {
      if (!context.Admit(text.size() + part.size()) || !AppendText(context, part, &text)) {
        return false;
      }
    } else {
      Value formatted;
      if (!ApplyTo(context, format_, part, &formatted)) return false;
      if (!context.Admit(text.size() + formatted.size())) return false;
      text.append(formatted.str());
    }
    text.append(texts_[i + 1]);
  }
  *out = Value::StringUnchecked(text);
  return true;
}

bool FormatNode::Combine(Context& context, const Value&, Value* operands, Value* out) const {
  const Value operand = std::move(operands[0]);
  return ApplyTo(context, format_, operand, out);
}

// --- objects ---

ObjectNode::ObjectNode(const std::vector<const Node*>& keys_and_values,
                       std::vector<bool> field_values)
    : OperatorNode(keys_and_values), field_values_(std::move(field_values)) {
  for (const bool field : field_values_) any_field_ |= field;
}

bool ObjectNode::Put(Context& context, const Value& in, size_t entry, const Value& key, Value value,
                     Value* out) const {
  if (!key.is_string()) {
    context.Raise(Join({"Cannot use ", TypeName(key), " (", ShortJson(key), ") as object key"}));
    return false;
  }
  if (field_values_[entry]) {
    Value tmp;
    const Value* field = Index(context, in, key, &tmp);
    if (field == nullptr) return false;
    value = *field;
  }
  *out->Slot(key) = std::move(value);
  return true;
}

const Value* ObjectNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  Value object = Value::Object();
  object.Reserve(children_.size() / 2);
  for (size_t i = 0; i < children_.size(); i += 2) {
    Value own_key;
    const Value* key = children_[i]->Eval(context, in, frame, &own_key);
    if (key == nullptr) return nullptr;
    Value own;
    const Value* value = children_[i + 1]->Eval(context, in, frame, &own);
    if (value == nullptr) return nullptr;
    if (!Put(context, in, i / 2, *key, value == &own ? std::move(own) : *value, &object)) {
      return nullptr;
    }
  }
  *tmp = std::move(object);
  return tmp;
}

// A member that is bad raises its error before the next one is evaluated.
bool ObjectNode::Accept(Context& context, const Value& in, const Operands& done) const {
  if (done.size() % 2 != 0) return true;
  Value object = Value::Object();
  return Put(context, in, done.size() / 2 - 1, done[done.size() - 2], Value(), &object);
}

bool ObjectNode::Combine(Context& context, const Value& in, Value* operands, Value* out) const {
  *out = Value::Object();
  for (size_t i = 0; i < children_.size(); i += 2) {
    if (!Put(context, in, i / 2, operands[i], std::move(operands[i + 1]), out)) return false;
  }
  return true;
}

// --- native functions ---

NativeNode::NativeNode(NativeFunction function, const std::vector<const Node*>& arguments)
    : OperatorNode({arguments.rbegin(), arguments.rend()}), function_(function) {}

bool NativeNode::EvalArguments(Context& context, const Value& in, Frame* frame,
                               Operands* arguments) const {
  arguments->resize(children_.size());
  for (size_t i = 0; i < children_.size(); ++i) {
    Value* slot = &(*arguments)[children_.size() - 1 - i];
    const Value* argument = children_[i]->Eval(context, in, frame, slot);
    if (argument == nullptr) return false;
    if (argument != slot) *slot = *argument;
  }
  return true;
}

const Value* NativeNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  Operands arguments;
  if (!children_.empty() && !EvalArguments(context, in, frame, &arguments)) return nullptr;
  *tmp = in;
  return function_(context, tmp, arguments.data()) ? tmp : nullptr;
}

bool NativeNode::Move(Context& context, Value* value, Frame* frame) const {
  Operands arguments;
  if (!children_.empty() && !EvalArguments(context, *value, frame, &arguments)) return false;
  return function_(context, value, arguments.data());
}

bool NativeNode::Combine(Context& context, const Value& in, Value* operands, Value* out) const {
  std::reverse(operands, operands + children_.size());
  *out = in;
  return function_(context, out, operands);
}

}  // namespace jaque::expression
