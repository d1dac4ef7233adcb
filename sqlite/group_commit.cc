// SPDX-License-Identifier: Apache-2.0
#include "sqlite/group_commit.h"

#include <iterator>
#include <utility>

#include "absl/synchronization/notification.h"
#include "base/logging.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace jaque::sqlite {

GroupCommit::GroupCommit(std::unique_ptr<Database> database)
    : database_(std::move(database)), thread_([this] { Run(); }) {}

GroupCommit::~GroupCommit() {
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
  }
  thread_.join();
}

void GroupCommit::Write(Work work, Done done) {
  absl::MutexLock lock(&mutex_);
  queue_.push_back({std::move(work), std::move(done)});
}

absl::Status GroupCommit::WriteAndWait(Work work) {
  absl::Notification ended;
  absl::Status result;
  Write(std::move(work), [&](absl::Status status) {
    result = std::move(status);
    ended.Notify();
  });
  ended.WaitForNotification();
  return result;
}

void GroupCommit::Flush() {
  absl::Notification ended;
  Write(nullptr, [&](const absl::Status&) { ended.Notify(); });
  ended.WaitForNotification();
}

absl::Status GroupCommit::Health() const {
  absl::MutexLock lock(&mutex_);
  return health_;
}

void GroupCommit::Run() {
  for (;;) {
    std::vector<Item> group;
    {
      absl::MutexLock lock(&mutex_);
      const auto asked = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return stopped_ || !queue_.empty();
      };
      mutex_.Await(absl::Condition(&asked));
      if (queue_.empty()) return;
      group.assign(std::make_move_iterator(queue_.begin()), std::make_move_iterator(queue_.end()));
      queue_.clear();
    }
    Commit(std::move(group));
  }
}

void GroupCommit::Commit(std::vector<Item> group) {
  const absl::Status all = TryCommit(absl::MakeSpan(group));
  if (all.ok() || group.size() == 1 || broken_) {
    Remember(all);
    for (Item& item : group) item.done(all);
    return;
  }
  // One of them may be the cause: each alone.
  for (Item& item : group) {
    const absl::Status status = TryCommit(absl::MakeSpan(&item, 1));
    Remember(status);
    item.done(status);
  }
}

absl::Status GroupCommit::TryCommit(absl::Span<Item> group) {
  bool writes = false;
  for (const Item& item : group) writes = writes || item.work != nullptr;
  if (!writes) return Health();
  if (broken_) return Health();
  ++transaction_;
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_.get()));
  for (Item& item : group) {
    if (item.work != nullptr) RETURN_IF_ERROR(item.work(*database_));
  }
  return transaction.Commit();
}

void GroupCommit::Remember(const absl::Status& status) {
  const bool of_the_disk =
      absl::IsDataLoss(status) || absl::IsUnavailable(status) || absl::IsResourceExhausted(status);
  if (!status.ok() && !of_the_disk) return;
  const absl::Status before = Health();
  if (before == status) return;
  broken_ = broken_ || absl::IsDataLoss(status);
  if (status.ok()) {
    LogInfo("the data folder can be written again", {{"file", database_->path()}});
  } else if (broken_) {
    LogError("the data folder has failed; start again to read what it has",
             {{"why", Message(status)}});
  } else {
    LogWarn("the data folder cannot be written", {{"why", Message(status)}});
  }
  absl::MutexLock lock(&mutex_);
  health_ = status;
}

}  // namespace jaque::sqlite
