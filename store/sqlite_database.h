// SPDX-License-Identifier: Apache-2.0
// SQLite: a file that several processes may have open (WAL; one writes at a time, the others wait
// up to limits::kStoreBusySeconds), or the memory of this process. Each connection serves one call
// at a time; readers of a file have their own, so that they do not wait for the writer.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "store/database.h"

namespace jaque::store {

// `path` ":memory:" is one database for the process, for as long as somebody holds it.
absl::StatusOr<std::shared_ptr<Database>> OpenSqlite(const std::string& path);

}  // namespace jaque::store
