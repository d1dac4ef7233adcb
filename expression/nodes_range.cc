// SPDX-License-Identifier: Apache-2.0
// Ranges, limits, and arranging items by a key.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "expression/nodes_loop.h"
#include "expression/nodes_path.h"
#include "expression/operators.h"
#include "expression/tracer.h"

namespace jaque::expression {

// --- range ---

RangeNode::RangeNode(const Node* from, const Node* upto, const Node* by) {
  AtLeast(Shape::kStream);
  Adopt(from);
  Adopt(upto);
  Adopt(by);
}

// from, upto, by; false: a failure or no output.
bool RangeNode::Bounds(Context& context, const Value& in, Frame* frame, Value* bounds) const {
  for (size_t i = 0; i < 3; ++i) {
    const Value* bound = children_[i]->Eval(context, in, frame, &bounds[i]);
    if (bound == nullptr) return false;
    if (bound != &bounds[i]) bounds[i] = *bound;
  }
  for (size_t i = 0; i < 3; ++i) {
    if (bounds[i].is_number()) continue;
    context.Raise("Range bounds must be numeric");
    return false;
  }
  return true;
}

bool RangeNode::Within(const Value* bounds) {
  const double by = bounds[2].number();
  if (bounds[0].is_int() && bounds[1].is_int()) {
    return by > 0 ? bounds[0].int_value() < bounds[1].int_value()
                  : by < 0 && bounds[0].int_value() > bounds[1].int_value();
  }
  const double from = bounds[0].number();
  const double upto = bounds[1].number();
  return by > 0 ? from < upto : by < 0 && from > upto;
}

bool RangeNode::Advance(Context& context, Value* bounds) {
  return Add(context, &bounds[0], bounds[2]);
}

int RangeNode::Trace(Tracer& tracer, int dot) const {
  for (const Node* bound : children_) tracer.Escapes(bound->Trace(tracer, dot));
  return Tracer::kOther;
}

bool RangeNode::Stream(Context& context, const Value& in, Frame* frame, Sink sink) const {
  Value bounds[3];
  if (!Bounds(context, in, frame, bounds)) return !context.failed();
  if (bounds[0].is_int() && bounds[1].is_int() && bounds[2].is_int() &&
      bounds[2].int_value() == 1) {
    const int64_t end = bounds[1].int_value();
    for (int64_t i = bounds[0].int_value(); i < end; ++i) {
      Value item = Value::Int(i);
      if (!context.Step() || !sink(item, &item)) return false;
    }
    return true;
  }
  for (; Within(bounds); Advance(context, bounds)) {
    Value item = bounds[0];
    if (!context.Step() || !sink(item, &item)) return false;
  }
  return true;
}

void RangeNode::Run(Machine& machine) const {
  CellRef cell = CellRef::Make();
  Value bounds[3];
  if (!Bounds(machine.context(), machine.value(), machine.frame(), bounds)) {
    return machine.Nothing();
  }
  if (!Within(bounds)) return machine.Backtrack();
  cell->state = {bounds[0], bounds[1], bounds[2]};
  machine.PushFork(this).cell = cell;
  machine.Return(bounds[0]);
}

void RangeNode::Retry(Machine& machine) const {
  const CellRef cell = machine.top().cell;
  Value bounds[3] = {cell->state.value, cell->state.path, cell->state.at};
  Advance(machine.context(), bounds);
  cell->state.value = bounds[0];
  const bool more = Within(bounds);
  machine.RestoreTop(!more);
  more ? machine.Return(bounds[0]) : machine.Backtrack();
}

// --- limit, first ---

namespace {

// A count that jq compares as larger than 0, and cannot count down.
bool IsOdd(const Value& count) { return count.kind() > Value::Kind::kNumber; }

bool RaiseOdd(Context& context, Value count) {
  Subtract(context, &count, Value::Int(1));
  return false;
}

}  // namespace

LimitNode::LimitNode(const Node* count, const Node* body, bool first) : Node(true), first_(first) {
  Adopt(count);
  if (!scalar()) AtLeast(Shape::kMachine);
  Adopt(body);
  if (streams()) Narrow(first || body->scalar() ? Shape::kScalar : Shape::kStream);
}

double LimitNode::Count(Context& context, const Value& in, Frame* frame, Value* odd) const {
  if (first_) return 1;
  Value tmp;
  const Value* count = children_[0]->Eval(context, in, frame, &tmp);
  if (count == nullptr) return -1;
  if (IsOdd(*count)) {
    *odd = *count;
    return 1;
  }
  const double n = count->is_number() ? count->number() : -1;
  if (!(n >= 0)) {
    context.Raise("limit doesn't support negative count");
    return -1;
  }
  return n == 0 ? -1 : n;
}

const Value* LimitNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  Value odd;
  if (!(Count(context, in, frame, &odd) > 0)) return nullptr;
  if (children_[1]->scalar()) {
    const Value* output = children_[1]->Eval(context, in, frame, tmp);
    if (output == nullptr || odd.is_null()) return output;
    RaiseOdd(context, std::move(odd));
    return nullptr;
  }
  bool found = false;
  Value first;
  children_[1]->Stream(context, in, frame, [&](const Value& output, Value* owned) {
    first = Take(output, owned);
    found = true;
    return false;
  });
  if (!found) return nullptr;
  *tmp = std::move(first);
  return tmp;
}

