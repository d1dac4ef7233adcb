// SPDX-License-Identifier: Apache-2.0
// One SQL database: what differs between SQLite and PostgreSQL. Siblings: sqlite_database,
// postgres_database. Statements are written once for both, with $1, $2 … for parameters. Any
// thread; every call blocks for as long as the database takes. Errors: Unavailable (away, locked,
// full: try again), Aborted (a condition did not hold), Internal (a bug of ours).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace jaque::store {

struct Blob {
  std::string bytes;
};
using Parameter = std::variant<int64_t, std::string, Blob>;

struct Statement {
  std::string_view sql;  // outlives the call
  std::vector<Parameter> parameters{};
  // It must change a row, else the whole transaction is given up with Aborted.
  bool must_change = false;
};

// A row of a result; valid during the call that gets it. Null reads as 0 and as "".
class Row {
 public:
  virtual ~Row() = default;
  virtual int64_t Int(int column) const = 0;
  virtual std::string Text(int column) const = 0;  // bytes of a blob too
};

// How the two say one thing in the definition of tables.
struct Dialect {
  std::string_view text;         // compared byte by byte
  std::string_view blob;         // any bytes
  std::string_view serial;       // a primary key that the database counts up
  std::string_view clustered;    // after a table's end: rows lie in the order of its primary key
  std::string_view lock_schema;  // lets one process at a time change tables; empty: not needed
};

class Database {
 public:
  virtual ~Database() = default;

  virtual const Dialect& dialect() const = 0;
  virtual absl::Status Read(const Statement& statement,
                            absl::FunctionRef<void(const Row&)> visit) = 0;
  // All in one transaction, or nothing. The number of rows that changed.
  virtual absl::StatusOr<int64_t> Write(const std::vector<Statement>& statements) = 0;
};

// "sqlite:PATH", "sqlite::memory:" (of this process: every call gives the same one) or
// "postgres://…", with its tables brought to this version. FailedPrecondition if they are of a
// newer one, InvalidArgument for another URL. Secrets of the URL are in no message.
absl::StatusOr<std::shared_ptr<Database>> OpenDatabase(const std::string& url);

}  // namespace jaque::store
