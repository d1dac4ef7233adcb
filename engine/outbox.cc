// SPDX-License-Identifier: Apache-2.0
#include "engine/outbox.h"

#include "base/text.h"
#include "expression/json.h"

namespace jaque::engine {
namespace {

OutboxEntry& Add(Instance* instance, OutboxEntry::Kind kind, std::string target) {
  OutboxEntry& entry = instance->outbox[instance->next_outbox++];
  entry.kind = kind;
  entry.target = std::move(target);
  return entry;
}

}  // namespace

std::string ChildId(const Instance& instance, FrameId frame) {
  return Cat(instance.id, ".", frame);
}

void AddEmitted(Instance* instance, const std::string& event_json) {
  Add(instance, OutboxEntry::Kind::kEmit, "").json = event_json;
}

void AddChild(Instance* instance, Frame* frame, const std::string& definition, const Value& input) {
  const auto& run = std::get<dsl::RunWorkflowTask>(frame->task->spec);
  const std::string child = ChildId(*instance, frame->id);
  OutboxEntry& entry = Add(instance, OutboxEntry::Kind::kStartChild, child);
  entry.definition = definition;
  entry.frame = frame->id;
  entry.depth = instance->parent.depth;
  entry.await = run.await;
  entry.json = ToJson(input);
  if (run.await) frame->Get<WorkState>()->child = child;
}

void AddCancelChild(Instance* instance, const std::string& child) {
  Add(instance, OutboxEntry::Kind::kCancelChild, child);
}

void NotifyParent(Instance* instance) {
  if (!instance->parent.await) return;
  OutboxEntry& entry = Add(instance, OutboxEntry::Kind::kNotifyParent, instance->parent.instance);
  entry.frame = instance->parent.frame;
  switch (instance->end_status) {
    case v1::INSTANCE_STATUS_COMPLETED:
      entry.json = ToJson(instance->output);
      break;
    default:
      entry.error = instance->error;
  }
}

}  // namespace jaque::engine
