// SPDX-License-Identifier: Apache-2.0
#include "store/postgres_database.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/numbers.h"
#include "absl/synchronization/mutex.h"
#include "base/status_macros.h"
#include "store/postgres_connection.h"

namespace jaque::store {
namespace {

int64_t RowsChanged(const PGresult* result) {
  int64_t rows = 0;
  // Of a SELECT it is the number of rows found.
  if (PQresultStatus(result) != PGRES_COMMAND_OK) return 0;
  return absl::SimpleAtoi(PQcmdTuples(const_cast<PGresult*>(result)), &rows) ? rows : 0;
}

class PostgresDatabase final : public Database {
 public:
  explicit PostgresDatabase(std::string url) : url_(std::move(url)) {}

  const Dialect& dialect() const override {
    static constexpr Dialect kDialect = {
        .text = "TEXT COLLATE \"C\"",
        .blob = "BYTEA",
        .serial = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        .clustered = "",
        // Any number that nobody else uses: "jaque" in ASCII.
        .lock_schema = "SELECT pg_advisory_xact_lock(456484713829)",
    };
    return kDialect;
  }

  absl::Status Read(const Statement& statement,
                    absl::FunctionRef<void(const Row&)> visit) override {
    bool seen = false;
    const absl::Status status = ReadOnce(statement, visit, &seen);
    // The first one after the server was away meets connections that are none any more.
    if (!absl::IsUnavailable(status) || seen) return status;
    LeaveIdle();
    return ReadOnce(statement, visit, &seen);
  }

  absl::StatusOr<int64_t> Write(const std::vector<Statement>& statements) override {
    ASSIGN_OR_RETURN(std::unique_ptr<PostgresConnection> connection, Take());
    const Statement begin{"BEGIN"}, commit{"COMMIT"}, roll_back{"ROLLBACK"};
    std::vector<const Statement*> all = {&begin};
    for (const Statement& statement : statements) all.push_back(&statement);
    int64_t changed = 0;
    bool holds = true;
    absl::Status status =
        connection->Run(all, /*prepared=*/true, [&](size_t index, const PGresult* result) {
          const int64_t rows = index == 0 ? 0 : RowsChanged(result);
          changed += rows;
          if (all[index]->must_change && rows == 0) holds = false;
        });
    if (status.ok()) {
      status = connection->Run({holds ? &commit : &roll_back}, /*prepared=*/true,
                               [](size_t, const PGresult*) {});
    }
    if (!status.ok()) {
      LeaveIdle();
      return status;
    }
    Return(std::move(connection));
    if (!holds) return absl::AbortedError("the store has moved on");
    return changed;
  }

  absl::StatusOr<std::unique_ptr<PostgresConnection>> Take() {
    {
      absl::MutexLock lock(&mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<PostgresConnection> connection = std::move(idle_.back());
        idle_.pop_back();
        return connection;
      }
    }
    return PostgresConnection::Open(url_);
  }

  void Return(std::unique_ptr<PostgresConnection> connection) {
    absl::MutexLock lock(&mutex_);
    idle_.push_back(std::move(connection));
  }

 private:
  absl::Status ReadOnce(const Statement& statement, absl::FunctionRef<void(const Row&)> visit,
                        bool* seen) {
    ASSIGN_OR_RETURN(std::unique_ptr<PostgresConnection> connection, Take());
    RETURN_IF_ERROR(
        connection->Run({&statement}, /*prepared=*/false, [&](size_t, const PGresult* result) {
          *seen = true;
          for (int row = 0; row < PQntuples(result); ++row) visit(PostgresRow(result, row));
        }));
    Return(std::move(connection));
    return absl::OkStatus();
  }

  void LeaveIdle() {
    absl::MutexLock lock(&mutex_);
    idle_.clear();
  }

  const std::string url_;
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<PostgresConnection>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::shared_ptr<Database>> OpenPostgres(const std::string& url) {
  auto database = std::make_shared<PostgresDatabase>(url);
  ASSIGN_OR_RETURN(std::unique_ptr<PostgresConnection> connection, database->Take());
  database->Return(std::move(connection));
  return std::shared_ptr<Database>(std::move(database));
}

}  // namespace jaque::store
