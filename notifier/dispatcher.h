// SPDX-License-Identifier: Apache-2.0
// Brings deliveries to their targets: in order for each instance and target, so that one which
// fails holds back the later ones of its lane and no others. What fails is parked in the bucket and
// tried again with growing pauses for limits::kDeliverySeconds, then it is a dead letter. One
// thread, on which the bucket may wait; the sender's outcomes are posted to it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/any_invocable.h"
#include "base/clock.h"
#include "base/random.h"
#include "coordination/kv_store.h"
#include "notifier/kv_dead_notifications.h"
#include "notifier/sender.h"

namespace jaque::notifier {

struct DispatcherParts {
  const Clock* clock = nullptr;
  Random* random = nullptr;
  KvStore* bucket = nullptr;
  KvDeadNotifications* dead = nullptr;
  Sender* sender = nullptr;
  // Runs it on the dispatcher's thread; dropped once that ends. Any thread.
  std::function<void(absl::AnyInvocable<void()>)> post;
};

class Dispatcher {
 public:
  explicit Dispatcher(const DispatcherParts& parts) : parts_(parts) {}

  void SetRules(std::shared_ptr<const Rules> rules) { rules_ = std::move(rules); }
  // In the order of the log; one that is there already is left out.
  void Add(Delivery delivery);
  // Forgets what comes from a shard that is another's now.
  void Drop(ShardId shard);
  // Sends what is due.
  void Tick();

  // Up to where everything of the shard is sent or parked, if it was read up to `read`.
  Sequence DoneThrough(ShardId shard, Sequence read) const;
  size_t pending() const { return keys_.size(); }

 private:
  struct Lane {
    std::deque<Delivery> waiting;
    int64_t due = 0;  // of the first
    bool sending = false;
  };
  using Lanes = absl::btree_map<std::string, Lane>;  // by instance
  struct Line {                                      // of one target
    Lanes lanes;
    std::set<std::pair<int64_t, std::string>> ready;  // due and instance, of lanes not sending
    int sending = 0;
    double tokens = 0;
    int64_t filled_micros = 0;
  };

  int64_t Now() const { return absl::ToUnixMicros(parts_.clock->Now()); }
  void SendDue(const std::string& name, Line* line);
  void Send(const Target& target, Line* line, const std::string& instance);
  void Ended(const std::string& target, const std::string& instance, const std::string& key,
             const Outcome& outcome);
  // False if it is to be tried again all the same: the dead letter could not be written.
  bool Bury(const Delivery& delivery);
  void TryLater(Lane* lane, const Outcome& outcome);
  // Puts it where a restart finds it.
  void Park(Delivery* delivery);
  void Remove(Lane* lane);
  void Forget(const Delivery& delivery);
  void MakeReady(Line* line, const std::string& instance, int64_t due);

  const DispatcherParts parts_;
  std::shared_ptr<const Rules> rules_ = std::make_shared<Rules>();
  absl::btree_map<std::string, Line> lines_;
  absl::flat_hash_set<std::string> keys_;
  // Deliveries that are neither sent nor parked.
  absl::flat_hash_map<ShardId, absl::btree_map<Sequence, int>> open_;
};

// The pause after so many failed attempts, in microseconds: doubled from a second up to
// limits::kDeliveryPauseSeconds, a random half of it taken off.
int64_t PauseAfter(int attempts, Random* random);

}  // namespace jaque::notifier
