// SPDX-License-Identifier: Apache-2.0
// The tree of frames of one instance while a fact is applied: adds, begins, removes, and keeps what
// is derived from it (the ready list, the index of listens) true. Used by Apply only.
#pragma once

#include <optional>
#include <vector>

#include "engine/apply.h"
#include "engine/state.h"

namespace jaque::engine {

class FrameTree {
 public:
  FrameTree(ShardState* state, Instance* instance, std::vector<AbortedWork>* aborted)
      : state_(*state), instance_(*instance), aborted_(aborted) {}

  Frame& Add(FrameId id, Frame* parent, const dsl::Task* task);
  // Sets the frame going after its inputs are known; `data` is that of TaskStarted.
  void Begin(Frame* frame, const std::optional<Value>& data);
  // Removes a frame and everything below it. `completed`: the frame itself was not given up.
  void Remove(FrameId id, bool completed);
  void RemoveBelow(FrameId id);

  // Puts the frame on the ready list if it has a step to take now, else off it.
  void Refresh(const Frame& frame);
  void Unready(FrameId id);
  void ForgetListen(const Frame& frame);

 private:
  void MakeReady(FrameId id);
  void Forget(const Frame& frame, bool completed);

  ShardState& state_;
  Instance& instance_;
  std::vector<AbortedWork>* const aborted_;
};

}  // namespace jaque::engine
