// SPDX-License-Identifier: Apache-2.0
// Group commit: a thread that owns the only writing connection of a file. What is asked for while a
// commit is under way goes into the next one together, so that one sync of the disk is for all of
// it. Any thread may ask.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "sqlite/database.h"

namespace jaque::sqlite {

class GroupCommit {
 public:
  // On the writer's thread, inside a transaction. May run again after a transaction that failed, so
  // it keeps what it needs. A bad status means that the database failed; a refusal of the work's
  // own is a result that it keeps elsewhere, having written nothing.
  using Work = std::function<absl::Status(Database&)>;
  // On the writer's thread, after the commit; OK: it is durable. Must only post.
  using Done = absl::AnyInvocable<void(absl::Status)>;

  explicit GroupCommit(std::unique_ptr<Database> database);
  ~GroupCommit();  // does first what was asked for
  GroupCommit(const GroupCommit&) = delete;
  GroupCommit& operator=(const GroupCommit&) = delete;

  void Write(Work work, Done done);
  absl::Status WriteAndWait(Work work);
  // Returns when what was asked for before is done. Whoever's `done` uses it calls this before it
  // goes.
  void Flush();

  // Changes with every transaction; for works. Only on the writer's thread.
  uint64_t transaction() const { return transaction_; }
  // OK, or why the last commit failed.
  absl::Status Health() const;

 private:
  struct Item {
    Work work;
    Done done;
  };
  void Run();
  void Commit(std::vector<Item> group);
  absl::Status TryCommit(absl::Span<Item> group);
  void Remember(const absl::Status& status);

  const std::unique_ptr<Database> database_;
  uint64_t transaction_ = 0;
  bool broken_ = false;  // a sync failed: what the disk has is not known, so nothing is written

  mutable absl::Mutex mutex_;
  std::deque<Item> queue_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status health_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace jaque::sqlite
