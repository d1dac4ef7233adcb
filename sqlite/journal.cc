// SPDX-License-Identifier: Apache-2.0
#include "sqlite/journal.h"

#include <algorithm>
#include <utility>

#include "base/logging.h"
#include "base/ordered_delivery.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace jaque::sqlite {
namespace {

// Read at once, under the lock of the reading connection.
constexpr int64_t kRecordsRead = 256;
constexpr size_t kBytesRead = 1 << 20;
constexpr absl::Duration kReadAgain = absl::Seconds(1);

}  // namespace

// One that follows a line. `position` is of the last record handed on: its thread's while it is
// behind, guarded by the journal's lock once it is live.
class Journal::Follower {
 public:
  Follower(uint32_t line, uint64_t after, Visit visit, std::function<void()> caught_up)
      : line(line),
        position(after),
        delivery(
            [visit = std::move(visit), caught_up = std::move(caught_up)](const Record& record) {
              if (record.bytes != nullptr) return visit(record.number, *record.bytes);
              if (caught_up) caught_up();
            }) {}

  const uint32_t line;
  uint64_t position;
  std::atomic<bool> closed = false;
  OrderedDelivery<Record> delivery;
};

Journal::Subscription::Subscription(Journal* journal, std::shared_ptr<Follower> follower)
    : journal_(journal), follower_(std::move(follower)) {}

Journal::Subscription::~Subscription() {
  follower_->closed = true;
  journal_->Forget(follower_);
  follower_->delivery.Close();
}

std::string Journal::Schema(const std::string& table) {
  return Cat("CREATE TABLE ", table,
             "(line INTEGER NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL, "
             "PRIMARY KEY (line, number)) WITHOUT ROWID;");
}

absl::StatusOr<std::unique_ptr<Journal>> Journal::Open(GroupCommit* writer, const std::string& path,
                                                       const std::string& table) {
  DatabaseOptions options;
  options.path = path;
  options.read_only = true;
  ASSIGN_OR_RETURN(std::unique_ptr<Database> reader, Database::Open(options));
  std::unique_ptr<Journal> journal(new Journal(writer, table, std::move(reader)));
  RETURN_IF_ERROR(journal->ReadLasts(table));
  journal->thread_ = std::thread([self = journal.get()] { self->CatchUp(); });
  return journal;
}

Journal::Journal(GroupCommit* writer, const std::string& table, std::unique_ptr<Database> reader)
    : writer_(writer),
      last_sql_(Cat("SELECT max(number) FROM ", table, " WHERE line = ?")),
      insert_sql_(Cat("INSERT INTO ", table, " VALUES (?, ?, ?)")),
      read_sql_(Cat("SELECT number, bytes FROM ", table,
                    " WHERE line = ? AND number > ? ORDER BY number LIMIT ?")),
      trim_sql_(Cat("DELETE FROM ", table, " WHERE line = ? AND number <= ?")),
      reader_(std::move(reader)) {}

