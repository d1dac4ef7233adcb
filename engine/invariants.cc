// SPDX-License-Identifier: Apache-2.0
#include "engine/invariants.h"

#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace jaque::engine {
namespace {

absl::Status Broken(const Instance& instance, std::string_view what) {
  return absl::InternalError(Cat("instance ", instance.id, ": ", what));
}

absl::Status CheckFrame(const Instance& instance, const Frame& frame, uint32_t children) {
  if (frame.children != children) return Broken(instance, "a frame miscounts its children");
  if (frame.id >= instance.next_frame) return Broken(instance, "a frame id will be given twice");
  if (frame.id == kRootFrame) return absl::OkStatus();
  const Frame* parent = instance.Find(frame.parent);
  if (parent == nullptr) return Broken(instance, "a frame has no parent");
  if (frame.parent >= frame.id) return Broken(instance, "a frame is older than its parent");
  if (frame.depth != parent->depth + 1) return Broken(instance, "a frame's depth is wrong");
  const dsl::TaskList* list = ListOf(instance, frame);
  if (list != nullptr && frame.cursor > list->size()) return Broken(instance, "a cursor is out");
  return absl::OkStatus();
}

absl::Status CheckInstance(const Instance& instance) {
  if (!instance.live()) {
    if (!instance.frames.empty()) return Broken(instance, "ended, but has frames");
    if (instance.outbox.empty()) return Broken(instance, "ended and owes nothing, but is kept");
    return absl::OkStatus();
  }
  absl::flat_hash_map<FrameId, uint32_t> children;
  for (const auto& [id, frame] : instance.frames) ++children[frame->parent];
  if (instance.Find(kRootFrame) == nullptr) return Broken(instance, "has no root");
  for (const auto& [id, frame] : instance.frames) {
    RETURN_IF_ERROR(CheckFrame(instance, *frame, children[id]));
  }
  for (const FrameId ready : instance.ready) {
    if (instance.Find(ready) == nullptr) return Broken(instance, "a frame that is gone is ready");
  }
  return absl::OkStatus();
}

absl::Status CheckListens(const ShardState& state) {
  size_t expected = 0;
  for (const auto& [id, instance] : state.instances) {
    for (const auto& [frame_id, frame] : instance->frames) {
      const ListenState* listen = frame->Get<ListenState>();
      if (listen == nullptr || listen->satisfied) continue;
      const dsl::EventConsumption& to = std::get<dsl::ListenTask>(frame->task->spec).to;
      for (const std::string& type : EventTypesOf(to)) {
        ++expected;
        auto found = state.listens.find(type);
        if (found == state.listens.end() || !found->second.contains({id, frame_id})) {
          return Broken(*instance, "a listen is not in the index");
        }
      }
    }
  }
  for (const auto& [id, schedule] : state.schedules) {
    if (!schedule->listens()) continue;
    for (const std::string& type : EventTypesOf(*schedule->spec().on)) {
      ++expected;
      auto found = state.listens.find(type);
      if (found == state.listens.end() || !found->second.contains({id, kNoFrame})) {
        return absl::InternalError(Cat(id, ": its listen is not in the index"));
      }
    }
  }
  size_t indexed = 0;
  for (const auto& [type, keys] : state.listens) indexed += keys.size();
  if (indexed != expected) return absl::InternalError("the index has listens that are gone");
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckInvariants(const ShardState& state) {
  for (const auto& [id, instance] : state.instances) RETURN_IF_ERROR(CheckInstance(*instance));
  if (state.ended.size() != state.ended_order.size() ||
      state.ended.size() > limits::kEndedInstances) {
    return absl::InternalError("the ended instances and their order differ");
  }
  for (const auto& [id, schedule] : state.schedules) {
    if (schedule->removed && schedule->outbox.empty()) {
      return absl::InternalError(Cat(id, ": removed and owes nothing, but is kept"));
    }
    if (schedule->paused && schedule->next_due != 0) {
      return absl::InternalError(Cat(id, ": paused, but due"));
    }
  }
  return CheckListens(state);
}

}  // namespace jaque::engine
