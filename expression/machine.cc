// SPDX-License-Identifier: Apache-2.0
#include "expression/machine.h"

#include <algorithm>

#include "base/status_macros.h"

namespace jaque::expression {
namespace {

// Continuations and forks are several to a call of a function.
constexpr size_t kEntriesPerDepth = 4;

}  // namespace

void ContinuationRef::Release(Continuation* continuation) {
  while (continuation != nullptr && --continuation->refs_ == 0) {
    Continuation* next = std::exchange(continuation->next_, nullptr);
    delete continuation;
    continuation = next;
  }
}

// The end of each way: gives the output to the caller.
class OutputContinuation final : public Continuation {
 public:
  OutputContinuation(absl::FunctionRef<bool(Value)> output, size_t limit)
      : output_(output), limit_(limit) {}

  void Resume(Machine& machine, bool) override {
    if (++count_ > limit_) {
      machine.context().Exhausted("outputs");
      machine.Nothing();
      return;
    }
    if (output_(std::move(machine.value()))) {
      machine.Backtrack();
    } else {
      machine.next_ = Machine::Next::kEnd;
    }
  }

 private:
  absl::FunctionRef<bool(Value)> output_;
  size_t limit_;
  size_t count_ = 0;
};

Machine::Machine(Context& context, const Code& program)
    : context_(context),
      program_(program),
      max_depth_(kEntriesPerDepth *
                 static_cast<size_t>(std::max(1, context.evaluation().bounds.depth))) {}

Machine::~Machine() { CutForks(0); }

void Machine::Run(const Value& input, absl::FunctionRef<bool(Value)> output) {
  frame_ = FrameRef::Make(program_, nullptr);
  Push(new OutputContinuation(output, context_.evaluation().bounds.outputs));
  state_.value = input;
  Eval(program_.body);
  while (next_ != Next::kEnd) {
    if (!context_.Step() || context_.failed_for_good()) return;
    switch (next_) {
      case Next::kEval:
        node_->Start(*this);
        break;
      case Next::kReturn:
        DoReturn();
        break;
      case Next::kBacktrack:
        DoBacktrack();
        break;
      case Next::kRaise:
        DoRaise();
        break;
      case Next::kEnd:
        break;
    }
  }
}

void Machine::Push(Continuation* continuation) {
  const Continuation* below = continuation_.continuation_;
  continuation->depth_ = below == nullptr ? 1 : below->depth_ + 1;
  continuation->next_ = std::exchange(continuation_.continuation_, continuation);
  if (continuation->depth_ > max_depth_) context_.Exhausted("depth");
}

void Machine::DoReturn() {
  ContinuationRef top = std::move(continuation_);
  Continuation* continuation = top.continuation_;
  JAQUE_CHECK(continuation != nullptr);
  const bool alone = continuation->refs_ == 1;
  if (alone) {
    continuation_ = ContinuationRef(std::exchange(continuation->next_, nullptr));
  } else {
    if (continuation->next_ != nullptr) ++continuation->next_->refs_;
    continuation_ = ContinuationRef(continuation->next_);
  }
  continuation->Resume(*this, alone);
}

Fork& Machine::PushFork(const Node* node, Fork::Kind kind) {
  if (forks_.size() >= max_depth_) context_.Exhausted("depth");
  Fork& fork = forks_.emplace_back();
  fork.kind = kind;
  fork.node = node;
  fork.frame = frame_;
  fork.continuation = continuation_;
  fork.state = state_;
  return fork;
}

void Machine::PushMark(Fork::Kind kind, int64_t n) {
  if (forks_.size() >= max_depth_) context_.Exhausted("depth");
  Fork& fork = forks_.emplace_back();
  fork.kind = kind;
  fork.n = n;
}

void Machine::CutForks(size_t size) {
  while (forks_.size() > size) forks_.pop_back();
}

void Machine::RestoreTop(bool last) {
  Fork& fork = forks_.back();
  if (last) {
    state_ = std::move(fork.state);
    frame_ = std::move(fork.frame);
    continuation_ = std::move(fork.continuation);
    forks_.pop_back();
  } else {
    state_ = fork.state;
    frame_ = fork.frame;
    continuation_ = fork.continuation;
  }
}

void Machine::DoBacktrack() {
  if (forks_.empty()) {
    next_ = Next::kEnd;
    return;
  }
  const Fork& fork = forks_.back();
  if (fork.kind == Fork::Kind::kRetry || fork.kind == Fork::Kind::kTry) {
    fork.node->Retry(*this);
  } else {
    forks_.pop_back();  // a mark
  }
}

void Machine::DoRaise() {
  if (context_.failed_for_good()) {
    next_ = Next::kEnd;
    return;
  }
  while (!forks_.empty()) {
    const Fork& fork = forks_.back();
    if (fork.kind == Fork::Kind::kTryEnd) {
      CutForks(static_cast<size_t>(fork.n));  // the error came after that `try` had yielded
    } else if (fork.kind == Fork::Kind::kTry) {
      fork.node->Retry(*this);
      return;
    } else {
      forks_.pop_back();
    }
  }
  next_ = Next::kEnd;
}

void Machine::Break(int64_t label) {
  while (!forks_.empty()) {
    const bool found = forks_.back().kind == Fork::Kind::kLabel && forks_.back().n == label;
    forks_.pop_back();
    if (found) break;
  }
  Backtrack();
}

bool Machine::PathIntact() const {
  return Value::Identical(state_.value, state_.at) ||
         (state_.value.is_number() && state_.at.is_number() && state_.value == state_.at);
}

}  // namespace jaque::expression
