// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_database.h"

#include <algorithm>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "sqlite/database.h"

namespace jaque::store {
namespace {

constexpr char kMemory[] = ":memory:";
constexpr int32_t kApplicationId = 0x6a717374;  // "jqst"
// Lists make many texts of statements, which a connection keeps: it is left after so many calls.
constexpr int kReaderCalls = 10'000;

class SqliteRow final : public Row {
 public:
  explicit SqliteRow(const sqlite::Row& row) : row_(row) {}
  int64_t Int(int column) const override { return row_.Int(column); }
  std::string Text(int column) const override { return std::string(row_.Text(column)); }

 private:
  const sqlite::Row& row_;
};

absl::StatusOr<std::unique_ptr<sqlite::Database>> Open(const std::string& path) {
  sqlite::DatabaseOptions options;
  options.path = path;
  // What the last seconds before a power failure lose is projected again.
  options.sync = sqlite::DatabaseOptions::Sync::kNormal;
  options.busy = absl::Seconds(limits::kStoreBusySeconds);
  options.application_id = kApplicationId;
  ASSIGN_OR_RETURN(std::unique_ptr<sqlite::Database> made, sqlite::Database::Open(options));
  RETURN_IF_ERROR(
      made->RunScript("PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;"
                      "PRAGMA wal_autocheckpoint = 4000"));
  return made;
}

absl::Status Run(sqlite::Database* database, const Statement& statement,
                 absl::FunctionRef<void(const Row&)> visit) {
  // SQLite numbers parameters so; it takes $2 for a name.
  std::string sql(statement.sql);
  std::replace(sql.begin(), sql.end(), '$', '?');
  std::vector<sqlite::Value> values;
  values.reserve(statement.parameters.size());
  for (const Parameter& parameter : statement.parameters) {
    if (const auto* number = std::get_if<int64_t>(&parameter)) {
      values.emplace_back(*number);
    } else if (const auto* text = std::get_if<std::string>(&parameter)) {
      values.emplace_back(std::string_view(*text));
    } else {
      values.emplace_back(sqlite::Blob{std::get<Blob>(parameter).bytes});
    }
  }
  return database->Query(sql, values, [&](const sqlite::Row& row) {
    visit(SqliteRow(row));
    return absl::OkStatus();
  });
}

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(std::string path, std::unique_ptr<sqlite::Database> writer)
      : path_(std::move(path)), writer_(std::move(writer)) {}

  const Dialect& dialect() const override {
    static constexpr Dialect kDialect = {
        .text = "TEXT",
        .blob = "BLOB",
        .serial = "INTEGER PRIMARY KEY AUTOINCREMENT",
        .clustered = "WITHOUT ROWID",
        .lock_schema = "",
    };
    return kDialect;
  }

  absl::Status Read(const Statement& statement,
                    absl::FunctionRef<void(const Row&)> visit) override {
    if (path_ == kMemory) {  // another connection would see another database
      absl::MutexLock lock(&write_mutex_);
      return Run(writer_.get(), statement, visit);
    }
    ASSIGN_OR_RETURN(Reader reader, TakeReader());
    const absl::Status status = Run(reader.connection.get(), statement, visit);
    absl::MutexLock lock(&readers_mutex_);
    if (++reader.calls < kReaderCalls) readers_.push_back(std::move(reader));
    return status;
  }

  absl::StatusOr<int64_t> Write(const std::vector<Statement>& statements) override {
    absl::MutexLock lock(&write_mutex_);
    ASSIGN_OR_RETURN(sqlite::Transaction transaction, sqlite::Transaction::Begin(writer_.get()));
    int64_t sum = 0;
    for (const Statement& statement : statements) {
      RETURN_IF_ERROR(Run(writer_.get(), statement, [](const Row&) {}));
      if (statement.must_change && writer_->changed() == 0) {
        return absl::AbortedError("the store has moved on");
      }
      sum += writer_->changed();
    }
    RETURN_IF_ERROR(transaction.Commit());
    return sum;
  }

 private:
  struct Reader {
    std::unique_ptr<sqlite::Database> connection;
    int calls = 0;
  };

  absl::StatusOr<Reader> TakeReader() {
    {
      absl::MutexLock lock(&readers_mutex_);
      if (!readers_.empty()) {
        Reader reader = std::move(readers_.back());
        readers_.pop_back();
        return reader;
      }
    }
    Reader made;
    ASSIGN_OR_RETURN(made.connection, Open(path_));
    return made;
  }

  const std::string path_;
  absl::Mutex write_mutex_;
  const std::unique_ptr<sqlite::Database> writer_ ABSL_PT_GUARDED_BY(write_mutex_);
  absl::Mutex readers_mutex_;
  std::vector<Reader> readers_ ABSL_GUARDED_BY(readers_mutex_);
};

}  // namespace

absl::StatusOr<std::shared_ptr<Database>> OpenSqlite(const std::string& path) {
  static absl::Mutex* const mutex = new absl::Mutex;
  static std::weak_ptr<Database>* const in_memory = new std::weak_ptr<Database>;
  if (path.empty()) return absl::InvalidArgumentError("sqlite: needs a path");
  absl::MutexLock lock(mutex);
  if (path == kMemory) {
    if (std::shared_ptr<Database> open = in_memory->lock()) return open;
  }
  ASSIGN_OR_RETURN(std::unique_ptr<sqlite::Database> writer, Open(path));
  std::shared_ptr<Database> made = std::make_shared<SqliteDatabase>(path, std::move(writer));
  if (path == kMemory) *in_memory = made;
  return made;
}

}  // namespace jaque::store
