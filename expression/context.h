// SPDX-License-Identifier: Apache-2.0
// What one evaluation has: its bounds, its failure, its variables, its frames. One thread. Nodes
// report a failure by returning nothing after telling it here; "no output" is nothing without a
// failure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/limits.h"
#include "expression/program.h"
#include "expression/value.h"

namespace jaque::expression {

class Node;
class Regex;
class RegexBudget;
class RegexCache;
struct Frame;

// A function's or an argument's body and what a frame for it needs.
struct Code {
  const Node* body = nullptr;
  uint32_t slots = 0;
  uint32_t closures = 0;
  bool own_frame = true;  // else the body runs in the frame that the closure came from
};

// An argument: code, and the frame that it was written in.
struct Closure {
  const Code* code = nullptr;  // null: the parameter's variable is already set
  Frame* frame = nullptr;      // counted
};

// The variables and arguments of one call. Counted; freed without recursion.
struct Frame {
  uint32_t refs;
  uint32_t slots;
  uint32_t closures;
  Frame* up;  // of the enclosing function; counted

  Value* slot(uint32_t i) { return reinterpret_cast<Value*>(this + 1) + i; }
  Closure* closure(uint32_t i) {
    return reinterpret_cast<Closure*>(reinterpret_cast<Value*>(this + 1) + slots) + i;
  }
  Frame* Up(uint32_t hops) {
    Frame* frame = this;
    for (; hops > 0; --hops) frame = frame->up;
    return frame;
  }
};

// Owns one count of a frame.
class FrameRef {
 public:
  FrameRef() = default;
  explicit FrameRef(Frame* frame) : frame_(frame) {
    if (frame_ != nullptr) ++frame_->refs;
  }
  FrameRef(const FrameRef& other) : FrameRef(other.frame_) {}
  FrameRef(FrameRef&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  FrameRef& operator=(FrameRef other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~FrameRef() {
    if (frame_ != nullptr && --frame_->refs == 0) Free(frame_);
  }
  // A new frame below `up`, its slots null.
  static FrameRef Make(const Code& code, Frame* up);

  Frame* get() const { return frame_; }
  Frame* operator->() const { return frame_; }

 private:
  static void Free(Frame* frame);

  Frame* frame_ = nullptr;
};

enum class Failure : uint8_t { kNone, kError, kFatal };

// The patterns that a program has as constants, compiled with it. Few: found by comparing.
class PreparedPatterns {
 public:
  void Add(std::string_view pattern, std::string_view flags, std::shared_ptr<const Regex> regex);
  // Null if it is not there.
  const std::shared_ptr<const Regex>* Find(std::string_view pattern, std::string_view flags) const;

 private:
  struct Entry {
    std::string pattern;
    std::string flags;
    std::shared_ptr<const Regex> regex;
  };
  std::vector<Entry> entries_;
};

class Context {
 public:
  // `patterns` may be null.
  Context(const Evaluation& evaluation, const std::vector<std::string>& variable_names,
          const PreparedPatterns* patterns);
  ~Context();

  // One step of work done; false if a bound is reached (the failure is set).
  bool Step() { return --fuel_ > 0 || Refuel(); }
  bool Steps(size_t n) {
    if (n < static_cast<size_t>(fuel_)) {
      fuel_ -= static_cast<int64_t>(n);
      return true;
    }
    return Spend(n);
  }
  // Whether `bytes` more may be allocated.
  bool Admit(size_t bytes) {
    if (Value::ThreadBytes() + static_cast<int64_t>(bytes) <= memory_limit_) return true;
    return Exhausted("memory");
  }

  // Whether `factor` times what `value` takes, each shared part as often as it is used, may be
  // allocated.
  bool AdmitCopy(const Value& value, size_t factor = 1);
  // For a comparison: jq's depth, and the steps that are left. Settle charges what it took; false:
  // failed.
  Value::Effort NewEffort() const;
  bool Settle(const Value::Effort& before, const Value::Effort& after, const char* too_deep);

  // Each returns nullptr, so that a node can return it.
  const Value* Raise(std::string message) { return RaiseValue(Value::String(message)); }
  const Value* RaiseValue(Value error);
  const Value* Fatal(absl::Status status);
  // InvalidArgument becomes an error that `try` can catch; the rest is fatal.
  const Value* RaiseStatus(const absl::Status& status);
  bool Exhausted(const char* what);  // false

  bool failed() const { return failure_ != Failure::kNone; }
  bool failed_for_good() const { return failure_ == Failure::kFatal; }
  Value TakeError() {
    failure_ = Failure::kNone;
    return std::move(error_);
  }
  absl::Status ToStatus() const;

  const Value* Variable(uint32_t index);
  const Evaluation& evaluation() const { return evaluation_; }
  const RegexBudget& regex_budget();
  // The compiled pattern; null after an error.
  std::shared_ptr<const Regex> Pattern(std::string_view pattern, std::string_view flags);

 private:
  static constexpr int64_t kPortion = 512;  // steps between looks at the clock and the memory

  bool Refuel() { return Spend(0); }
  bool Spend(size_t n);

  const Evaluation& evaluation_;
  const std::vector<std::string>& variable_names_;
  std::vector<std::optional<Value>> variables_;
  Failure failure_ = Failure::kNone;
  Value error_;
  absl::Status fatal_;
  int64_t fuel_ = kPortion;
  uint64_t spent_ = 0;  // steps of finished portions
  int64_t memory_limit_;
  absl::Duration start_;
  std::unique_ptr<RegexBudget> regex_budget_;
  const PreparedPatterns* patterns_;
  std::unique_ptr<RegexCache> regex_cache_;
};

}  // namespace jaque::expression