Journal::~Journal() {
  writer_->Flush();
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

// By the index, line after line: the table may be big.
absl::Status Journal::ReadLasts(const std::string& table) {
  const std::string next = Cat("SELECT min(line) FROM ", table, " WHERE line > ?");
  absl::MutexLock reading(&reader_mutex_);
  absl::MutexLock lock(&mutex_);
  for (int64_t line = -1;;) {
    bool more = false;
    RETURN_IF_ERROR(reader_->Query(next, {line}, [&](const Row& row) {
      more = !row.IsNull(0);
      line = row.Int(0);
      return absl::OkStatus();
    }));
    if (!more) return absl::OkStatus();
    ASSIGN_OR_RETURN(const int64_t last, reader_->QueryInt(last_sql_, {line}));
    last_[static_cast<uint32_t>(line)] = static_cast<uint64_t>(last);
  }
}

absl::StatusOr<uint64_t> Journal::LastStored(Database& database, uint32_t line) {
  ASSIGN_OR_RETURN(const int64_t last, database.QueryInt(last_sql_, {int64_t{line}}));
  return static_cast<uint64_t>(last);
}

absl::StatusOr<uint64_t> Journal::Store(Database& database, uint32_t line, std::string_view bytes) {
  ASSIGN_OR_RETURN(const uint64_t last, LastStored(database, line));
  RETURN_IF_ERROR(
      database.Run(insert_sql_, {int64_t{line}, static_cast<int64_t>(last + 1), Blob{bytes}}));
  return last + 1;
}

absl::Status Journal::Trim(Database& database, uint32_t line, uint64_t through) {
  ASSIGN_OR_RETURN(const uint64_t last, LastStored(database, line));
  if (last == 0) return absl::OkStatus();
  return database.Run(trim_sql_,
                      {int64_t{line}, static_cast<int64_t>(std::min(through, last - 1))});
}

void Journal::Committed(uint32_t line, uint64_t number, std::shared_ptr<const std::string> bytes) {
  Followers followers;
  {
    absl::MutexLock lock(&mutex_);
    last_[line] = number;
    const auto live = live_.find(line);
    if (live == live_.end()) return;
    followers = live->second;
    for (const std::shared_ptr<Follower>& follower : followers) {
      // It may have read what was stored and not told yet.
      if (number <= follower->position) continue;
      follower->position = number;
      follower->delivery.Push({number, bytes});
    }
  }
  for (const std::shared_ptr<Follower>& follower : followers) follower->delivery.Drain();
}

uint64_t Journal::Last(uint32_t line) const {
  absl::MutexLock lock(&mutex_);
  const auto found = last_.find(line);
  return found == last_.end() ? 0 : found->second;
}

absl::StatusOr<std::vector<Journal::Record>> Journal::ReadSome(uint32_t line, uint64_t after) {
  std::vector<Record> records;
  size_t bytes = 0;
  absl::MutexLock reading(&reader_mutex_);
  const absl::Status status = reader_->Query(
      read_sql_, {int64_t{line}, static_cast<int64_t>(after), kRecordsRead},
      [&](const Row& row) -> absl::Status {
        records.push_back(
            {static_cast<uint64_t>(row.Int(0)), std::make_shared<const std::string>(row.Text(1))});
        bytes += records.back().bytes->size();
        return bytes < kBytesRead ? absl::OkStatus() : absl::CancelledError("enough for now");
      });
  if (!status.ok() && bytes < kBytesRead) return status;
  return records;
}

absl::Status Journal::Read(uint32_t line, uint64_t after,
                           absl::FunctionRef<absl::Status(uint64_t, std::string_view)> visit) {
  for (const uint64_t last = Last(line); after < last;) {
    ASSIGN_OR_RETURN(const std::vector<Record> records, ReadSome(line, after));
    if (records.empty()) return absl::OkStatus();
    for (const Record& record : records) RETURN_IF_ERROR(visit(record.number, *record.bytes));
    after = records.back().number;
  }
  return absl::OkStatus();
}

std::unique_ptr<Journal::Subscription> Journal::Follow(uint32_t line, uint64_t after, Visit visit,
                                                       std::function<void()> caught_up) {
  auto follower = std::make_shared<Follower>(line, after, std::move(visit), std::move(caught_up));
  auto subscription = std::make_unique<Subscription>(this, follower);
  absl::MutexLock lock(&mutex_);
  behind_.push_back(std::move(follower));
  return subscription;
}

void Journal::CatchUp() {
  const auto asked = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopped_ || !behind_.empty();
  };
  const auto stopped = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return stopped_; };
  for (;;) {
    std::shared_ptr<Follower> follower;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(&asked));
      if (stopped_) return;
      follower = std::move(behind_.front());
      behind_.pop_front();
    }
    if (follower->closed) continue;
    const auto records = ReadSome(follower->line, follower->position);
    if (!records.ok()) {
      LogError("stored records cannot be read", {{"why", Message(records.status())}});
      absl::MutexLock lock(&mutex_);
      behind_.push_back(std::move(follower));
      mutex_.AwaitWithTimeout(absl::Condition(&stopped), kReadAgain);
      continue;
    }
    for (const Record& record : *records) {
      follower->position = record.number;
      follower->delivery.Push(record);
    }
    follower->delivery.Drain();
    if (records->empty() && JoinTheLive(follower)) {
      follower->delivery.Drain();
    } else {
      absl::MutexLock lock(&mutex_);
      behind_.push_back(std::move(follower));
    }
  }
}

bool Journal::JoinTheLive(const std::shared_ptr<Follower>& follower) {
  absl::MutexLock lock(&mutex_);
  const auto last = last_.find(follower->line);
  if (last != last_.end() && follower->position < last->second) return false;
  if (follower->closed) return true;
  follower->delivery.Push(Record());
  live_[follower->line].push_back(follower);
  return true;
}

void Journal::Forget(const std::shared_ptr<Follower>& follower) {
  absl::MutexLock lock(&mutex_);
  const auto live = live_.find(follower->line);
  if (live == live_.end()) return;
  Followers& followers = live->second;
  followers.erase(std::remove(followers.begin(), followers.end(), follower), followers.end());
}

}  // namespace jaque::sqlite
