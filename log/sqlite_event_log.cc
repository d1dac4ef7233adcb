// SPDX-License-Identifier: Apache-2.0
#include "log/sqlite_event_log.h"

#include "base/status_macros.h"
#include "base/text.h"

namespace jaque {
namespace {

AppendResult Conflict(ShardId shard, Sequence last, Sequence expected) {
  return {AppendOutcome::kConflict, 0,
          absl::FailedPreconditionError(
              Cat("shard ", shard, " is at ", last, ", the append expected ", expected))};
}

}  // namespace

struct SqliteEventLog::Appending {
  ShardId shard = 0;
  Sequence expected = 0;
  std::string batch_id;
  std::shared_ptr<const std::string> bytes;
  absl::AnyInvocable<void(AppendResult)> done;
  AppendResult result;
  bool stored = false;
};

class SqliteEventLog::SqliteSubscription final : public EventLog::Subscription {
 public:
  explicit SqliteSubscription(std::unique_ptr<sqlite::Journal::Subscription> following)
      : following_(std::move(following)) {}

 private:
  const std::unique_ptr<sqlite::Journal::Subscription> following_;
};

absl::StatusOr<std::unique_ptr<SqliteEventLog>> SqliteEventLog::Open(const Clock* clock,
                                                                     sqlite::GroupCommit* writer,
                                                                     const std::string& file) {
  ASSIGN_OR_RETURN(std::unique_ptr<sqlite::Journal> journal,
                   sqlite::Journal::Open(writer, file, "log"));
  return std::unique_ptr<SqliteEventLog>(new SqliteEventLog(clock, writer, std::move(journal)));
}

void SqliteEventLog::Append(ShardId shard, Sequence expected, std::string batch_id,
                            std::string bytes, absl::AnyInvocable<void(AppendResult)> done) {
  auto appending = std::make_shared<Appending>();
  appending->shard = shard;
  appending->expected = expected;
  appending->batch_id = std::move(batch_id);
  appending->bytes = std::make_shared<const std::string>(std::move(bytes));
  appending->done = std::move(done);
  writer_->Write(
      [this, appending](sqlite::Database& database) { return Store(database, appending.get()); },
      [this, appending](const absl::Status& status) { Ended(appending.get(), status); });
}

absl::Status SqliteEventLog::Store(sqlite::Database& database, Appending* appending) {
  appending->stored = false;
  const ShardId shard = appending->shard;
  const auto committed = [&](Sequence sequence) {
    appending->result = {AppendOutcome::kCommitted, sequence, absl::OkStatus()};
    return absl::OkStatus();
  };
  // The id is looked at before the sequence, as JetStream does.
  const auto first = RecentOf(shard).Find(appending->batch_id, clock_->Monotonic());
  if (first.has_value()) return committed(*first);
  Uncommitted& same = uncommitted_[{shard, appending->batch_id}];
  if (same.transaction == writer_->transaction()) return committed(same.sequence);
  ASSIGN_OR_RETURN(const Sequence last, journal_->LastStored(database, shard));
  if (appending->expected != last) {
    appending->result = Conflict(shard, last, appending->expected);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Sequence sequence, journal_->Store(database, shard, *appending->bytes));
  same = {writer_->transaction(), sequence};
  appending->stored = true;
  return committed(sequence);
}

void SqliteEventLog::Ended(Appending* appending, const absl::Status& status) {
  AppendResult& result = appending->result;
  uncommitted_.erase({appending->shard, appending->batch_id});
  if (!status.ok()) {
    // A commit that failed may be found on the disk by the next start.
    const bool refused = absl::IsOutOfRange(status);  // too large a record
    result = {refused ? AppendOutcome::kConflict : AppendOutcome::kUnknown, 0, status};
  } else if (appending->stored) {
    RecentOf(appending->shard).Insert(appending->batch_id, result.sequence, clock_->Monotonic());
    journal_->Committed(appending->shard, result.sequence, appending->bytes);
  }
  appending->done(std::move(result));
}

RecentIds& SqliteEventLog::RecentOf(ShardId shard) {
  return recent_
      .try_emplace(shard, absl::Seconds(limits::kDeduplicationSeconds),
                   limits::kDeduplicationBatches)
      .first->second;
}

void SqliteEventLog::Confirm(ShardId shard, Sequence expected,
                             absl::AnyInvocable<void(AppendResult)> done) {
  // This process is the only writer: what it knows to be committed is what there is.
  const Sequence last = journal_->Last(shard);
  done(last == expected ? AppendResult{AppendOutcome::kCommitted, last, absl::OkStatus()}
                        : Conflict(shard, last, expected));
}

absl::Status SqliteEventLog::Read(ShardId shard, Sequence after,
                                  absl::FunctionRef<absl::Status(const LogRecord&)> visit) {
  return journal_->Read(shard, after, [&](uint64_t number, std::string_view bytes) {
    return visit({number, bytes});
  });
}

absl::Status SqliteEventLog::Trim(ShardId shard, Sequence through) {
  return writer_->WriteAndWait([this, shard, through](sqlite::Database& database) {
    return journal_->Trim(database, shard, through);
  });
}

std::unique_ptr<EventLog::Subscription> SqliteEventLog::Tail(ShardId shard, Sequence after,
                                                             TailFn visit, CaughtUpFn caught_up) {
  return std::make_unique<SqliteSubscription>(journal_->Follow(
      shard, after,
      [shard, visit = std::move(visit)](uint64_t number, std::string_view bytes) {
        visit(shard, {number, bytes});
      },
      std::move(caught_up)));
}

}  // namespace jaque
