// SPDX-License-Identifier: Apache-2.0
// `path |= update`, which all assignments are made of: the first output of `update` replaces what
// is at each path; without one the path is deleted in the end.
#pragma once

#include <vector>

#include "expression/machine.h"
#include "expression/node.h"

namespace jaque::expression {

// One step of a path that is known when compiling.
struct PathStep {
  enum class Kind : uint8_t { kKey, kIndex, kEach };
  Kind kind = Kind::kKey;
  Value key;
  const Node* index = nullptr;  // a scalar, evaluated on the whole input
};

// Along known steps, in place where the value is unshared.
class StepUpdateNode final : public Node {
 public:
  static constexpr size_t kMostSteps = 64;

  StepUpdateNode(std::vector<PathStep> steps, const Node* update);
  const Value* Eval(Context& context, const Value& in, Frame* frame, Value* tmp) const override;
  bool Move(Context& context, Value* value, Frame* frame) const override;

 private:
  enum class Outcome : uint8_t { kDone, kEmpty, kFailed };
  using Keys = std::vector<const Value*>;
  Outcome UpdateAt(Context& context, Value* slot, size_t step, const Keys& keys,
                   Frame* frame) const;
  Outcome UpdateMissing(Context& context, Value* slot, size_t step, const Keys& keys,
                        Frame* frame) const;
  Outcome UpdateEach(Context& context, Value* slot, size_t step, const Keys& keys,
                     Frame* frame) const;
  Outcome UpdateHere(Context& context, Value* slot, Frame* frame) const;

  std::vector<PathStep> steps_;
  const Node* update_;
};

// Along whatever paths `path` yields.
class UpdateNode final : public Node {
 public:
  UpdateNode(const Node* path, const Node* update);
  void Retry(Machine& machine) const override;

 private:
  class WaitingForPath;
  class WaitingForUpdate;
  void Run(Machine& machine) const override;
};

}  // namespace jaque::expression
