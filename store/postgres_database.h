// SPDX-License-Identifier: Apache-2.0
// PostgreSQL by libpq. The statements of a transaction go out together (pipeline mode), so that it
// takes two round trips however many there are. Connections are made when needed and left after a
// failure: what was under way is then unknown to the caller, who asks for the positions.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "store/database.h"

namespace jaque::store {

// Unavailable if the server cannot be reached now.
absl::StatusOr<std::shared_ptr<Database>> OpenPostgres(const std::string& url);

}  // namespace jaque::store
