// SPDX-License-Identifier: Apache-2.0
#include "expression/context.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/status_macros.h"
#include "expression/describe.h"
#include "expression/json.h"
#include "expression/regex.h"
#include "expression/text.h"

namespace jaque::expression {

FrameRef FrameRef::Make(const Code& code, Frame* up) {
  const size_t bytes = sizeof(Frame) + code.slots * sizeof(Value) + code.closures * sizeof(Closure);
  void* memory = std::malloc(bytes);
  JAQUE_CHECK(memory != nullptr);
  Value::AddThreadBytes(static_cast<int64_t>(bytes));
  auto* frame = new (memory) Frame{1, code.slots, code.closures, up};
  if (up != nullptr) ++up->refs;
  for (uint32_t i = 0; i < code.slots; ++i) new (frame->slot(i)) Value();
  for (uint32_t i = 0; i < code.closures; ++i) new (frame->closure(i)) Closure();
  FrameRef ref;
  ref.frame_ = frame;
  return ref;
}

void FrameRef::Free(Frame* frame) {
  std::vector<Frame*> pending = {frame};
  const auto drop = [&pending](Frame* other) {
    if (other != nullptr && --other->refs == 0) pending.push_back(other);
  };
  while (!pending.empty()) {
    Frame* last = pending.back();
    pending.pop_back();
    drop(last->up);
    for (uint32_t i = 0; i < last->closures; ++i) drop(last->closure(i)->frame);
    for (uint32_t i = 0; i < last->slots; ++i) last->slot(i)->~Value();
    Value::AddThreadBytes(-static_cast<int64_t>(sizeof(Frame) + last->slots * sizeof(Value) +
                                                last->closures * sizeof(Closure)));
    std::free(last);
  }
}

void PreparedPatterns::Add(std::string_view pattern, std::string_view flags,
                           std::shared_ptr<const Regex> regex) {
  if (Find(pattern, flags) != nullptr) return;
  entries_.push_back({std::string(pattern), std::string(flags), std::move(regex)});
}

const std::shared_ptr<const Regex>* PreparedPatterns::Find(std::string_view pattern,
                                                           std::string_view flags) const {
  for (const Entry& entry : entries_) {
    if (entry.pattern == pattern && entry.flags == flags) return &entry.regex;
  }
  return nullptr;
}

Context::Context(const Evaluation& evaluation, const std::vector<std::string>& variable_names,
                 const PreparedPatterns* patterns)
    : evaluation_(evaluation),
      variable_names_(variable_names),
      variables_(variable_names.size()),
      memory_limit_(Value::ThreadBytes() + static_cast<int64_t>(std::min<size_t>(
                                               evaluation.bounds.memory_bytes, size_t{1} << 60))),
      patterns_(patterns) {
  if (evaluation_.monotonic) start_ = evaluation_.monotonic();
}

Context::~Context() = default;

bool Context::Spend(size_t n) {
  if (failed_for_good()) return false;
  spent_ += static_cast<uint64_t>(kPortion - fuel_) + n;
  fuel_ = kPortion;
  if (spent_ > evaluation_.bounds.steps) return Exhausted("steps");
  if (!Admit(0)) return false;
  if (evaluation_.monotonic && evaluation_.monotonic() - start_ > evaluation_.bounds.wall_time) {
    return Exhausted("time");
  }
  return true;
}

bool Context::AdmitCopy(const Value& value, size_t factor) {
  if (!value.is_array() && !value.is_object()) return Admit(value.size() * factor);
  const int64_t left = memory_limit_ - Value::ThreadBytes();
  if (left <= 0) return Admit(0);
  const size_t cap = static_cast<size_t>(left) / factor + 1;
  const size_t bytes = value.MemoryEstimate(cap);
  return Admit(bytes * factor) && Steps(bytes / 256);
}

Value::Effort Context::NewEffort() const {
  const uint64_t used = spent_ + static_cast<uint64_t>(kPortion - fuel_);
  const uint64_t all = evaluation_.bounds.steps;
  return {.depth = static_cast<size_t>(limits::kJsonDepth), .steps = all > used ? all - used : 0};
}

bool Context::Settle(const Value::Effort& before, const Value::Effort& after,
                     const char* too_deep) {
  if (after.too_long) return Exhausted("steps");
  if (after.too_deep) {
    Raise(too_deep);
    return false;
  }
  return Steps(before.steps - after.steps);
}

bool Context::Exhausted(const char* what) {
  Fatal(absl::ResourceExhaustedError(Join({"the expression used up its ", what})));
  return false;
}

const Value* Context::RaiseValue(Value error) {
  if (failed_for_good()) return nullptr;
  failure_ = Failure::kError;
  error_ = std::move(error);
  return nullptr;
}

const Value* Context::Fatal(absl::Status status) {
  if (failed_for_good()) return nullptr;
  failure_ = Failure::kFatal;
  fatal_ = std::move(status);
  return nullptr;
}

const Value* Context::RaiseStatus(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kInvalidArgument) {
    return Raise(std::string(status.message()));
  }
  return Fatal(status);
}

absl::Status Context::ToStatus() const {
  if (failure_ == Failure::kNone) return absl::OkStatus();
  if (failure_ == Failure::kFatal) return fatal_;
  if (error_.is_string()) return absl::InvalidArgumentError(std::string(error_.AsString()));
  // What shares its parts may be endless as text: only what is small is told whole.
  const bool small =
      error_.MemoryEstimate(limits::kProblemDetailBytes + 1) <= limits::kProblemDetailBytes;
  return absl::InvalidArgumentError(
      Join({"(not a string): ", small ? ToJson(error_) : ShortJson(error_)}));
}

const Value* Context::Variable(uint32_t index) {
  std::optional<Value>& variable = variables_[index];
  if (variable.has_value()) return &*variable;
  const std::string& name = variable_names_[index];
  if (evaluation_.variables == nullptr) {
    return Fatal(absl::InvalidArgumentError(Join({"$", name, " is not defined"})));
  }
  auto value = evaluation_.variables->Lookup(name);
  if (!value.ok()) return Fatal(value.status());
  variable = *std::move(value);
  return &*variable;
}

const RegexBudget& Context::regex_budget() {
  if (regex_budget_ == nullptr) {
    const Bounds& bounds = evaluation_.bounds;
    const absl::Duration used =
        evaluation_.monotonic ? evaluation_.monotonic() - start_ : absl::ZeroDuration();
    regex_budget_ = std::make_unique<RegexBudget>(bounds.regex_retries, evaluation_.monotonic,
                                                  bounds.wall_time - used);
  }
  return *regex_budget_;
}

std::shared_ptr<const Regex> Context::Pattern(std::string_view pattern, std::string_view flags) {
  if (patterns_ != nullptr) {
    if (const auto* prepared = patterns_->Find(pattern, flags)) return *prepared;
  }
  if (regex_cache_ == nullptr) regex_cache_ = std::make_unique<RegexCache>();
  auto regex = regex_cache_->Get(pattern, flags);
  if (regex.ok()) return *std::move(regex);
  RaiseStatus(regex.status());
  return nullptr;
}

}  // namespace jaque::expression
