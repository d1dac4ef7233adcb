// SPDX-License-Identifier: Apache-2.0
// The folder of one process that is durable by itself (-data-dir): a lock, so that it is one
// process, and the database `jaque.db` with its writer. Remembers how often it was opened, and
// whether the last process stopped in order. Opened and closed by the main thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "sqlite/database.h"
#include "sqlite/group_commit.h"

namespace jaque::sqlite {

struct DataFolderOptions {
  std::string path = {};
  DatabaseOptions::Sync sync = DatabaseOptions::Sync::kFull;
  std::string schema = {};  // of all tables that stand in it
  uint32_t shards = 0;      // fixed when the folder is made
};

class DataFolder {
 public:
  // FailedPrecondition where another process has it, and for what jaque has not made;
  // DataLoss if the file is corrupt. Each names the path.
  static absl::StatusOr<std::unique_ptr<DataFolder>> Open(const Clock* clock,
                                                          const DataFolderOptions& options);
  ~DataFolder();
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  const std::string& file() const { return file_; }
  // Of this start; the next has a higher one.
  uint64_t epoch() const { return epoch_; }
  // Changes only after a start that was not stopped in order.
  uint64_t incarnation() const { return incarnation_; }
  GroupCommit* writer() { return writer_.get(); }

  // Notes that the process stops in order: nothing is running any more. May be called again.
  void Close();

  // To be called now and then: once a write has failed, finds out whether writing works again.
  void Pulse();

 private:
  DataFolder(const Clock* clock, std::string file, int lock)
      : clock_(clock), file_(std::move(file)), lock_(lock) {}
  absl::Status Begin(Database& database, const DataFolderOptions& options);

  const Clock* const clock_;
  const std::string file_;
  const int lock_;  // a descriptor
  uint64_t epoch_ = 0, incarnation_ = 0;
  absl::Duration probed_;
  bool closed_ = false;
  std::unique_ptr<GroupCommit> writer_;
};

}  // namespace jaque::sqlite
