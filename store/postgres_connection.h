// SPDX-License-Identifier: Apache-2.0
// One connection to PostgreSQL, for one call at a time. It never waits longer than half a minute
// for a sign of the server, also if that stands still. After a bad status it is of no more use.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "store/database.h"

namespace jaque::store {

class PostgresConnection {
 public:
  static absl::StatusOr<std::unique_ptr<PostgresConnection>> Open(const std::string& url);
  ~PostgresConnection();

  // Sends all, then takes the results in order: `visit` gets the number of the statement. What is
  // not `prepared` is planned for its parameters.
  absl::Status Run(const std::vector<const Statement*>& statements, bool prepared,
                   absl::FunctionRef<void(size_t, const PGresult*)> visit);

 private:
  explicit PostgresConnection(PGconn* connection) : connection_(connection) {}

  absl::Status Send(const Statement& statement, bool prepared);
  // Prepares the statement, if it is not, and gives its name.
  absl::StatusOr<std::string> NameOf(const Statement& statement, const std::vector<Oid>& kinds);
  // Until a result can be taken; sends what is left meanwhile.
  absl::Status AwaitResult();
  absl::Status Lost() const;

  PGconn* const connection_;
  absl::flat_hash_map<std::string, std::string> names_;
  // For each thing sent, in order: the number of the statement, or none for its preparation.
  std::vector<int64_t> sent_;
  int64_t sending_ = 0;
};

// Values of a result as they are, in the binary format.
class PostgresRow final : public Row {
 public:
  PostgresRow(const PGresult* result, int row) : result_(result), row_(row) {}
  int64_t Int(int column) const override;
  std::string Text(int column) const override;

 private:
  const PGresult* const result_;
  const int row_;
};

}  // namespace jaque::store
