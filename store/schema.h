// SPDX-License-Identifier: Apache-2.0
// The tables of a store and their versions. A version's statements never change once released;
// another one is added after them. Several processes may migrate at a time.
#pragma once

#include "absl/status/status.h"
#include "store/database.h"

namespace jaque::store {

// Brings the tables to the version of this program. FailedPrecondition if they are newer.
absl::Status Migrate(Database* database);

}  // namespace jaque::store
