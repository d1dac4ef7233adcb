// SPDX-License-Identifier: Apache-2.0
// Records on lines, each line numbered from 1 without gaps, in a table of a database; written in
// the transactions of a GroupCommit, read and followed by any number of others. The log and the
// event stream stand on it. Any thread, but where it says the writer's.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "sqlite/database.h"
#include "sqlite/group_commit.h"

namespace jaque::sqlite {

class Journal {
 public:
  // What makes the table.
  static std::string Schema(const std::string& table);

  // `path` is the database that `writer` writes, which outlives this.
  static absl::StatusOr<std::unique_ptr<Journal>> Open(GroupCommit* writer, const std::string& path,
                                                       const std::string& table);
  ~Journal();

  // In a Work: the line's last number, 0 if it is empty; storing after it; forgetting up to
  // `through`, but never the last record.
  absl::StatusOr<uint64_t> LastStored(Database& database, uint32_t line);
  absl::StatusOr<uint64_t> Store(Database& database, uint32_t line, std::string_view bytes);
  absl::Status Trim(Database& database, uint32_t line, uint64_t through);
  // In the Done of a record that was stored: followers hear of it, on this thread.
  void Committed(uint32_t line, uint64_t number, std::shared_ptr<const std::string> bytes);

  // The last number that was committed.
  uint64_t Last(uint32_t line) const;

  using Visit = std::function<void(uint64_t number, std::string_view bytes)>;
  absl::Status Read(uint32_t line, uint64_t after,
                    absl::FunctionRef<absl::Status(uint64_t, std::string_view)> visit);

  // As EventLog::Tail says. What was stored comes on the journal's own thread.
  class Follower;
  class Subscription {
   public:
    Subscription(Journal* journal, std::shared_ptr<Follower> follower);
    ~Subscription();

   private:
    Journal* const journal_;
    const std::shared_ptr<Follower> follower_;
  };
  std::unique_ptr<Subscription> Follow(uint32_t line, uint64_t after, Visit visit,
                                       std::function<void()> caught_up);

 private:
  struct Record {
    uint64_t number = 0;                       // 0: the end of what was stored
    std::shared_ptr<const std::string> bytes;  // null then
  };
  using Followers = std::vector<std::shared_ptr<Follower>>;

  Journal(GroupCommit* writer, const std::string& table, std::unique_ptr<Database> reader);
  absl::Status ReadLasts(const std::string& table);
  // Some of the records after `after`; none: there are no more.
  absl::StatusOr<std::vector<Record>> ReadSome(uint32_t line, uint64_t after);
  void CatchUp();  // the thread that reads for followers that are behind
  // True if it hears of what is committed from now on.
  bool JoinTheLive(const std::shared_ptr<Follower>& follower);
  void Forget(const std::shared_ptr<Follower>& follower);

  GroupCommit* const writer_;
  const std::string last_sql_, insert_sql_, read_sql_, trim_sql_;

  absl::Mutex reader_mutex_;
  const std::unique_ptr<Database> reader_ ABSL_PT_GUARDED_BY(reader_mutex_);

  mutable absl::Mutex mutex_;
  absl::flat_hash_map<uint32_t, uint64_t> last_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint32_t, Followers> live_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::shared_ptr<Follower>> behind_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace jaque::sqlite
