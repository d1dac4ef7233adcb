// SPDX-License-Identifier: Apache-2.0
// Brings CloudEvents to the listens of an executor's shards. A listen that begins gets first the
// events stored since its instance began (it catches up), then those that come; what comes while it
// catches up waits its turn. Only the executor's thread, but for what the stream calls, which
// posts.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "engine/executor.h"
#include "engine/state.h"
#include "queue/event_stream.h"

namespace jaque::engine {

class Shard;

class Listener {
 public:
  Listener(Executor* executor, EventStream* events) : executor_(executor), events_(events) {}

  // Begins to hear what comes for `shards`.
  void Open(std::vector<Shard*> shards);
  void Close();
  // The last event that was heard: an instance that starts now is offered the later ones.
  uint64_t position() const { return position_; }
  void Start(Shard* shard, const std::string& instance, FrameId frame, uint64_t after);

 private:
  struct Event {
    uint64_t sequence = 0;
    std::string json;
    std::string type;
  };
  struct CatchUp {
    uint64_t until = 0;  // later events come the usual way
    std::deque<Event> waiting;
    std::unique_ptr<EventStream::Subscription> subscription;
  };

  static constexpr size_t kTidyAt = 1'000;  // listens, of which many may have ended

  void Heard(Event event);
  void Listen(const Shard* shard, const ListenKey& key);
  void CaughtUp(Shard* shard, const ListenKey& key, Event event);
  void Deliver(Shard* shard, const std::string& instance, std::vector<FrameId> frames,
               const Event& event);

  Executor* const executor_;
  EventStream* const events_;
  std::vector<Shard*> shards_;
  uint64_t position_ = 0;
  std::unique_ptr<EventStream::Subscription> subscription_;
  absl::flat_hash_map<ListenKey, CatchUp> catching_up_;
  // Listens that have been offered all there was and take what comes. One that is in neither map
  // has not begun yet, though it is in the shard's index already: Start offers it what it misses.
  absl::flat_hash_map<ListenKey, const Shard*> listening_;
  size_t tidy_at_ = kTidyAt;
};

}  // namespace jaque::engine
