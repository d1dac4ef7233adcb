// SPDX-License-Identifier: Apache-2.0
// How a shard becomes this engine's and ceases to be (design, section 4). Becoming owner: read what
// the log has, then append ShardOpened after the last record that was read; a conflict means that
// there is more to read. Ceasing: stop deciding, let the append in flight end, forget.
#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/logging.h"
#include "base/metrics.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "engine/performer.h"
#include "engine/replay.h"
#include "engine/shard.h"
#include "engine/snapshot.h"
#include "engine/snapshot_keeper.h"

namespace jaque::engine {
namespace {

constexpr int64_t kTailPatienceMicros = 100'000;
constexpr char kElsewhere[] = "the object has another owner now";

}  // namespace

void Shard::Own(std::shared_ptr<const Ownership> view) {
  view_ = std::move(view);
  overtaken_ = false;
  if (wanted_ != Wanted::kOwner) asked_at_ = parts_.clock->Monotonic();
  wanted_ = Wanted::kOwner;
  if (phase_ == Phase::kIdle || phase_ == Phase::kFollowing) return BeginOpening();
  if (phase_ == Phase::kOpening) TryOpen();
}

void Shard::StandBy() { LeaveOr(Wanted::kStandby); }

void Shard::Leave() { LeaveOr(Wanted::kNothing); }

void Shard::LeaveOr(Wanted wanted) {
  wanted_ = wanted;
  if (phase_ == Phase::kClosing) return;
  if (!appending_) return Settle();
  phase_ = Phase::kClosing;
  Dismiss(v1::CommandReply::CODE_NOT_OWNED, kElsewhere);
}

void Shard::Settle() {
  Dismiss(v1::CommandReply::CODE_NOT_OWNED, kElsewhere);
  if (std::exchange(dirty_, false)) Forget();
  switch (wanted_) {
    case Wanted::kNothing:
      Forget();
      phase_ = Phase::kIdle;
      return;
    case Wanted::kStandby:
      phase_ = Phase::kFollowing;
      if (!reading_) StartReading();
      return;
    case Wanted::kOwner:
      return BeginOpening();
  }
}

void Shard::BeginOpening() {
  phase_ = Phase::kOpening;
  TryOpen();
}

void Shard::TryOpen() {
  if (phase_ != Phase::kOpening || appending_) return;
  if (reading_ && (!caught_up_ || !unread_.empty())) return;
  if (state_.epoch > view_->epoch()) {
    // Somebody opened it under a newer view, which this engine is going to be told, or, cut off, is
    // not: others answer for these objects.
    overtaken_ = true;
    return Dismiss(v1::CommandReply::CODE_NOT_OWNED, kElsewhere);
  }
  epoch_ = view_->epoch();
  opening_.Clear();
  v1::Decision* decision = opening_.add_decisions();
  decision->set_at_micros(parts_.executor->Now());
  v1::ShardOpened* opened = decision->add_events()->mutable_shard_opened();
  opened->set_engine(parts_.engine_id);
  opened->set_incarnation(view_->IncarnationOf(parts_.engine_id));
  opened->set_unclean(!state_.owner.empty() &&
                      view_->IncarnationOf(state_.owner) != state_.owner_incarnation);
  const auto suspect = state_.suspects.find(state_.marked);
  const uint32_t deaths = suspect == state_.suspects.end() ? 0 : suspect->second;
  if (opened->unclean() && !state_.marked.empty() && deaths + 1 >= limits::kMarkedDeaths) {
    // One owner after another died while it ran this.
    v1::Decision* quarantine = opening_.add_decisions();
    quarantine->set_object_id(state_.marked);
    quarantine->set_at_micros(decision->at_micros());
    quarantine->add_events()->mutable_instance_quarantined()->set_deaths(deaths + 1);
  }
  opening_.set_epoch(epoch_);
  AppendBatch(opening_);
}

void Shard::OpenEnded(const AppendResult& result) {
  // The answer may be so late that a next owner's records have been read already.
  if (result.outcome == AppendOutcome::kCommitted && last_ <= result.sequence) {
    if (last_ < result.sequence) {  // else the tail has brought it already
      JAQUE_CHECK(ApplyBatch(opening_, parts_.definitions, &state_).ok());
    }
    last_ = result.sequence;
    StopReading();
    return phase_ == Phase::kClosing ? Settle() : Opened();
  }
  // It may be in the log all the same: then the tail brings it.
  if (!reading_) StartReading();
  if (phase_ == Phase::kClosing) return Settle();
  // What it was refused for may have been read while it was under way.
  if (last_ > in_flight_after_) return TryOpen();
  if (result.outcome == AppendOutcome::kConflict) return ReadAnewLater();
  TryOpenLater();
}

// A refusal says that there is more to read. A tail that does not bring it in this time has been
// lost by the server and would notice that by its silence, seconds later. Where reading anew brings
// nothing either, the log has lost what was read of it.
void Shard::ReadAnewLater() {
  parts_.executor->At(parts_.executor->Now() + kTailPatienceMicros,
                      [this, number = tail_number_, after = in_flight_after_] {
                        if (phase_ != Phase::kOpening || appending_ || !caught_up_) return;
                        if (number != tail_number_ || last_ != after) return;  // it brought some
                        if (std::exchange(read_anew_after_, last_) == last_) {
                          LogWarn(
                              "a shard's log is not what was read of it; it is read from its "
                              "beginning",
                              {{"shard", parts_.id}, {"after", last_}});
                          Forget();
                        }
                        StartReading();
                      });
}

void Shard::Opened() {
  phase_ = Phase::kOpen;
  ProcessMetrics().takeover_seconds.Observe(
      absl::ToDoubleSeconds(parts_.clock->Monotonic() - asked_at_));
  if (opening_.decisions_size() > 1) {
    ProcessMetrics().quarantined.Increment();
    LogError("an object is quarantined: engines died while they ran it",
             {{"object", opening_.decisions(1).object_id()}, {"shard", parts_.id}});
  }
  for (Effect& effect : OpenEffects(state_, {parts_.engine_id})) Perform(&effect);
  for (Waiting& waiting : std::exchange(waiting_, {})) {
    Handle(std::move(waiting.command), waiting.events_position, std::move(waiting.reply));
  }
  Flush();
}

// The tail brings what came first, and then it is tried again; this is for a refusal without one.
void Shard::TryOpenLater() {
  parts_.executor->At(parts_.executor->Now() + limits::kReloadMicros, [this] { TryOpen(); });
}

void Shard::Forget() {
  StopReading();
  state_ = ShardState();
  last_ = 0;
  bytes_since_ = snapshot_size_ = 0;
}

void Shard::StartReading() {
  StopReading();
  reading_ = true;
  if (last_ > 0 || parts_.snapshots == nullptr) return StartTail();
  parts_.snapshots->Load(parts_.id, [this, inbox = parts_.executor->inbox(), number = tail_number_](
                                        absl::StatusOr<SnapshotKeeper::Loaded> loaded) {
    inbox->Post([this, number, loaded = std::move(loaded)] {
      if (number != tail_number_) return;
      if (loaded.ok()) return Restore(loaded->snapshot, loaded->sequence);
      LogWarn("a shard's snapshot cannot be read",
              {{"shard", parts_.id}, {"why", Message(loaded.status())}});
      StartReadingLater(limits::kReloadMicros);
    });
  });
}

void Shard::StartReadingLater(int64_t micros) {
  parts_.executor->At(parts_.executor->Now() + micros, [this, number = tail_number_] {
    if (number == tail_number_) StartReading();
  });
}

void Shard::Restore(const v1::ShardSnapshot& snapshot, Sequence sequence) {
  if (sequence > 0) {
    absl::StatusOr<ShardState> state = RestoreSnapshot(snapshot, parts_.definitions);
    if (!state.ok()) {
      LogWarn("a shard's snapshot cannot be restored",
              {{"shard", parts_.id}, {"why", Message(state.status())}});
      return StartReadingLater(limits::kReloadMicros);
    }
    state_ = *std::move(state);
    last_ = sequence;
    snapshot_size_ = snapshot.ByteSizeLong();
  }
  StartTail();
}

void Shard::StartTail() {
  const uint64_t number = tail_number_;
  const std::shared_ptr<Executor::Inbox> inbox = parts_.executor->inbox();
  tail_ = parts_.log->Tail(
      parts_.id, last_,
      [this, inbox, number](ShardId, const LogRecord& record) {
        inbox->Post([this, number, unread = Unread{record.sequence, std::string(record.bytes)}] {
          if (number != tail_number_) return;
          unread_.push_back(unread);
          ReadOn();
        });
      },
      [this, inbox, number] {
        inbox->Post([this, number] {
          if (number != tail_number_) return;
          caught_up_ = true;
          TryOpen();
        });
      });
}

void Shard::StopReading() {
  ++tail_number_;
  tail_.reset();
  reading_ = false;
  unread_.clear();
  caught_up_ = false;
}

void Shard::ReadOn() {
  if (read_again_) return;
  while (!unread_.empty()) {
    const absl::Status read = ReadRecord(unread_.front());
    if (absl::IsOutOfRange(read)) {
      Forget();
      reading_ = true;
      return StartReadingLater(limits::kOutboxRetryMicros);
    }
    if (!read.ok()) {
      // What it needs (a definition) cannot be had now.
      LogWarn("a shard's log cannot be read on", {{"shard", parts_.id}, {"why", Message(read)}});
      read_again_ = true;
      return parts_.executor->At(parts_.executor->Now() + limits::kReloadMicros, [this] {
        read_again_ = false;
        ReadOn();
      });
    }
    last_ = std::max(last_, unread_.front().sequence);
    unread_.pop_front();
  }
  TryOpen();
}

absl::Status Shard::ReadRecord(const Unread& record) {
  if (record.sequence <= last_) return absl::OkStatus();
  bytes_since_ += record.bytes.size();
  v1::LogBatch batch;
  if (!batch.ParseFromString(record.bytes)) {
    // No engine wrote this; the shard must not stand still for it.
    LogError("a record of the log is no batch of events",
             {{"shard", parts_.id}, {"sequence", record.sequence}});
    return absl::OkStatus();
  }
  if (batch.epoch() < state_.epoch) {
    ProcessMetrics().stale_epochs.Increment();
    LogWarn("a batch of an old epoch is discarded", {{"shard", parts_.id},
                                                     {"sequence", record.sequence},
                                                     {"epoch", batch.epoch()},
                                                     {"present", state_.epoch}});
    return absl::OkStatus();
  }
  if (batch.after() != last_) {
    // The log was trimmed beyond what this reader knows: a snapshot stands for the rest.
    return absl::OutOfRangeError(
        Cat("the batch after ", last_, " is gone; there is the one after ", batch.after()));
  }
  const absl::Status applied = ApplyBatch(batch, parts_.definitions, &state_);
  if (absl::IsDataLoss(applied)) {
    LogError("a record of the log cannot be read",
             {{"shard", parts_.id}, {"sequence", record.sequence}, {"why", Message(applied)}});
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(applied);
  if (refused_ && batch.epoch() > epoch_) {
    // What was refused was ours: a later owner had opened the shard.
    refused_ = false;
    ProcessMetrics().stale_epochs.Increment();
  }
  return absl::OkStatus();
}

void Shard::Reload() {
  refused_ = true;
  Dismiss(v1::CommandReply::CODE_UNAVAILABLE,
          "the shard is being read back from the log; try again");
  Forget();
  dirty_ = false;
  if (phase_ == Phase::kClosing) return Settle();
  phase_ = Phase::kOpening;
  StartReading();
  TryOpenLater();
}

void Shard::Dismiss(v1::CommandReply::Code code, const std::string& why) {
  std::vector<ReplyFn> told;
  if (!appending_) {  // else their append still tells
    for (Pending& pending : in_flight_) told.push_back(std::move(pending.reply));
    in_flight_.clear();
  }
  for (Pending& pending : gathered_) {
    if (pending.decision.events_size() > 0) dirty_ = true;
    told.push_back(std::move(pending.reply));
  }
  for (Waiting& waiting : waiting_) told.push_back(std::move(waiting.reply));
  for (Waiting& waiting : careful_) told.push_back(std::move(waiting.reply));
  for (auto& [id, replies] : waiters_) {
    for (ReplyFn& reply : replies) told.push_back(std::move(reply));
  }
  gathered_.clear();
  waiting_.clear();
  careful_.clear();
  waiters_.clear();
  v1::CommandReply reply;
  reply.set_code(code);
  reply.set_message(why);
  for (ReplyFn& tell : told) {
    if (tell) tell(reply);
  }
}

}  // namespace jaque::engine
