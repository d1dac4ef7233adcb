// SPDX-License-Identifier: Apache-2.0
#include "engine/listener.h"

#include "engine/shard.h"
#include "expression/json.h"

namespace jaque::engine {
namespace {

std::string TypeOf(std::string_view json) {
  const absl::StatusOr<Value> event = ParseJson(json);
  if (!event.ok() || !event->is_object()) return "";
  return std::string(event->StringOr("type", ""));
}

}  // namespace

void Listener::Open(std::vector<Shard*> shards) {
  shards_ = std::move(shards);
  position_ = events_->LastSequence();
  subscription_ = events_->Subscribe(
      position_, [this, inbox = executor_->inbox()](const StreamedEvent& streamed) {
        Event event{streamed.sequence, std::string(streamed.json), ""};
        inbox->Post([this, event = std::move(event)]() mutable {
          event.type = TypeOf(event.json);
          Heard(std::move(event));
        });
      });
}

void Listener::Close() {
  subscription_.reset();
  catching_up_.clear();
  listening_.clear();
}

void Listener::Heard(Event event) {
  position_ = event.sequence;
  for (Shard* shard : shards_) {
    // By instance: one event is one command to it, whichever of its listens it concerns.
    absl::btree_map<std::string, std::vector<FrameId>> concerned;
    for (const std::string& type : {event.type, std::string()}) {
      auto listens = shard->state().listens.find(type);
      if (listens == shard->state().listens.end()) continue;
      for (const ListenKey& key : listens->second) {
        auto catching_up = catching_up_.find(key);
        if (catching_up != catching_up_.end()) {
          if (event.sequence > catching_up->second.until) {
            catching_up->second.waiting.push_back(event);
          }
        } else if (listening_.contains(key)) {
          concerned[key.first].push_back(key.second);
        }
      }
      if (event.type.empty()) break;
    }
    for (auto& [instance, frames] : concerned) {
      Deliver(shard, instance, std::move(frames), event);
    }
  }
}

void Listener::Start(Shard* shard, const std::string& instance, FrameId frame, uint64_t after) {
  const ListenKey key{instance, frame};
  listening_.erase(key);
  catching_up_.erase(key);
  if (after >= position_) return Listen(shard, key);
  CatchUp& catch_up = catching_up_[key];
  catch_up.until = position_;
  catch_up.subscription = events_->Subscribe(
      after, [this, inbox = executor_->inbox(), shard, key](const StreamedEvent& streamed) {
        Event event{streamed.sequence, std::string(streamed.json), ""};
        inbox->Post([this, shard, key, event = std::move(event)]() mutable {
          CaughtUp(shard, key, std::move(event));
        });
      });
}

void Listener::Listen(const Shard* shard, const ListenKey& key) {
  listening_[key] = shard;
  if (listening_.size() < tidy_at_) return;
  absl::erase_if(listening_,
                 [](const auto& listen) { return !listen.second->state().Listens(listen.first); });
  tidy_at_ = 2 * listening_.size() + kTidyAt;
}

void Listener::CaughtUp(Shard* shard, const ListenKey& key, Event event) {
  auto found = catching_up_.find(key);
  if (found == catching_up_.end()) return;
  const uint64_t until = found->second.until;
  if (event.sequence <= until) Deliver(shard, key.first, {key.second}, event);
  if (event.sequence < until) return;
  std::deque<Event> waiting = std::move(found->second.waiting);
  catching_up_.erase(found);
  Listen(shard, key);
  for (const Event& later : waiting) Deliver(shard, key.first, {key.second}, later);
}

void Listener::Deliver(Shard* shard, const std::string& instance, std::vector<FrameId> frames,
                       const Event& event) {
  v1::Command command;
  command.set_object_id(instance);
  v1::DeliverEvent* deliver = command.mutable_deliver_event();
  deliver->set_sequence(event.sequence);
  deliver->set_event(event.json);
  for (FrameId frame : frames) deliver->add_frames(frame);
  shard->Handle(std::move(command), position_, nullptr);
}

}  // namespace jaque::engine
