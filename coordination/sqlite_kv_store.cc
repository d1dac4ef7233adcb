// SPDX-License-Identifier: Apache-2.0
#include "coordination/sqlite_kv_store.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/synchronization/notification.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace jaque {

// What a write is and what became of it. Its work may run twice.
struct SqliteKvStore::Writing {
  KvEntry entry;
  std::optional<uint64_t> expected;
  absl::Status refused;
};

class SqliteKvStore::SqliteSubscription final : public KvStore::Subscription {
 public:
  SqliteSubscription(SqliteKvStore* store, std::shared_ptr<Delivery> watcher)
      : store_(store), watcher_(std::move(watcher)) {}
  ~SqliteSubscription() override {
    store_->Forget(watcher_);
    watcher_->Close();
  }

 private:
  SqliteKvStore* const store_;
  const std::shared_ptr<Delivery> watcher_;
};

// Revisions grow over all buckets and are never given again: a key that was deleted and made again
// has a newer one.
std::string SqliteKvStore::Schema() {
  return "CREATE TABLE kv(bucket TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, "
         "revision INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (bucket, key)) WITHOUT ROWID;"
         "CREATE TABLE kv_revision(one INTEGER PRIMARY KEY CHECK (one = 1), last INTEGER NOT NULL);"
         "INSERT INTO kv_revision VALUES (1, 0);";
}

int64_t SqliteKvStore::ExpiredAt() const {
  if (ttl_ == absl::InfiniteDuration()) return std::numeric_limits<int64_t>::min();
  return absl::ToUnixMicros(clock_->Now() - ttl_);
}

absl::StatusOr<KvEntry> SqliteKvStore::Get(const std::string& key) {
  auto found = std::make_shared<std::optional<KvEntry>>();
  RETURN_IF_ERROR(writer_->WriteAndWait([=, this](sqlite::Database& database) {
    return database.Query(
        "SELECT value, revision FROM kv WHERE bucket = ? AND key = ? AND at > ?",
        {std::string_view(bucket_), std::string_view(key), ExpiredAt()},
        [&](const sqlite::Row& row) {
          *found = KvEntry{key, std::string(row.Text(0)), static_cast<uint64_t>(row.Int(1)), false};
          return absl::OkStatus();
        });
  }));
  if (!found->has_value()) return absl::NotFoundError("no key " + key);
  return **std::move(found);
}

absl::StatusOr<uint64_t> SqliteKvStore::Put(const std::string& key, const std::string& value) {
  return Write({key, value, 0, false}, std::nullopt);
}

absl::StatusOr<uint64_t> SqliteKvStore::Update(const std::string& key, const std::string& value,
                                               uint64_t revision) {
  return Write({key, value, 0, false}, revision);
}

absl::Status SqliteKvStore::Delete(const std::string& key) {
  return Write({key, "", 0, true}, std::nullopt).status();
}

absl::StatusOr<uint64_t> SqliteKvStore::Write(KvEntry entry, std::optional<uint64_t> expected) {
  auto writing = std::make_shared<Writing>();
  writing->entry = std::move(entry);
  writing->expected = expected;
  absl::Notification ended;
  absl::Status result;
  writer_->Write(
      [this, writing](sqlite::Database& database) { return Store(database, writing.get()); },
      [&, writing](const absl::Status& status) {
        result = status.ok() ? writing->refused : status;
        if (result.ok()) Tell(writing->entry);
        ended.Notify();
      });
  ended.WaitForNotification();
  RETURN_IF_ERROR(result);
  return writing->entry.revision;
}

absl::Status SqliteKvStore::Store(sqlite::Database& database, Writing* writing) {
  KvEntry& entry = writing->entry;
  const std::string_view bucket = bucket_, key = entry.key;
  writing->refused = absl::OkStatus();
  if (writing->expected.has_value()) {
    const absl::StatusOr<int64_t> found =
        database.QueryInt("SELECT revision FROM kv WHERE bucket = ? AND key = ? AND at > ?",
                          {bucket, key, ExpiredAt()});
    if (!found.ok() && !absl::IsNotFound(found.status())) return found.status();
    const uint64_t newest = found.ok() ? static_cast<uint64_t>(*found) : 0;
    if (newest != *writing->expected) {
      writing->refused = absl::AbortedError(
          Cat("key ", key, " is at revision ", newest, ", not ", *writing->expected));
      return absl::OkStatus();
    }
  }
  RETURN_IF_ERROR(database.Run("UPDATE kv_revision SET last = last + 1"));
  ASSIGN_OR_RETURN(const int64_t revision, database.QueryInt("SELECT last FROM kv_revision"));
  entry.revision = static_cast<uint64_t>(revision);
  if (entry.deleted) {
    return database.Run("DELETE FROM kv WHERE bucket = ? AND key = ?", {bucket, key});
  }
  return database.Run(
      "INSERT OR REPLACE INTO kv VALUES (?, ?, ?, ?, ?)",
      {bucket, key, sqlite::Blob{entry.value}, revision, absl::ToUnixMicros(clock_->Now())});
}

absl::Status SqliteKvStore::ReadAll(sqlite::Database& database,
                                    std::vector<KvEntry>* entries) const {
  entries->clear();
  return database.Query(
      "SELECT key, value, revision FROM kv WHERE bucket = ? AND at > ? ORDER BY key",
      {std::string_view(bucket_), ExpiredAt()}, [&](const sqlite::Row& row) {
        entries->push_back({std::string(row.Text(0)), std::string(row.Text(1)),
                            static_cast<uint64_t>(row.Int(2)), false});
        return absl::OkStatus();
      });
}

absl::StatusOr<std::vector<KvEntry>> SqliteKvStore::List() {
  auto entries = std::make_shared<std::vector<KvEntry>>();
  RETURN_IF_ERROR(writer_->WriteAndWait(
      [=, this](sqlite::Database& database) { return ReadAll(database, entries.get()); }));
  return std::move(*entries);
}

void SqliteKvStore::Tell(const KvEntry& entry) {
  std::vector<std::shared_ptr<Delivery>> watchers;
  {
    absl::MutexLock lock(&mutex_);
    watchers = watchers_;
  }
  for (const std::shared_ptr<Delivery>& watcher : watchers) watcher->Push(entry);
  for (const std::shared_ptr<Delivery>& watcher : watchers) watcher->Drain();
}

// What there is is told on the writer's thread, so that no change comes between.
std::unique_ptr<KvStore::Subscription> SqliteKvStore::Watch(
    std::function<void(const KvEntry&)> visit) {
  auto watcher = std::make_shared<Delivery>(std::move(visit));
  auto entries = std::make_shared<std::vector<KvEntry>>();
  absl::Notification began;
  writer_->Write([=, this](sqlite::Database& database) { return ReadAll(database, entries.get()); },
                 [=, this, &began](const absl::Status&) {
                   for (const KvEntry& entry : *entries) watcher->Push(entry);
                   {
                     absl::MutexLock lock(&mutex_);
                     watchers_.push_back(watcher);
                   }
                   watcher->Drain();
                   began.Notify();
                 });
  began.WaitForNotification();
  return std::make_unique<SqliteSubscription>(this, std::move(watcher));
}

void SqliteKvStore::Forget(const std::shared_ptr<Delivery>& watcher) {
  absl::MutexLock lock(&mutex_);
  watchers_.erase(std::remove(watchers_.begin(), watchers_.end(), watcher), watchers_.end());
}

}  // namespace jaque
