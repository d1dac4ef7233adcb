// SPDX-License-Identifier: Apache-2.0
// The log in a database of this process (-data-dir). A commit has the appends of all shards that
// gathered while the one before was under way. Any thread; `done` comes on the writer's thread, and
// so do new records; stored ones on the journal's. Sequences of a shard count from 1.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/recent_ids.h"
#include "log/event_log.h"
#include "sqlite/group_commit.h"
#include "sqlite/journal.h"

namespace jaque {

class SqliteEventLog final : public EventLog {
 public:
  static std::string Schema() { return sqlite::Journal::Schema("log"); }
  // `file` is what `writer` writes. Both outlive the log.
  static absl::StatusOr<std::unique_ptr<SqliteEventLog>> Open(const Clock* clock,
                                                              sqlite::GroupCommit* writer,
                                                              const std::string& file);
  ~SqliteEventLog() override { writer_->Flush(); }

  void Append(ShardId shard, Sequence expected, std::string batch_id, std::string bytes,
              absl::AnyInvocable<void(AppendResult)> done) override;
  void Confirm(ShardId shard, Sequence expected,
               absl::AnyInvocable<void(AppendResult)> done) override;
  absl::Status Read(ShardId shard, Sequence after,
                    absl::FunctionRef<absl::Status(const LogRecord&)> visit) override;
  absl::Status Trim(ShardId shard, Sequence through) override;
  using EventLog::Tail;
  std::unique_ptr<Subscription> Tail(ShardId shard, Sequence after, TailFn visit,
                                     CaughtUpFn caught_up) override;

 private:
  struct Appending;
  class SqliteSubscription;

  SqliteEventLog(const Clock* clock, sqlite::GroupCommit* writer,
                 std::unique_ptr<sqlite::Journal> journal)
      : clock_(clock), writer_(writer), journal_(std::move(journal)) {}
  absl::Status Store(sqlite::Database& database, Appending* appending);
  void Ended(Appending* appending, const absl::Status& status);
  RecentIds& RecentOf(ShardId shard);

  const Clock* const clock_;
  sqlite::GroupCommit* const writer_;
  const std::unique_ptr<sqlite::Journal> journal_;

  // The writer's thread. A process that starts again has no append of before to ask for.
  absl::flat_hash_map<ShardId, RecentIds> recent_;
  // Stored by the present transaction, whose number says whether it still counts.
  struct Uncommitted {
    uint64_t transaction = 0;
    Sequence sequence = 0;
  };
  absl::flat_hash_map<std::pair<ShardId, std::string>, Uncommitted> uncommitted_;
};

}  // namespace jaque
