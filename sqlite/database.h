// SPDX-License-Identifier: Apache-2.0
// The thin RAII wrapper of SQLite: one connection to one file. Statements are kept by their text,
// so each is prepared once. One thread at a time; another thread opens another connection. May wait
// for the disk, and for another writer as long as `busy` says.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

struct sqlite3;
struct sqlite3_stmt;

namespace jaque::sqlite {

// What a parameter is bound to. Views must live until the call returns.
struct Null {};
struct Blob {
  std::string_view bytes;
};
using Value = std::variant<Null, int64_t, double, std::string_view, Blob>;

// One row of a result; what it gives is valid until the visit returns. Columns from 0.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  int columns() const;
  bool IsNull(int column) const;
  int64_t Int(int column) const;
  double Real(int column) const;
  std::string_view Text(int column) const;  // also the bytes of a blob

 private:
  sqlite3_stmt* const statement_;
};

struct DatabaseOptions {
  enum class Sync { kFull, kNormal };  // of a commit, in a WAL: to the disk, or to the system

  std::string path = {};  // ":memory:", or a file that is created if there is none
  Sync sync = Sync::kFull;
  bool read_only = false;
  absl::Duration busy = absl::Seconds(10);
  // What the file says that it is (PRAGMA application_id); a file of another program is refused.
  // 0: not looked at.
  int32_t application_id = 0;
  std::string schema = {};  // a script that is run on a new file, all of it or nothing
};

// Statuses: DataLoss for a file that is corrupt or no database, and for a disk that could not sync:
// what it has is not known then. ResourceExhausted for a full disk, Unavailable for one that fails
// otherwise and for a busy database, AlreadyExists for a key that is taken,
// InvalidArgument for another broken constraint, NotFound for a file that is not there.
class Database {
 public:
  // In WAL mode, with foreign keys.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const DatabaseOptions& options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  using Values = absl::Span<const Value>;
  using Visit = absl::FunctionRef<absl::Status(const Row&)>;

  // One statement; its rows are dropped.
  absl::Status Run(std::string_view sql, Values values = {});
  // Calls `visit` with each row and stops with its first bad status. `visit` may run other
  // statements, not the same one.
  absl::Status Query(std::string_view sql, Values values, Visit visit);
  // Several statements, without parameters: a schema.
  absl::Status RunScript(const std::string& sql);
  // The first column of the only row; NotFound if there is none.
  absl::StatusOr<int64_t> QueryInt(std::string_view sql, Values values = {});

  int64_t changed() const;  // rows, by the last statement
  bool in_transaction() const;
  const std::string& path() const { return path_; }

 private:
  Database(std::string path, sqlite3* handle) : path_(std::move(path)), handle_(handle) {}
  absl::Status Configure(const DatabaseOptions& options);
  // Is there nothing in the file yet? FailedPrecondition if another program made it.
  absl::StatusOr<bool> IsNew(int32_t application_id);
  absl::Status Make(const DatabaseOptions& options);
  absl::Status SyncFile();
  absl::StatusOr<sqlite3_stmt*> Prepared(std::string_view sql);
  absl::Status Bind(sqlite3_stmt* statement, Values values);
  absl::Status Error(int code) const;

  const std::string path_;
  sqlite3* const handle_;
  absl::flat_hash_map<std::string, sqlite3_stmt*> statements_;
};

// Rolled back where it goes without a Commit that worked.
class Transaction {
 public:
  // Takes the lock for writing at once.
  static absl::StatusOr<Transaction> Begin(Database* database);
  ~Transaction();
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;

  absl::Status Commit();

 private:
  explicit Transaction(Database* database) : database_(database) {}
  Database* database_;
};

}  // namespace jaque::sqlite
