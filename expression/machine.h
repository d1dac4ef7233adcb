// SPDX-License-Identifier: Apache-2.0
// Runs nodes that may yield several outputs and recurse: a stack of continuations (what to do with
// an output) and a stack of forks (where to go on for the next one), both on the heap and bounded.
// One thread, one evaluation.
//
//     Eval(node) -> Start ... -> Return(value) -> top continuation -> ... -> output
//                             -> Backtrack -> top fork -> ...            (no more outputs: end)
//                             -> Raise -> unwinds the forks to a `try`
//
// While a path is tracked, `path` is an array and `at` the value found there; else `path` is null.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "expression/context.h"
#include "expression/node.h"

namespace jaque::expression {

// The registers.
struct State {
  Value value;
  Value path;
  Value at;
  bool off_path = false;  // the value did not come along the path

  // After `value` came from anywhere: it is on the path only if it is the very value there.
  void Judge() {
    const bool comparable = value.is_null() || value.is_bool() || value.shares();
    off_path = !comparable || !Value::Identical(value, at);
  }
};

// Counts an object's memory as the evaluation's.
class Accounted {
 public:
  static void* operator new(size_t bytes) {
    Value::AddThreadBytes(static_cast<int64_t>(bytes));
    return ::operator new(bytes);
  }
  static void operator delete(void* memory, size_t bytes) {
    Value::AddThreadBytes(-static_cast<int64_t>(bytes));
    ::operator delete(memory);
  }
};

// What to do with an output. Shared by all outputs of what it waits for, so it is not changed.
class Continuation : public Accounted {
 public:
  virtual ~Continuation() = default;
  // The output is in the machine's registers. `alone`: nobody will resume this one again, so what
  // it holds may be moved.
  virtual void Resume(Machine& machine, bool alone) = 0;

 private:
  friend class Machine;
  friend class ContinuationRef;
  uint32_t refs_ = 1;
  uint32_t depth_ = 0;
  Continuation* next_ = nullptr;  // counted
};

class ContinuationRef {
 public:
  ContinuationRef() = default;
  explicit ContinuationRef(Continuation* counted) : continuation_(counted) {}
  ContinuationRef(const ContinuationRef& other) : continuation_(other.continuation_) {
    if (continuation_ != nullptr) ++continuation_->refs_;
  }
  ContinuationRef(ContinuationRef&& other) noexcept
      : continuation_(std::exchange(other.continuation_, nullptr)) {}
  ContinuationRef& operator=(ContinuationRef other) noexcept {
    std::swap(continuation_, other.continuation_);
    return *this;
  }
  ~ContinuationRef() {
    if (continuation_ != nullptr) Release(continuation_);
  }
  Continuation* get() const { return continuation_; }

 private:
  friend class Machine;
  static void Release(Continuation* continuation);

  Continuation* continuation_ = nullptr;
};

// What outputs are gathered in: reduce's state, an array under construction. Counted.
struct Cell : Accounted {
  uint32_t refs = 0;
  State state;
  Value extra;
  int64_t count = 0;
};

class CellRef {
 public:
  CellRef() = default;
  explicit CellRef(Cell* cell) : cell_(cell) { ++cell_->refs; }
  CellRef(const CellRef& other) : cell_(other.cell_) {
    if (cell_ != nullptr) ++cell_->refs;
  }
  CellRef(CellRef&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
  CellRef& operator=(CellRef other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
  }
  ~CellRef() {
    if (cell_ != nullptr && --cell_->refs == 0) delete cell_;
  }
  static CellRef Make() { return CellRef(new Cell); }
  Cell* operator->() const { return cell_; }

 private:
  Cell* cell_ = nullptr;
};

// Where to go on.
struct Fork {
  enum class Kind : uint8_t {
    kRetry,   // node->Retry
    kTry,     // the same, and also where an error goes (then the context has it)
    kTryEnd,  // a `try` at fork `n` has yielded: errors from now on are not its own
    kLabel,   // where `break` with label `n` goes
  };
  Kind kind = Kind::kRetry;
  const Node* node = nullptr;
  FrameRef frame;
  ContinuationRef continuation;
  State state;
  int64_t n = 0;
  CellRef cell;
};

class Machine {
 public:
  Machine(Context& context, const Code& program);
  ~Machine();

  // Runs the program to its end, or until `output` returns false or a failure.
  void Run(const Value& input, absl::FunctionRef<bool(Value)> output);

  Context& context() { return context_; }
  State& state() { return state_; }
  Value& value() { return state_.value; }
  bool tracks_path() const { return !state_.path.is_null(); }
  Frame* frame() const { return frame_.get(); }
  const FrameRef& frame_ref() const { return frame_; }
  void set_frame(FrameRef frame) { frame_ = std::move(frame); }

  // --- endings of a node's Start and Retry, and of Resume ---
  void Eval(const Node* node) {
    node_ = node;
    next_ = Next::kEval;
  }
  void Return() { next_ = Next::kReturn; }
  void Return(Value value) {
    state_.value = std::move(value);
    next_ = Next::kReturn;
  }
  void Backtrack() { next_ = Next::kBacktrack; }
  // After Eval or Stream gave nothing: a failure or no output.
  void Nothing() { next_ = context_.failed() ? Next::kRaise : Next::kBacktrack; }
  void Break(int64_t label);

  // --- stacks ---
  // Takes `continuation`, new; it resumes with the frame that is set then, so it keeps what it
  // needs.
  void Push(Continuation* continuation);
  // A fork for `node` with all registers as they are.
  Fork& PushFork(const Node* node, Fork::Kind kind = Fork::Kind::kRetry);
  // One that needs no registers.
  void PushMark(Fork::Kind kind, int64_t n);
  Fork& top() { return forks_.back(); }
  void PopFork() { forks_.pop_back(); }
  size_t forks() const { return forks_.size(); }
  void CutForks(size_t size);
  // Sets the registers, the frame and the continuation from the top fork.
  void RestoreTop(bool last);
  int64_t NewLabel() { return ++labels_; }

  // Whether the register `value` is what `path` leads to.
  bool PathIntact() const { return !state_.off_path; }

 private:
  friend class OutputContinuation;
  enum class Next : uint8_t { kEval, kReturn, kBacktrack, kRaise, kEnd };

  void DoReturn();
  void DoBacktrack();
  void DoRaise();

  Context& context_;
  const Code& program_;
  State state_;
  FrameRef frame_;
  ContinuationRef continuation_;
  std::vector<Fork> forks_;
  const Node* node_ = nullptr;
  Next next_ = Next::kEnd;
  size_t max_depth_;
  int64_t labels_ = 0;
};

}  // namespace jaque::expression
