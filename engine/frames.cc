// SPDX-License-Identifier: Apache-2.0
#include "engine/frames.h"

#include <algorithm>

#include "base/status_macros.h"
#include "engine/outbox.h"

namespace jaque::engine {

namespace {

// A fork starts its branches one after the other and ends when it may; a listen goes on when there
// is an
// item for its foreach, or nothing more to wait for; other composites always have a next task or
// an end.
bool HasStep(const Frame& frame) {
  if (const ForkState* fork = frame.Get<ForkState>()) {
    const auto& task = std::get<dsl::ForkTask>(frame.task->spec);
    const size_t branches = task.branches.size();
    return frame.cursor < branches || fork->done == branches ||
           (task.compete && fork->winner.has_value());
  }
  if (const ListenState* listen = frame.Get<ListenState>()) {
    return listen->iterating || listen->satisfied || !listen->waiting.empty();
  }
  return true;
}

}  // namespace

Frame& FrameTree::Add(FrameId id, Frame* parent, const dsl::Task* task) {
  auto frame = std::make_unique<Frame>();
  frame->id = id;
  frame->parent = parent->id;
  frame->task = task;
  frame->depth = parent->depth + 1;
  ++parent->children;
  instance_.next_frame = std::max(instance_.next_frame, id + 1);
  return *(instance_.frames[id] = std::move(frame));
}

void FrameTree::Begin(Frame* frame, const std::optional<Value>& data) {
  switch (frame->task->kind()) {
    case dsl::TaskKind::kDo:
      return Refresh(*frame);
    case dsl::TaskKind::kFor:
      frame->detail = ForState{.items = *data};
      frame->cursor = static_cast<uint32_t>(ListOf(instance_, *frame)->size());
      return Refresh(*frame);
    case dsl::TaskKind::kFork: {
      ForkState fork;
      fork.outputs.resize(std::get<dsl::ForkTask>(frame->task->spec).branches.size());
      frame->detail = std::move(fork);
      return Refresh(*frame);
    }
    case dsl::TaskKind::kTry:
      frame->detail = TryState{};
      frame->Get<TryState>()->first_attempt = frame->started;
      return Refresh(*frame);
    case dsl::TaskKind::kListen: {
      const dsl::EventConsumption& to = std::get<dsl::ListenTask>(frame->task->spec).to;
      frame->detail = FreshListen(to);
      state_.AddListen(to, {instance_.id, frame->id});
      break;
    }
    case dsl::TaskKind::kWorker:
    case dsl::TaskKind::kRunWorkflow:
      frame->detail = WorkState{};
      break;
    case dsl::TaskKind::kWait:
      break;
    default:
      JAQUE_CHECK(false);
  }
  instance_.steps_without_wait = 0;
}

void FrameTree::Remove(FrameId id, bool completed) {
  RemoveBelow(id);
  auto found = instance_.frames.find(id);
  JAQUE_CHECK(found != instance_.frames.end());
  Forget(*found->second, completed);
  if (Frame* parent = instance_.Find(found->second->parent)) --parent->children;
  instance_.frames.erase(found);
}

void FrameTree::RemoveBelow(FrameId id) {
  Frame* top = instance_.Find(id);
  JAQUE_CHECK(top != nullptr);
  if (top->children == 0) return;
  // Ids grow downwards: one pass in order finds all descendants.
  absl::btree_set<FrameId> doomed;
  for (auto at = instance_.frames.upper_bound(id); at != instance_.frames.end(); ++at) {
    const FrameId parent = at->second->parent;
    if (parent == id || doomed.contains(parent)) doomed.insert(at->first);
  }
  for (FrameId frame : doomed) {
    Forget(*instance_.Find(frame), /*completed=*/false);
    instance_.frames.erase(frame);
  }
  top->children = 0;
}

void FrameTree::Forget(const Frame& frame, bool completed) {
  Unready(frame.id);
  if (frame.Get<ListenState>() != nullptr) ForgetListen(frame);
  const WorkState* work = frame.Get<WorkState>();
  if (work == nullptr || completed) return;
  if (!work->child.empty()) AddCancelChild(&instance_, work->child);
  if (aborted_ != nullptr && work->child.empty()) {
    aborted_->push_back({frame.id, frame.task, work->attempt});
  }
}

void FrameTree::Refresh(const Frame& frame) {
  if (HasStep(frame)) {
    MakeReady(frame.id);
  } else {
    Unready(frame.id);
  }
}

void FrameTree::MakeReady(FrameId id) {
  auto& ready = instance_.ready;
  if (std::find(ready.begin(), ready.end(), id) == ready.end()) ready.push_back(id);
}

void FrameTree::Unready(FrameId id) {
  auto& ready = instance_.ready;
  ready.erase(std::remove(ready.begin(), ready.end(), id), ready.end());
}

void FrameTree::ForgetListen(const Frame& frame) {
  state_.RemoveListen(std::get<dsl::ListenTask>(frame.task->spec).to, {instance_.id, frame.id});
}

}  // namespace jaque::engine
