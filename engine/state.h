// SPDX-License-Identifier: Apache-2.0
// The state of a shard: its live instances, each a tree of frames (tasks that are under way).
// Changed only by Apply (engine/apply.h); read by Decide. Everything here is a function of the
// shard's log.
//
//   Instance ── root frame ── frame of a `do` ── frame of a `try` ── frame of a `call`
//                    a composite frame walks one list with a cursor; a leaf waits for the outside
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "dsl/model.h"
#include "expression/value.h"
#include "jaque/v1/command.pb.h"
#include "log/definition_store.h"

namespace jaque::engine {

using FrameId = uint32_t;
inline constexpr FrameId kNoFrame = 0;
inline constexpr FrameId kRootFrame = 1;
using Micros = int64_t;  // Unix time; 0: none

struct ForState {
  Value items;
  uint32_t iteration = 0;  // that is under way, from 1; 0: none yet
};

struct ForkState {
  std::vector<std::optional<Value>> outputs;  // by branch
  uint32_t done = 0;
  std::optional<uint32_t> winner;  // the branch that ended first
};

struct TryState {
  uint32_t attempt = 1;
  Micros first_attempt = 0;
  bool waiting = false;   // for the next attempt, until `wake`
  bool catching = false;  // runs catch.do
  Value error;            // if catching
};

struct ListenState {
  std::vector<bool> matched;  // `all`: by filter
  std::vector<bool> until_matched;
  absl::btree_map<std::string, Value> correlation;
  Value consumed = Value::Array();  // without foreach: every item read so far
  Value outputs = Value::Array();   // with foreach: what each iteration gave
  std::deque<Value> waiting;        // items that foreach has not begun
  Value item;                       // of the iteration under way
  uint32_t iteration = 0;           // begun so far
  bool iterating = false;
  bool satisfied = false;  // nothing more is consumed
};

// call, run: a worker's attempt or a child instance is awaited.
struct WorkState {
  uint32_t attempt = 1;
  std::string child;  // instance id, for run workflow
};

struct Frame {
  FrameId id = kNoFrame;
  FrameId parent = kNoFrame;
  const dsl::Task* task = nullptr;  // null: the root
  uint32_t depth = 0;
  uint32_t cursor = 0;  // position in list(); its size: the list has ended
  uint32_t children = 0;
  Micros started = 0;
  Micros wake = 0;
  Micros timeout = 0;
  Value raw_input;
  Value input;  // transformed
  Value data;   // what the next task of the list gets
  std::variant<std::monostate, ForState, ForkState, TryState, ListenState, WorkState> detail;

  template <typename T>
  T* Get() {
    return std::get_if<T>(&detail);
  }
  template <typename T>
  const T* Get() const {
    return std::get_if<T>(&detail);
  }
};

// Something to be done outside until it is confirmed; repeated by a new owner (design, section 6).
struct OutboxEntry {
  enum class Kind : uint8_t { kEmit, kStartChild, kCancelChild, kNotifyParent, kStartScheduled };
  Kind kind = Kind::kEmit;
  std::string target;                // kEmit: the event's id; else an instance
  std::string definition;            // kStartChild, kStartScheduled
  uint32_t depth = 0;                // kStartChild: of the parent
  FrameId frame = 0;                 // kStartChild: of the parent, kNotifyParent: of the receiver
  bool await = true;                 // kStartChild
  std::string json;                  // event, input of what is started, output
  Micros due = 0;                    // kStartScheduled
  std::optional<v1::Problem> error;  // kNotifyParent: instead of json
};

struct ParentLink {
  std::string instance;  // empty: started from outside
  FrameId frame = 0;
  uint32_t depth = 0;  // of this instance: 0 if started from outside
  bool await = false;
};

struct Instance {
  std::string id;
  DefinitionStore::WorkflowPtr workflow;
  ParentLink parent;
  Micros started = 0;
  Micros ended = 0;  // 0: live
  v1::InstanceStatus end_status = v1::INSTANCE_STATUS_UNSPECIFIED;
  Value input;  // raw
  Value context = Value::Object();
  Value output;            // if completed
  v1::Problem error;       // if faulted
  bool suspended = false;  // takes no step
  std::string suspended_reason;
  uint64_t events_after = 0;
  FrameId next_frame = kRootFrame + 1;
  uint64_t next_outbox = 1;
  uint32_t steps_without_wait = 0;
  absl::btree_map<FrameId, std::unique_ptr<Frame>> frames;
  std::deque<FrameId> ready;  // whose next step can be decided now
  absl::btree_map<uint64_t, OutboxEntry> outbox;
  absl::btree_set<std::string> consumed_events;  // "source\nid" taken by a listen of this instance

