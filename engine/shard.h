// SPDX-License-Identifier: Apache-2.0
// One shard on its executor:  command ─> Decide (applies) ─> batch ─> Append ─> effects and
// answers. One batch is in flight at a time; what is decided meanwhile gathers into the next (group
// commit). Memory runs ahead of the log, effects never do; when an append is refused, or its
// outcome stays unknown, the memory is dropped and read back (design, invariants 1, 4 and 5).
//
// What the view makes of it (shard_ownership.cc):
//
//     kIdle ──StandBy──> kFollowing ──Own──> kOpening ──ShardOpened is in the log──> kOpen
//       ^                    ^                                                        │ StandBy,
//       └────────────────────┴──────────── kClosing <── an append is in flight ───────┘ Leave
//
// Only the executor's thread.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "base/limits.h"
#include "base/random.h"
#include "coordination/ownership.h"
#include "engine/decide.h"
#include "engine/executor.h"
#include "jaque/v1/event.pb.h"
#include "jaque/v1/snapshot.pb.h"
#include "log/event_log.h"

namespace jaque::engine {

class CarefulTurn;
class Performer;
class SnapshotKeeper;

struct ShardParts {
  ShardId id = 0;
  std::string engine_id;
  uint64_t seed = 0;
  Executor* executor = nullptr;
  EventLog* log = nullptr;
  DefinitionStore* definitions = nullptr;
  SnapshotKeeper* snapshots = nullptr;                // null: the log is read from its beginning
  size_t snapshot_bytes = limits::kSnapshotLogBytes;  // of the log between two of them
  CarefulTurn* turn = nullptr;
  Performer* performer = nullptr;
  const Clock* clock = nullptr;
};

class Shard {
 public:
  using ReplyFn = absl::AnyInvocable<void(v1::CommandReply)>;
  enum class Phase { kIdle, kFollowing, kOpening, kOpen, kClosing };

  explicit Shard(ShardParts parts);

  // What the newest view says; each may be called again.
  void Own(std::shared_ptr<const Ownership> view);
  void StandBy();  // follows the log, so that a take-over replays only the last moments
  void Leave();

  // `reply` is called once, on the executor's thread, after what it tells is durable. Commands that
  // come while the shard is being opened wait.
  void Handle(v1::Command command, uint64_t events_position, ReplyFn reply);
  // Appends what has gathered, unless an append is in flight.
  void Flush();

  const ShardState& state() const { return state_; }
  ShardId id() const { return parts_.id; }
  Phase phase() const { return phase_; }

 private:
  enum class Wanted { kNothing, kStandby, kOwner };
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
  struct Waiting {
    v1::Command command;
    uint64_t events_position = 0;
    ReplyFn reply;
  };
  struct Unread {
    Sequence sequence = 0;
    std::string bytes;
  };

  // --- shard.cc: deciding and appending
  static void Count(const v1::Event& event, Pending* pending);
  void Decide(const v1::Command& command, uint64_t events_position, ReplyFn reply);
  void Gather(const std::string& object_id, Micros now, Outcome outcome, ReplyFn reply);
  void AppendBatch(v1::LogBatch batch);
  void Append();  // what is in flight, or confirms that this is the owner if that has no facts
  void AppendEnded(AppendResult result);
  void Commit(std::vector<Pending> committed);
  void AnswerOne(Pending* pending);
  void Perform(Effect* effect);

  // --- shard_snapshot.cc
  // True if a snapshot is due: nothing is decided until what has gathered is in the log.
  bool DrainForSnapshot();
  void TakeSnapshotIfDrained();

  // --- shard_careful.cc: marking what is about to be run
  bool Careful() const;
  void RunCarefully(Waiting command);
  void AskForTurn();
  void EndTurn();
  void MarkNext();
  void RunMarked(Waiting command);

  // --- shard_ownership.cc: reading, opening, closing
  void LeaveOr(Wanted wanted);
  void BeginOpening();
  void TryOpen();
  void OpenEnded(const AppendResult& result);
  void Opened();
  void TryOpenLater();
  void ReadAnewLater();
  // Takes the phase that is wanted; the memory is as the log has it, unless it is `dirty_`.
  void Settle();
  void Forget();
  void StartReading();  // from what the memory is; from the newest snapshot if that is nothing
  void StartReadingLater(int64_t micros);  // unless it was begun or given up meanwhile
  void Restore(const v1::ShardSnapshot& snapshot, Sequence sequence);
  void StartTail();
  void StopReading();
  void ReadOn();
  absl::Status ReadRecord(const Unread& record);
  // The memory is wrong or may be: everybody who waits is told so, and the log is read again.
  void Reload();
  // Everybody who waits for what will not be appended by this engine.
  void Dismiss(v1::CommandReply::Code code, const std::string& why);

  const ShardParts parts_;
  Random random_;
  ShardState state_;
  Sequence last_ = 0;

  Phase phase_ = Phase::kIdle;
  Wanted wanted_ = Wanted::kNothing;
  std::shared_ptr<const Ownership> view_;  // the newest that made this engine the owner
  uint64_t epoch_ = 0;                     // that this engine opened the shard under, or tries to
  absl::Duration asked_at_;                // when it was made the owner, on the monotonic clock
  bool overtaken_ = false;  // opened by another under a newer view than this engine knows
  bool dirty_ = false;      // facts were applied that will not be appended
  bool refused_ = false;    // an append was, and it is not known yet by whom
  std::deque<Waiting> waiting_;
  v1::LogBatch opening_;         // the batch that opens the shard, while it is appended
  std::deque<Waiting> careful_;  // to be marked and run, one at a time
  bool turn_asked_ = false;      // or had

  // Reading. Posts of an earlier tail are known by its number.
  std::unique_ptr<EventLog::Subscription> tail_;
  uint64_t tail_number_ = 0;
  bool reading_ = false;  // the tail, or the snapshot before it
  bool caught_up_ = false;
  Sequence read_anew_after_ = 0;  // the place from which the tail was read anew last
  bool read_again_ = false;  // a timer will
  std::deque<Unread> unread_;

  // Snapshots.
  size_t bytes_since_ = 0, snapshot_size_ = 0;
  bool saving_ = false;

  // Appending.
  uint64_t batches_ = 0;
  int resent_ = 0;
  bool appending_ = false;
  absl::Duration append_began_;
  std::deque<Pending> gathered_;
  std::vector<Pending> in_flight_;
  std::string in_flight_id_, in_flight_bytes_;
  Sequence in_flight_after_ = 0;  // what it was decided upon: reading may go on meanwhile
  absl::flat_hash_map<std::string, std::vector<ReplyFn>> waiters_;  // for the end of an instance
};

}  // namespace jaque::engine
