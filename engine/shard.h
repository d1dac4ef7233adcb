// SPDX-License-Identifier: Apache-2.0
// One shard on its executor:  command ─> Decide (applies) ─> batch ─> Append ─> effects and
// answers. One batch is in flight at a time; what is decided meanwhile gathers into the next (group
// commit). Memory runs ahead of the log, effects never do; when an append is refused, or its
// outcome stays unknown, the memory is dropped and read back (design, invariants 1, 4 and 5). Only
// the executor's thread.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "base/random.h"
#include "engine/decide.h"
#include "engine/executor.h"
#include "log/event_log.h"

namespace jaque::engine {

class Performer;

struct ShardParts {
  ShardId id = 0;
  uint64_t epoch = 1;
  std::string engine_id;
  uint64_t seed = 0;
  Executor* executor = nullptr;
  EventLog* log = nullptr;
  DefinitionStore* definitions = nullptr;
  Performer* performer = nullptr;
  const Clock* clock = nullptr;
};

class Shard {
 public:
  using ReplyFn = absl::AnyInvocable<void(v1::CommandReply)>;

  explicit Shard(ShardParts parts);

  // Reads the log, then appends ShardOpened; commands that come meanwhile wait.
  absl::Status Open();
  // `reply` is called once, on the executor's thread, after what it tells is durable.
  void Handle(const v1::Command& command, uint64_t events_position, ReplyFn reply);
  // Appends what has gathered, unless an append is in flight.
  void Flush();

  const ShardState& state() const { return state_; }
  ShardId id() const { return parts_.id; }

 private:
  // What one decision waits to have appended; a big decision is several, the last with the rest.
  struct Pending {
    v1::Decision decision;
    size_t bytes = 0;
    std::vector<Effect> effects;
    std::optional<v1::CommandReply> answer;
    bool answer_at_end = false;
    ReplyFn reply;
    int started = 0, completed = 0, faulted = 0, cancelled = 0;  // instances, for the metrics
  };

  static void Count(const v1::Event& event, Pending* pending);
  void Gather(const std::string& object_id, Micros now, Outcome outcome, ReplyFn reply);
  void Append();
  void AppendEnded(AppendResult result);
  void Commit(std::vector<Pending> committed);
  void AnswerOne(Pending* pending);
  void Perform(Effect* effect);
  absl::Status ReadBack();
  // The memory is wrong or may be: everybody who waits is told so, and the log is read again.
  void Reload();

  const ShardParts parts_;
  Random random_;
  ShardState state_;
  Sequence last_ = 0;
  uint64_t batches_ = 0;
  int resent_ = 0;
  bool open_ = false;
  std::deque<Pending> gathered_;
  std::vector<Pending> in_flight_;
  std::string in_flight_id_, in_flight_bytes_;
  absl::flat_hash_map<std::string, std::vector<ReplyFn>> waiters_;  // for the end of an instance
};

}  // namespace jaque::engine
