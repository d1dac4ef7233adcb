// SPDX-License-Identifier: Apache-2.0
// The notifier: reads the log of the shards that it owns, makes of the lifecycle events that the
// rules name deliveries, and remembers how far it has come. What it remembers of a shard is one key
// that is written by compare-and-set: of two that think they own a shard, one loses it. Built,
// started and stopped by the main thread; its work is on a thread of its own.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/random.h"
#include "coordination/kv_store.h"
#include "engine/executor.h"
#include "log/definition_store.h"
#include "log/event_log.h"
#include "log/tail_reader.h"
#include "notifier/dispatcher.h"
#include "notifier/shard_progress.h"

namespace jaque::notifier {

struct NotifierOptions {
  std::string rules_file;
  uint64_t seed = 0;
  bool stepped = false;  // no thread: whoever built it calls Step
};

struct NotifierParts {
  const Clock* clock = nullptr;
  EventLog* log = nullptr;
  DefinitionStore* definitions = nullptr;
  KvStore* bucket = nullptr;            // notifications
  KvDeadNotifications* dead = nullptr;  // in the same bucket
  LogProgress* progress = nullptr;      // what the log must keep; null: nobody asks
  Sender* sender = nullptr;             // outlives the notifier's Stop
};

class Notifier {
 public:
  // InvalidArgument for rules that are wrong: every finding with its place.
  static absl::StatusOr<std::unique_ptr<Notifier>> Create(const NotifierOptions& options,
                                                          const NotifierParts& parts);
  ~Notifier();  // Stop

  // The shards that are this notifier's from now on. Any thread.
  void Own(std::vector<ShardId> shards);
  // To be called every few tens of milliseconds, by one thread.
  void Tick();
  // OK when what was in the log before has been read. Any thread.
  absl::Status Ready() const;
  // Remembers how far it has come. May be called again.
  void Stop();
  bool Step() { return executor_.RunOnce(); }

 private:
  struct Shard;

  Notifier(const NotifierOptions& options, const NotifierParts& parts);
  absl::StatusOr<std::string> ReadFile() const;
  absl::StatusOr<std::shared_ptr<const Rules>> Parse(const std::string& text) const;
  void ReadRulesAgain();

  // --- on its thread
  void TickHere();
  void SetOwned(const std::vector<ShardId>& shards);
  // Takes those that are not taken yet.
  void TakeAll();
  bool Take(ShardId id, Shard* shard);
  void TakeParked(const KvEntry& entry);
  void ReadLog();
  void Handle(const TailReader::Record& record);
  void BeginHere(Shard* shard);
  void Tell(ShardId id, Sequence sequence, const LifecycleEvent& event);
  void TellRule(const Rule& rule, const Value& cloud_event, ShardId id, Sequence sequence,
                const LifecycleEvent& event);
  // True if there was something to save; the shard may be lost then.
  bool Save(ShardId id);
  void SaveSome();
  void Lose(ShardId id);

  const NotifierOptions options_;
  const NotifierParts parts_;
  Random random_;
  engine::Executor executor_;
  Dispatcher dispatcher_;
  ShardProgress progress_;
  std::shared_ptr<const Rules> rules_;
  std::string rules_text_;
  std::vector<ShardId> mine_;
  absl::btree_map<ShardId, std::unique_ptr<Shard>> shards_;
  TailReader reader_;
  ShardId saved_next_ = 0;  // where the saving goes on
  int64_t rules_micros_ = 0, take_micros_ = 0, told_micros_ = 0;
  std::atomic<int> owned_ = -1, caught_up_ = 0;  // -1: it is not known yet
  std::atomic<bool> ticking_ = false;
  std::unique_ptr<KvStore::Subscription> watch_;
  std::unique_ptr<engine::ExecutorThread> thread_;  // goes first
};

}  // namespace jaque::notifier
