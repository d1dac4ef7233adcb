// SPDX-License-Identifier: Apache-2.0
// CloudEvents in a database of this process (-data-dir), the newest limits::kEventsRetained of
// them; an event sent again after a restart is still known. Any thread; `done` and new events come
// on the writer's thread, stored events on the journal's.
#pragma once

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/recent_ids.h"
#include "queue/event_stream.h"
#include "sqlite/group_commit.h"
#include "sqlite/journal.h"

namespace jaque {

struct SqliteEventStreamOptions {
  size_t retained = limits::kEventsRetained;
  absl::Duration dedup_window = absl::Seconds(limits::kDeduplicationSeconds);
};

class SqliteEventStream final : public EventStream {
 public:
  using Options = SqliteEventStreamOptions;

  static std::string Schema();
  // `file` is what `writer` writes. Both outlive the stream.
  static absl::StatusOr<std::unique_ptr<SqliteEventStream>> Open(const Clock* clock,
                                                                 sqlite::GroupCommit* writer,
                                                                 const std::string& file,
                                                                 const Options& options = {});
  ~SqliteEventStream() override { writer_->Flush(); }

  void Publish(const std::string& dedup_id, std::string json,
               absl::AnyInvocable<void(absl::StatusOr<uint64_t>)> done) override;
  uint64_t LastSequence() override;
  std::unique_ptr<Subscription> Subscribe(uint64_t after,
                                          std::function<void(const StreamedEvent&)> visit) override;

 private:
  struct Publishing;
  class SqliteSubscription;

  SqliteEventStream(const Clock* clock, sqlite::GroupCommit* writer, const Options& options,
                    std::unique_ptr<sqlite::Journal> journal);
  absl::Status ReadIds(sqlite::Database& database);
  absl::Status Store(sqlite::Database& database, Publishing* publishing);
  absl::Status Tidy(sqlite::Database& database, uint64_t last);
  void Ended(Publishing* publishing, const absl::Status& status);

  const Clock* const clock_;
  sqlite::GroupCommit* const writer_;
  const Options options_;
  const std::unique_ptr<sqlite::Journal> journal_;

  // The writer's thread.
  RecentIds recent_;
  struct Uncommitted {
    uint64_t transaction = 0, sequence = 0;
  };
  absl::flat_hash_map<std::string, Uncommitted> uncommitted_;
};

}  // namespace jaque
