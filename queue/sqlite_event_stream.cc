// SPDX-License-Identifier: Apache-2.0
#include "queue/sqlite_event_stream.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"

namespace jaque {
namespace {

constexpr uint32_t kLine = 0;             // of the journal; there is one
constexpr uint64_t kTidiedEvery = 1'000;  // events

}  // namespace

struct SqliteEventStream::Publishing {
  std::string dedup_id;
  std::shared_ptr<const std::string> json;
  absl::AnyInvocable<void(absl::StatusOr<uint64_t>)> done;
  uint64_t sequence = 0;
  bool stored = false;
};

class SqliteEventStream::SqliteSubscription final : public EventStream::Subscription {
 public:
  explicit SqliteSubscription(std::unique_ptr<sqlite::Journal::Subscription> following)
      : following_(std::move(following)) {}

 private:
  const std::unique_ptr<sqlite::Journal::Subscription> following_;
};

std::string SqliteEventStream::Schema() {
  return sqlite::Journal::Schema("events") +
         "CREATE TABLE event_ids(number INTEGER PRIMARY KEY, id TEXT NOT NULL, at INTEGER NOT "
         "NULL);";
}

absl::StatusOr<std::unique_ptr<SqliteEventStream>> SqliteEventStream::Open(
    const Clock* clock, sqlite::GroupCommit* writer, const std::string& file,
    const Options& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<sqlite::Journal> journal,
                   sqlite::Journal::Open(writer, file, "events"));
  std::unique_ptr<SqliteEventStream> stream(
      new SqliteEventStream(clock, writer, options, std::move(journal)));
  RETURN_IF_ERROR(writer->WriteAndWait(
      [self = stream.get()](sqlite::Database& database) { return self->ReadIds(database); }));
  return stream;
}

SqliteEventStream::SqliteEventStream(const Clock* clock, sqlite::GroupCommit* writer,
                                     const Options& options,
                                     std::unique_ptr<sqlite::Journal> journal)
    : clock_(clock),
      writer_(writer),
      options_(options),
      journal_(std::move(journal)),
      recent_(options.dedup_window, limits::kDeduplicationIds) {}

absl::Status SqliteEventStream::ReadIds(sqlite::Database& database) {
  const absl::Time now = clock_->Now();
  const absl::Duration monotonic = clock_->Monotonic();
  const int64_t since = absl::ToUnixMicros(now - options_.dedup_window);
  return database.Query("SELECT number, id, at FROM event_ids WHERE at > ? ORDER BY number",
                        {since}, [&](const sqlite::Row& row) {
                          // Where the wall clock was set back it seems to come from the future.
                          const absl::Duration age = std::max(
                              absl::ZeroDuration(), now - absl::FromUnixMicros(row.Int(2)));
                          recent_.Insert(std::string(row.Text(1)),
                                         static_cast<uint64_t>(row.Int(0)), monotonic - age);
                          return absl::OkStatus();
                        });
}

void SqliteEventStream::Publish(const std::string& dedup_id, std::string json,
                                absl::AnyInvocable<void(absl::StatusOr<uint64_t>)> done) {
  auto publishing = std::make_shared<Publishing>();
  publishing->dedup_id = dedup_id;
  publishing->json = std::make_shared<const std::string>(std::move(json));
  publishing->done = std::move(done);
  writer_->Write(
      [this, publishing](sqlite::Database& database) { return Store(database, publishing.get()); },
      [this, publishing](const absl::Status& status) { Ended(publishing.get(), status); });
}

absl::Status SqliteEventStream::Store(sqlite::Database& database, Publishing* publishing) {
  publishing->stored = false;
  const auto first = recent_.Find(publishing->dedup_id, clock_->Monotonic());
  if (first.has_value()) {
    publishing->sequence = *first;
    return absl::OkStatus();
  }
  Uncommitted& same = uncommitted_[publishing->dedup_id];
  if (same.transaction == writer_->transaction()) {
    publishing->sequence = same.sequence;
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(publishing->sequence, journal_->Store(database, kLine, *publishing->json));
  RETURN_IF_ERROR(
      database.Run("INSERT INTO event_ids VALUES (?, ?, ?)",
                   {static_cast<int64_t>(publishing->sequence),
                    std::string_view(publishing->dedup_id), absl::ToUnixMicros(clock_->Now())}));
  if (publishing->sequence % kTidiedEvery == 0) {
    RETURN_IF_ERROR(Tidy(database, publishing->sequence));
  }
  publishing->stored = true;
  same = {writer_->transaction(), publishing->sequence};
  return absl::OkStatus();
}

absl::Status SqliteEventStream::Tidy(sqlite::Database& database, uint64_t last) {
  RETURN_IF_ERROR(database.Run("DELETE FROM event_ids WHERE at < ?",
                               {absl::ToUnixMicros(clock_->Now() - options_.dedup_window)}));
  if (last <= options_.retained) return absl::OkStatus();
  return journal_->Trim(database, kLine, last - options_.retained);
}

void SqliteEventStream::Ended(Publishing* publishing, const absl::Status& status) {
  uncommitted_.erase(publishing->dedup_id);
  if (!status.ok()) return publishing->done(status);
  if (publishing->stored) {
    recent_.Insert(publishing->dedup_id, publishing->sequence, clock_->Monotonic());
    journal_->Committed(kLine, publishing->sequence, publishing->json);
  }
  publishing->done(publishing->sequence);
}

uint64_t SqliteEventStream::LastSequence() { return journal_->Last(kLine); }

std::unique_ptr<EventStream::Subscription> SqliteEventStream::Subscribe(
    uint64_t after, std::function<void(const StreamedEvent&)> visit) {
  return std::make_unique<SqliteSubscription>(journal_->Follow(
      kLine, after,
      [visit = std::move(visit)](uint64_t number, std::string_view json) {
        visit({number, json});
      },
      nullptr));
}

}  // namespace jaque
