// SPDX-License-Identifier: Apache-2.0
// What of a store lies along time: histories, tasks, starts and ends. As Store says; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "store/database.h"
#include "store/store.h"

namespace jaque::store {

absl::StatusOr<HistoryPage> ReadHistory(Database* database, const std::string& id, HistorySeq after,
                                        size_t limit, bool newest_first);
absl::StatusOr<TaskPage> ReadTasks(Database* database, const std::string& id, HistorySeq after,
                                   size_t limit);
// In order of their last change; `next` is such a change too.
absl::StatusOr<TaskPage> ReadTasksChanged(Database* database, const std::string& id,
                                          HistorySeq since, size_t limit);

// A task that has ended, with what happened to it.
struct EndedTask {
  struct Retry {
    uint32_t attempt = 0;  // that it began
    Micros at = 0;
  };
  TaskRow row;
  std::string error_type;      // of the error that it raised itself
  std::vector<Retry> retries;  // of a try
};
// Of an instance: what ended by the facts from `first` to `last`.
struct Endings {
  std::optional<InstanceRow> instance;  // if it ended itself
  std::vector<EndedTask> tasks;
};
absl::StatusOr<Endings> ReadEndings(Database* database, const std::string& id, HistorySeq first,
                                    HistorySeq last);

absl::StatusOr<std::vector<SeriesPoint>> ReadSeries(Database* database,
                                                    const InstanceFilter& filter, Micros from,
                                                    Micros to, int buckets);

}  // namespace jaque::store