bool LimitNode::Stream(Context& context, const Value& in, Frame* frame, Sink sink) const {
  if (scalar()) return Node::Stream(context, in, frame, sink);
  Value odd;
  const double count = Count(context, in, frame, &odd);
  if (!(count > 0)) return !context.failed();
  double n = 0;
  bool reached = false;
  const bool ended =
      children_[1]->Stream(context, in, frame, [&](const Value& output, Value* owned) {
        if (!odd.is_null()) return RaiseOdd(context, odd);
        if (!sink(output, owned)) return false;
        reached = ++n >= count;
        return !reached;
      });
  return ended || reached;
}

class LimitNode::Waiting final : public Continuation {
 public:
  Waiting(double count, Value odd, size_t forks, CellRef cell)
      : count_(count), odd_(std::move(odd)), forks_(forks), cell_(std::move(cell)) {}
  void Resume(Machine& machine, bool) override {
    if (!odd_.is_null()) {
      RaiseOdd(machine.context(), odd_);
      return machine.Nothing();
    }
    if (static_cast<double>(++cell_->count) >= count_) machine.CutForks(forks_);
    machine.Return();
  }

 private:
  double count_;
  Value odd_;
  size_t forks_;
  CellRef cell_;
};

void LimitNode::Run(Machine& machine) const {
  Value odd;
  const double count = Count(machine.context(), machine.value(), machine.frame(), &odd);
  if (!(count > 0)) return machine.Nothing();
  machine.Push(new Waiting(count, std::move(odd), machine.forks(), CellRef::Make()));
  machine.Eval(children_[1]);
}

int LimitNode::Trace(Tracer& tracer, int dot) const {
  tracer.Escapes(children_[0]->Trace(tracer, dot));
  return children_[1]->Trace(tracer, dot);
}

// --- skip ---

SkipNode::SkipNode(const Node* count, const Node* body) : Node(true) {
  Adopt(count);
  if (!scalar()) AtLeast(Shape::kMachine);
  AtLeast(Shape::kStream);
  Adopt(body);
}

bool SkipNode::Count(Context& context, const Value& in, Frame* frame, double* count,
                     Value* odd) const {
  Value tmp;
  const Value* found = children_[0]->Eval(context, in, frame, &tmp);
  if (found == nullptr) return false;
  if (IsOdd(*found)) {
    *odd = *found;
    return true;
  }
  *count = found->is_number() ? found->number() : -1;
  if (*count >= 0) return true;
  context.Raise("skip doesn't support negative count");
  return false;
}

bool SkipNode::Stream(Context& context, const Value& in, Frame* frame, Sink sink) const {
  double count = 0;
  Value odd;
  if (!Count(context, in, frame, &count, &odd)) return !context.failed();
  return children_[1]->Stream(context, in, frame, [&](const Value& output, Value* owned) {
    if (!odd.is_null()) return RaiseOdd(context, odd);
    return count-- >= 1 || sink(output, owned);
  });
}

class SkipNode::Waiting final : public Continuation {
 public:
  Waiting(double count, Value odd, CellRef cell)
      : count_(count), odd_(std::move(odd)), cell_(std::move(cell)) {}
  void Resume(Machine& machine, bool) override {
    if (!odd_.is_null()) {
      RaiseOdd(machine.context(), odd_);
      return machine.Nothing();
    }
    if (count_ - static_cast<double>(cell_->count) < 1) return machine.Return();
    ++cell_->count;
    machine.Backtrack();
  }

 private:
  double count_;
  Value odd_;
  CellRef cell_;
};

void SkipNode::Run(Machine& machine) const {
  double count = 0;
  Value odd;
  if (!Count(machine.context(), machine.value(), machine.frame(), &count, &odd)) {
    return machine.Nothing();
  }
  machine.Push(new Waiting(count, std::move(odd), CellRef::Make()));
  machine.Eval(children_[1]);
}

