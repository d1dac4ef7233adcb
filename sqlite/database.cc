// SPDX-License-Identifier: Apache-2.0
#include "sqlite/database.h"

#include <sqlite3.h>

#include <utility>

#include "base/status_macros.h"
#include "base/text.h"

namespace jaque::sqlite {
namespace {

absl::StatusCode CodeOf(int code) {
  if (code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC) {
    return absl::StatusCode::kDataLoss;
  }
  switch (code & 0xff) {
    case SQLITE_FULL:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::StatusCode::kDataLoss;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_IOERR:
      return absl::StatusCode::kUnavailable;
    case SQLITE_CANTOPEN:
      return absl::StatusCode::kNotFound;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return absl::StatusCode::kPermissionDenied;
    case SQLITE_CONSTRAINT:
      return code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY
                 ? absl::StatusCode::kAlreadyExists
                 : absl::StatusCode::kInvalidArgument;
    case SQLITE_TOOBIG:
      return absl::StatusCode::kOutOfRange;
    case SQLITE_INTERRUPT:
      return absl::StatusCode::kCancelled;
    default:
      return absl::StatusCode::kInternal;
  }
}

int BindOne(sqlite3_stmt* statement, int index, const Value& value) {
  struct Binder {
    sqlite3_stmt* statement;
    int index;
    int operator()(Null) const { return sqlite3_bind_null(statement, index); }
    int operator()(int64_t number) const { return sqlite3_bind_int64(statement, index, number); }
    int operator()(double number) const { return sqlite3_bind_double(statement, index, number); }
    // A null pointer would be NULL, so that an empty text needs one that is none.
    int operator()(std::string_view text) const {
      return sqlite3_bind_text64(statement, index, text.empty() ? "" : text.data(), text.size(),
                                 SQLITE_STATIC, SQLITE_UTF8);
    }
    int operator()(const Blob& blob) const {
      return sqlite3_bind_blob64(statement, index, blob.bytes.empty() ? "" : blob.bytes.data(),
                                 blob.bytes.size(), SQLITE_STATIC);
    }
  };
  return std::visit(Binder{statement, index}, value);
}

// Gives the statement back for its next use.
class Reset {
 public:
  explicit Reset(sqlite3_stmt* statement) : statement_(statement) {}
  ~Reset() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  Reset(const Reset&) = delete;
  Reset& operator=(const Reset&) = delete;

 private:
  sqlite3_stmt* const statement_;
};

}  // namespace

int Row::columns() const { return sqlite3_data_count(statement_); }
bool Row::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
int64_t Row::Int(int column) const { return sqlite3_column_int64(statement_, column); }
double Row::Real(int column) const { return sqlite3_column_double(statement_, column); }
std::string_view Row::Text(int column) const {
  const void* const bytes = sqlite3_column_blob(statement_, column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes),
          static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const DatabaseOptions& options) {
  sqlite3* handle = nullptr;
  const int flags =
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
      (options.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  const int opened = sqlite3_open_v2(options.path.c_str(), &handle, flags, nullptr);
  std::unique_ptr<Database> database(new Database(options.path, handle));
  if (handle == nullptr) return absl::ResourceExhaustedError("no memory for a database");
  if (opened != SQLITE_OK) return database->Error(opened);
  RETURN_IF_ERROR(database->Configure(options));
  return database;
}

Database::~Database() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(handle_);
}

absl::Status Database::Configure(const DatabaseOptions& options) {
  sqlite3_busy_timeout(handle_, static_cast<int>(absl::ToInt64Milliseconds(options.busy)));
  // The file is looked at before anything is written to it: it may be another program's.
  ASSIGN_OR_RETURN(const bool is_new, IsNew(options.application_id));
  RETURN_IF_ERROR(RunScript("PRAGMA foreign_keys = ON"));
  if (options.read_only) return absl::OkStatus();
  if (is_new) RETURN_IF_ERROR(Make(options));
  RETURN_IF_ERROR(RunScript("PRAGMA journal_mode = WAL"));
  RETURN_IF_ERROR(RunScript(options.sync == DatabaseOptions::Sync::kFull
                                ? "PRAGMA synchronous = FULL"
                                : "PRAGMA synchronous = NORMAL"));
  return RunScript("PRAGMA journal_size_limit = 67108864");
}

absl::StatusOr<bool> Database::IsNew(int32_t application_id) {
  ASSIGN_OR_RETURN(const int64_t id, QueryInt("PRAGMA application_id"));
  ASSIGN_OR_RETURN(const int64_t tables, QueryInt("SELECT count(*) FROM sqlite_master"));
  const bool is_new = id == 0 && tables == 0;
  if (application_id == 0 || is_new || id == application_id) return is_new;
  return absl::FailedPreconditionError(Cat(path_, ": a database of another program"));
}

// Nobody relies on it yet, so it is brought to the disk once, at the end.
absl::Status Database::Make(const DatabaseOptions& options) {
  RETURN_IF_ERROR(RunScript("PRAGMA synchronous = OFF"));
  {
    ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(this));
    RETURN_IF_ERROR(RunScript(Cat("PRAGMA application_id = ", options.application_id)));
    RETURN_IF_ERROR(RunScript(options.schema));
    RETURN_IF_ERROR(transaction.Commit());
  }
  RETURN_IF_ERROR(RunScript("PRAGMA journal_mode = WAL"));
  return SyncFile();
}

