// SPDX-License-Identifier: Apache-2.0
#include "store/database.h"

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "store/postgres_database.h"
#include "store/schema.h"
#include "store/sqlite_database.h"

namespace jaque::store {

absl::StatusOr<std::shared_ptr<Database>> OpenDatabase(const std::string& url) {
  std::shared_ptr<Database> database;
  absl::string_view path = url;
  if (absl::ConsumePrefix(&path, "sqlite:")) {
    ASSIGN_OR_RETURN(database, OpenSqlite(std::string(path)));
  } else if (absl::StartsWith(url, "postgres://") || absl::StartsWith(url, "postgresql://")) {
    ASSIGN_OR_RETURN(database, OpenPostgres(url));
  } else {
    return absl::InvalidArgumentError(
        "a store is sqlite:PATH, sqlite::memory: or postgres://USER@HOST/DATABASE");
  }
  RETURN_IF_ERROR(Migrate(database.get()));
  return database;
}

}  // namespace jaque::store