int SkipNode::Trace(Tracer& tracer, int dot) const {
  tracer.Escapes(children_[0]->Trace(tracer, dot));
  return children_[1]->Trace(tracer, dot);
}

// --- sort_by … ---

ByNode::ByNode(What what, const Node* key) : what_(what) { Adopt(key); }

// Keys as they are; each alone in an array, as those with several outputs are, where one has no
// output.
bool ByNode::Keys(Context& context, const Value& in, Frame* frame, std::vector<Value>* keys) const {
  keys->reserve(in.size());
  std::vector<size_t> missing;
  for (size_t i = 0; i < in.size(); ++i) {
    const Value& item = in.is_array() ? in.items()[i] : in.members()[i].value;
    Value tmp;
    const Value* key = context.Step() ? children_[0]->Eval(context, item, frame, &tmp) : nullptr;
    if (key == nullptr && context.failed()) return false;
    if (key == nullptr) missing.push_back(i);
    keys->push_back(key == nullptr || key == &tmp ? std::move(tmp) : *key);
  }
  if (missing.empty() && in.is_array()) return true;
  for (Value& key : *keys) key = Value::Array({std::move(key)});
  for (const size_t i : missing) (*keys)[i] = Value::Array();
  return true;
}

const Value* ByNode::Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const {
  if (!in.is_array() && !in.is_object()) {
    RaiseNotIterable(context, in);
    return nullptr;
  }
  const Value items = in;
  std::vector<Value> keys;
  if (!context.Admit(items.size() * 80) || !Keys(context, items, frame, &keys)) return nullptr;
  if (!items.is_array()) {
    const bool extreme = what_ == What::kMin || what_ == What::kMax;
    RaisePair(
        context, items, Value::ArrayFrom(keys),
        extreme ? "cannot be iterated over" : "cannot be sorted, as they are not both arrays");
    return nullptr;
  }
  return ArrangeBy(context, what_, items, keys, tmp) ? tmp : nullptr;
}

namespace {

// Compares keys within the effort that the evaluation has left.
class KeyOrder {
 public:
  KeyOrder(const Context& context, const std::vector<Value>& keys)
      : keys_(keys), before_(context.NewEffort()), effort_(before_) {}
  int Compare(size_t a, size_t b) {
    if (effort_.too_deep || effort_.too_long) return 0;
    ++compared_;
    return Value::Compare(keys_[a], keys_[b], &effort_);
  }
  bool Settle(Context& context) const {
    return context.Settle(before_, effort_, "Comparison too deep") && context.Steps(compared_);
  }

 private:
  const std::vector<Value>& keys_;
  const Value::Effort before_;
  Value::Effort effort_;
  size_t compared_ = 0;
};

// Sorted positions to the result; equal neighbours make a group.
void Assemble(KeyOrder& order, ByNode::What what, const Value& items,
              const std::vector<size_t>& sorted, Value* out) {
  Value result = Value::Array();
  Value group = Value::Array();
  for (size_t i = 0; i < sorted.size(); ++i) {
    const Value& item = items.items()[sorted[i]];
    if (what == ByNode::What::kSort) {
      result.Append(item);
      continue;
    }
    const bool starts = i == 0 || order.Compare(sorted[i - 1], sorted[i]) != 0;
    if (what == ByNode::What::kUnique) {
      if (starts) result.Append(item);
      continue;
    }
    if (starts && i > 0) {
      result.Append(std::move(group));
      group = Value::Array();
    }
    group.Append(item);
  }
  if (what == ByNode::What::kGroup && !sorted.empty()) result.Append(std::move(group));
  *out = std::move(result);
}

}  // namespace

bool ArrangeBy(Context& context, ByNode::What what, const Value& items,
               const std::vector<Value>& keys, Value* out) {
  KeyOrder order(context, keys);
  const size_t n = std::min(items.size(), keys.size());
  Value result;
  if (what == ByNode::What::kMin || what == ByNode::What::kMax) {
    size_t best = 0;
    for (size_t i = 1; i < n; ++i) {
      const int compared = order.Compare(i, best);
      if (what == ByNode::What::kMin ? compared < 0 : compared >= 0) best = i;
    }
    if (n > 0) result = items.items()[best];
  } else {
    std::vector<size_t> sorted(n);
    std::iota(sorted.begin(), sorted.end(), size_t{0});
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&order](size_t a, size_t b) { return order.Compare(a, b) < 0; });
    Assemble(order, what, items, sorted, &result);
  }
  if (!order.Settle(context)) return false;
  *out = std::move(result);
  return true;
}

}  // namespace jaque::expression
