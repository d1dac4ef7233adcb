// SPDX-License-Identifier: Apache-2.0
// How far an output of the sinks has come in each shard's log. A position moves in the transaction
// of what it stands for, and only from where it was, so that of two that move it one fails. The
// store itself is the output ""; exporters have names. Any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "store/database.h"
#include "store/store.h"

namespace jaque::store {

inline constexpr char kStoreOutput[] = "";

absl::StatusOr<std::map<uint32_t, ShardPosition>> ReadPositions(Database* database,
                                                                const std::string& output);

// From the sequence `from`; 0: there is none yet. The transaction is Aborted if it is elsewhere.
Statement MovePosition(const std::string& output, uint64_t from, const ShardPosition& to);

// The log has begun anew with this process: the store begins it at its start. What ran under the
// earlier one is over.
absl::Status ForgetPositions(Database* database, Micros now);

}  // namespace jaque::store
