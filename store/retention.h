// SPDX-License-Identifier: Apache-2.0
// Deletes ended instances that are old enough, a few rows a time, so that nobody waits for it. One
// thread.
#pragma once

#include <map>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "jaque/v1/command.pb.h"
#include "store/database.h"
#include "store/store.h"

namespace jaque::store {

struct RetentionRules {
  // Since their end; of a status not named: `age`. Infinite: kept.
  absl::Duration age = absl::InfiniteDuration();
  std::map<v1::InstanceStatus, absl::Duration> by_status;
  size_t keep_last = 0;  // ended ones, whatever their age; 0: no such limit
};

// One small step. The number of instances deleted; `*more` if there may be others to delete.
absl::StatusOr<size_t> DeleteSome(Database* database, const RetentionRules& rules, Micros now,
                                  bool* more);

}  // namespace jaque::store