  Frame* Find(FrameId id);
  const Frame* Find(FrameId id) const;
  bool live() const { return ended == 0; }
};

// What is remembered of an instance that has ended and owes nothing to anybody.
struct EndedInstance {
  std::string definition;
  v1::InstanceStatus status = v1::INSTANCE_STATUS_UNSPECIFIED;
  Micros started = 0, ended = 0;
  std::string input, output;  // JSON
  v1::Problem error;
};

// An object of its own, schedule/<namespace>/<name>: starts instances when they are due.
struct Schedule {
  std::string id;
  DefinitionStore::WorkflowPtr workflow;  // the version that it starts
  bool removed = false;                   // kept for what its outbox owes
  bool paused = false;
  std::string reason;  // why paused
  Micros next_due = 0, last_due = 0;
  std::string last_instance;
  uint64_t fired = 0;
  bool awaiting = false;  // the end of the instance that it started last, for `after`
  uint64_t events_after = 0;
  ListenState events;  // what `on` has taken, as it waits for more
  uint64_t next_outbox = 1;
  absl::btree_map<uint64_t, OutboxEntry> outbox;

  const dsl::Schedule& spec() const { return *workflow->schedule; }
  bool listens() const { return !removed && !paused && spec().on.has_value(); }
};

// A listen that waits: who is asked when an event of that type comes.
using ListenKey = std::pair<std::string, FrameId>;  // instance and frame, or schedule and 0

struct ShardState {
  uint64_t epoch = 0;
  absl::flat_hash_map<std::string, std::unique_ptr<Instance>> instances;
  absl::flat_hash_map<std::string, EndedInstance> ended;
  std::deque<std::string> ended_order;  // oldest first; bounded
  // Hashes of the ids that ended within limits::kEndedMicros: a start that is delivered again must
  // not run again. Oldest first.
  std::deque<std::pair<Micros, uint64_t>> ended_lately;
  absl::flat_hash_set<uint64_t> ended_hashes;
  absl::btree_map<std::string, std::unique_ptr<Schedule>> schedules;
  // Waiting listens by the event type that they name; "" where they name none.
  absl::flat_hash_map<std::string, absl::btree_set<ListenKey>> listens;

  // Careful mode (shard_careful.cc).
  std::string owner;  // opened the shard last
  uint64_t owner_incarnation = 0;
  std::deque<Micros> deaths;  // of owners, within limits::kDeathWindowMicros of the last opening
  std::string marked;         // the object that was about to be run; empty: none
  absl::btree_map<std::string, uint32_t> suspects;  // objects marked when owners died, how often
  absl::btree_set<std::string> quarantined;         // objects that killed engines

  Instance* Find(const std::string& id);
  const Instance* Find(const std::string& id) const;
  bool EndedLately(const std::string& id) const;
  Schedule* FindSchedule(const std::string& id);
  const Schedule* FindSchedule(const std::string& id) const;
  // Null if the object is not there.
  const absl::btree_map<uint64_t, OutboxEntry>* FindOutbox(const std::string& object) const;
  bool Listens(const ListenKey& key) const;
  void AddListen(const dsl::EventConsumption& to, const ListenKey& key);
  void RemoveListen(const dsl::EventConsumption& to, const ListenKey& key);
};

// The list that a composite frame walks now; null for a leaf.
const dsl::TaskList* ListOf(const Instance& instance, const Frame& frame);

// The event types that filters name, "" if one of them names none.
std::vector<std::string> EventTypesOf(const dsl::EventConsumption& to);

// Nothing taken yet.
ListenState FreshListen(const dsl::EventConsumption& to);

// Is the object a schedule? Ids of instances have no slash.
bool IsSchedule(std::string_view object_id);

v1::InstanceStatus StatusOf(const Instance& instance);

}  // namespace jaque::engine