absl::Status Database::SyncFile() {
  sqlite3_file* file = nullptr;
  const int found = sqlite3_file_control(handle_, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (found != SQLITE_OK || file == nullptr || file->pMethods == nullptr) return absl::OkStatus();
  const int synced = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
  return synced == SQLITE_OK ? absl::OkStatus() : Error(synced);
}

absl::StatusOr<sqlite3_stmt*> Database::Prepared(std::string_view sql) {
  sqlite3_stmt*& statement = statements_[std::string(sql)];
  if (statement != nullptr) return statement;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code == SQLITE_OK) return statement;
  statements_.erase(std::string(sql));
  return Error(code);
}

absl::Status Database::Bind(sqlite3_stmt* statement, Values values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const int code = BindOne(statement, static_cast<int>(i) + 1, values[i]);
    if (code != SQLITE_OK) return Error(code);
  }
  return absl::OkStatus();
}

absl::Status Database::Run(std::string_view sql, Values values) {
  return Query(sql, values, [](const Row&) { return absl::OkStatus(); });
}

absl::Status Database::Query(std::string_view sql, Values values, Visit visit) {
  ASSIGN_OR_RETURN(sqlite3_stmt* const statement, Prepared(sql));
  JAQUE_CHECK(!sqlite3_stmt_busy(statement));
  const Reset reset(statement);
  RETURN_IF_ERROR(Bind(statement, values));
  const Row row(statement);
  for (;;) {
    const int code = sqlite3_step(statement);
    if (code == SQLITE_DONE) return absl::OkStatus();
    if (code != SQLITE_ROW) return Error(code);
    RETURN_IF_ERROR(visit(row));
  }
}

absl::Status Database::RunScript(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : Error(code);
}

absl::StatusOr<int64_t> Database::QueryInt(std::string_view sql, Values values) {
  int64_t number = 0;
  bool found = false;
  RETURN_IF_ERROR(Query(sql, values, [&](const Row& row) {
    number = row.Int(0);
    found = true;
    return absl::OkStatus();
  }));
  if (!found) return absl::NotFoundError("no row");
  return number;
}

int64_t Database::changed() const { return sqlite3_changes64(handle_); }
bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

absl::Status Database::Error(int code) const {
  return absl::Status(CodeOf(code),
                      Cat(path_, ": ", sqlite3_errmsg(handle_), " (SQLite ", code, ")"));
}

absl::StatusOr<Transaction> Transaction::Begin(Database* database) {
  RETURN_IF_ERROR(database->Run("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  // An error may have rolled it back already; there is nothing to do about a rollback that fails.
  if (database_ != nullptr && database_->in_transaction()) {
    database_->Run("ROLLBACK").IgnoreError();
  }
}

absl::Status Transaction::Commit() {
  RETURN_IF_ERROR(database_->Run("COMMIT"));
  database_ = nullptr;
  return absl::OkStatus();
}

}  // namespace jaque::sqlite
