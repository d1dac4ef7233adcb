// SPDX-License-Identifier: Apache-2.0
#include "sqlite/data_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/status_macros.h"
#include "base/text.h"

namespace jaque::sqlite {
namespace {

constexpr int32_t kApplicationId = 0x6a617175;  // "jaqu"
constexpr int64_t kVersion = 1;
constexpr absl::Duration kProbePause = absl::Seconds(1);

constexpr char kSchema[] =
    "CREATE TABLE process(one INTEGER PRIMARY KEY CHECK (one = 1), shards INTEGER NOT NULL, epoch "
    "INTEGER NOT NULL, incarnation INTEGER NOT NULL, "
    "stopped INTEGER NOT NULL);";

absl::Status SystemError(const std::string& path, const std::string& what) {
  return absl::FailedPreconditionError(Cat(path, ": ", what, ": ", std::strerror(errno)));
}

// A descriptor that holds the lock of the folder.
absl::StatusOr<int> Lock(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    return absl::FailedPreconditionError(
        Cat(folder, ": the data folder cannot be made: ", failed.message()));
  }
  const std::string path = Cat(folder, "/lock");
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return SystemError(path, "cannot be opened");
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  const int why = errno;
  close(file);
  if (why == EWOULDBLOCK) {
    return absl::FailedPreconditionError(
        Cat(folder, ": another jaque uses this data folder; each process needs one of its own"));
  }
  errno = why;
  return SystemError(path, "cannot be locked");
}

// The names of new files are on the disk only when their folder is.
absl::Status SyncFolder(const std::string& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return SystemError(folder, "cannot be opened");
  const bool synced = fsync(file) == 0;
  close(file);
  return synced ? absl::OkStatus() : SystemError(folder, "cannot be synced");
}

absl::Status CheckVersion(Database& database) {
  ASSIGN_OR_RETURN(const int64_t version, database.QueryInt("PRAGMA user_version"));
  if (version == kVersion) return absl::OkStatus();
  return absl::FailedPreconditionError(
      Cat(database.path(), ": written by another version of jaque (its tables are version ",
          version, ", this one knows ", kVersion, ")"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<DataFolder>> DataFolder::Open(const Clock* clock,
                                                             const DataFolderOptions& options) {
  ASSIGN_OR_RETURN(const int lock, Lock(options.path));
  const std::string file = Cat(options.path, "/jaque.db");
  std::unique_ptr<DataFolder> folder(new DataFolder(clock, file, lock));
  DatabaseOptions opening;
  opening.path = file;
  opening.sync = options.sync;
  opening.application_id = kApplicationId;
  opening.schema = Cat(kSchema, options.schema, "PRAGMA user_version = ", kVersion);
  const bool is_new = !std::filesystem::exists(file);
  ASSIGN_OR_RETURN(std::unique_ptr<Database> database, Database::Open(opening));
  RETURN_IF_ERROR(CheckVersion(*database));
  RETURN_IF_ERROR(folder->Begin(*database, options));
  // A small file of it is enough to be written again and again; checkpoints sync less often then.
  RETURN_IF_ERROR(database->RunScript("PRAGMA wal_autocheckpoint = 4000"));
  if (is_new) RETURN_IF_ERROR(SyncFolder(options.path));
  folder->writer_ = std::make_unique<GroupCommit>(std::move(database));
  return folder;
}

DataFolder::~DataFolder() {
  writer_.reset();
  close(lock_);
}

absl::Status DataFolder::Begin(Database& database, const DataFolderOptions& options) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(&database));
  epoch_ = incarnation_ = 1;
  int64_t shards = options.shards;
  RETURN_IF_ERROR(database.Query(
      "SELECT shards, epoch, incarnation, stopped FROM process", {}, [&](const Row& row) {
        shards = row.Int(0);
        epoch_ = static_cast<uint64_t>(row.Int(1)) + 1;
        incarnation_ = static_cast<uint64_t>(row.Int(2)) + (row.Int(3) == 1 ? 0 : 1);
        return absl::OkStatus();
      }));
  if (shards != options.shards) {
    return absl::FailedPreconditionError(
        Cat(file_, ": made with -shards ", shards, ", which cannot be changed"));
  }
  RETURN_IF_ERROR(
      database.Run("INSERT OR REPLACE INTO process VALUES (1, ?, ?, ?, 0)",
                   {shards, static_cast<int64_t>(epoch_), static_cast<int64_t>(incarnation_)}));
  return transaction.Commit();
}

void DataFolder::Close() {
  if (std::exchange(closed_, true)) return;
  // Where it cannot be written the next start is as after a crash.
  writer_
      ->WriteAndWait(
          [](Database& database) { return database.Run("UPDATE process SET stopped = 1"); })
      .IgnoreError();
}

void DataFolder::Pulse() {
  if (writer_->Health().ok()) return;
  const absl::Duration now = clock_->Monotonic();
  if (now - probed_ < kProbePause) return;
  probed_ = now;
  writer_->Write([](Database& database) { return database.Run("UPDATE process SET stopped = 0"); },
                 [](const absl::Status&) {});
}

}  // namespace jaque::sqlite
