// SPDX-License-Identifier: Apache-2.0
#include "engine/state.h"

#include <algorithm>

#include "coordination/rendezvous.h"

namespace jaque::engine {
namespace {

void AddTypes(const dsl::EventConsumption& consumption, std::vector<std::string>* types) {
  if (consumption.filters.empty()) types->push_back("");
  for (const dsl::EventFilter& filter : consumption.filters) {
    auto type = std::find_if(filter.with.begin(), filter.with.end(),
                             [](const auto& match) { return match.attribute == "type"; });
    const bool literal = type != filter.with.end() && type->value.is_constant() &&
                         type->value.constant().is_string();
    types->emplace_back(literal ? type->value.constant().AsString() : "");
  }
  if (consumption.until_events != nullptr) AddTypes(*consumption.until_events, types);
}

// True if the frame can only go on when time passes or an event comes.
bool Waits(const Frame& frame) {
  if (frame.Get<ListenState>() != nullptr) return !frame.Get<ListenState>()->iterating;
  if (const TryState* attempt = frame.Get<TryState>()) return attempt->waiting;
  return frame.task != nullptr && frame.task->kind() == dsl::TaskKind::kWait;
}

}  // namespace

Frame* Instance::Find(FrameId frame_id) {
  auto found = frames.find(frame_id);
  return found == frames.end() ? nullptr : found->second.get();
}

const Frame* Instance::Find(FrameId frame_id) const {
  auto found = frames.find(frame_id);
  return found == frames.end() ? nullptr : found->second.get();
}

Instance* ShardState::Find(const std::string& id) {
  auto found = instances.find(id);
  return found == instances.end() ? nullptr : found->second.get();
}

const Instance* ShardState::Find(const std::string& id) const {
  auto found = instances.find(id);
  return found == instances.end() ? nullptr : found->second.get();
}

bool ShardState::EndedLately(const std::string& id) const {
  return ended_hashes.contains(HashOfObject(id));
}

const dsl::TaskList* ListOf(const Instance& instance, const Frame& frame) {
  if (frame.task == nullptr) return &instance.workflow->tasks;
  const auto& spec = frame.task->spec;
  if (const auto* task = std::get_if<dsl::DoTask>(&spec)) return &task->tasks;
  if (const auto* task = std::get_if<dsl::ForTask>(&spec)) return &task->tasks;
  if (const auto* task = std::get_if<dsl::ForkTask>(&spec)) return &task->branches;
  if (const auto* task = std::get_if<dsl::TryTask>(&spec)) {
    return frame.Get<TryState>()->catching ? &task->catch_tasks : &task->tasks;
  }
  if (const auto* task = std::get_if<dsl::ListenTask>(&spec)) {
    return task->foreach.has_value() ? &task->foreach->tasks : nullptr;
  }
  return nullptr;
}

Schedule* ShardState::FindSchedule(const std::string& id) {
  auto found = schedules.find(id);
  return found == schedules.end() ? nullptr : found->second.get();
}

const Schedule* ShardState::FindSchedule(const std::string& id) const {
  auto found = schedules.find(id);
  return found == schedules.end() ? nullptr : found->second.get();
}

const absl::btree_map<uint64_t, OutboxEntry>* ShardState::FindOutbox(
    const std::string& object) const {
  if (const Schedule* schedule = FindSchedule(object)) return &schedule->outbox;
  const Instance* instance = Find(object);
  return instance == nullptr ? nullptr : &instance->outbox;
}

bool ShardState::Listens(const ListenKey& key) const {
  if (const Schedule* schedule = FindSchedule(key.first)) return schedule->listens();
  const Instance* instance = Find(key.first);
  return instance != nullptr && instance->Find(key.second) != nullptr;
}

void ShardState::AddListen(const dsl::EventConsumption& to, const ListenKey& key) {
  for (const std::string& type : EventTypesOf(to)) listens[type].insert(key);
}

void ShardState::RemoveListen(const dsl::EventConsumption& to, const ListenKey& key) {
  for (const std::string& type : EventTypesOf(to)) {
    auto found = listens.find(type);
    if (found == listens.end()) continue;
    found->second.erase(key);
    if (found->second.empty()) listens.erase(found);
  }
}

bool IsSchedule(std::string_view object_id) { return object_id.starts_with("schedule/"); }

ListenState FreshListen(const dsl::EventConsumption& to) {
  ListenState listen;
  listen.matched.resize(to.filters.size());
  if (to.until_events != nullptr) listen.until_matched.resize(to.until_events->filters.size());
  return listen;
}

std::vector<std::string> EventTypesOf(const dsl::EventConsumption& to) {
  std::vector<std::string> types;
  AddTypes(to, &types);
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  if (types.front().empty()) types.resize(1);  // "" covers every type
  return types;
}

v1::InstanceStatus StatusOf(const Instance& instance) {
  if (!instance.live()) return instance.end_status;
  if (instance.suspended) return v1::INSTANCE_STATUS_SUSPENDED;
  if (!instance.ready.empty()) return v1::INSTANCE_STATUS_RUNNING;
  for (const auto& [id, frame] : instance.frames) {
    if (frame->children == 0 && !Waits(*frame)) return v1::INSTANCE_STATUS_RUNNING;
  }
  return v1::INSTANCE_STATUS_WAITING;
}

}  // namespace jaque::engine
