// SPDX-License-Identifier: Apache-2.0
// The tasks and messages that a worker holds: which wait for a slot, which are under way, which
// message is done with. Pure bookkeeping, no I/O: the loop calls it under its lock and performs
// what it answers.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/recent_ids.h"
#include "jaque/v1/task.pb.h"
#include "queue/task_cancels.h"
#include "queue/task_queue.h"
#include "worker/task_run.h"

namespace jaque {

// One delivery while any of its tasks is not settled.
struct HeldMessage {
  std::unique_ptr<TaskDelivery> delivery;
  int open = 0;  // tasks not settled
  bool incomplete =
      false;  // a task ended without a result that an engine took: to be delivered again
  absl::Duration renewed;  // when the acknowledgement wait began, on the monotonic clock
};

// One task of a message, from its arrival until it is settled. Fields change under the loop's lock.
struct HeldTask {
  std::string key;  // instance/frame/attempt
  v1::TaskRequest request;
  size_t pool = 0;
  int delivered = 1;
  std::vector<std::shared_ptr<HeldMessage>> messages;  // more than one if delivered again meanwhile
  std::shared_ptr<TaskRun> run;                        // once it has begun
  bool cancelled = false;                              // by an engine: nobody waits for the result
  bool aborted = false;                                // by our own stop
};

class TaskTable {
 public:
  using TaskPtr = std::shared_ptr<HeldTask>;
  using MessagePtr = std::shared_ptr<HeldMessage>;

  explicit TaskTable(std::vector<int> slots);

  // How many messages of the pool may be pulled now.
  int FreeSlots(size_t pool) const;
  // Takes in a message; `done` gets it if nothing of it needs doing.
  void Add(size_t pool, std::unique_ptr<TaskDelivery> delivery, const v1::TaskMessage& tasks,
           absl::Duration now, std::vector<MessagePtr>* done);
  // Tasks that have a slot from now on.
  std::vector<TaskPtr> TakeStartable(size_t pool);
  // Ends a task that has a slot; its messages that are done with are appended to `done`.
  void Settle(const TaskPtr& task, bool incomplete, std::vector<MessagePtr>* done);
  // Ends those without a slot, incomplete.
  void DropWaiting(std::vector<MessagePtr>* done);

  // Marks the task, or remembers the notice for one that has not arrived. Null if it is not under
  // way.
  std::shared_ptr<TaskRun> Cancel(const TaskCancel& cancel, absl::Duration now);
  // Marks all as aborted; their runs.
  std::vector<std::shared_ptr<TaskRun>> AbortAll();

  // Messages held whose acknowledgement wait began before `before`; it begins anew at `now`.
  std::vector<MessagePtr> TakeRenewable(absl::Duration before, absl::Duration now);
  bool empty() const { return tasks_.empty(); }

 private:
  struct Pool {
    int slots = 0, used = 0;
    std::deque<TaskPtr> waiting;
  };
  void Release(const TaskPtr& task, bool incomplete, std::vector<MessagePtr>* done);

  std::vector<Pool> pools_;
  absl::flat_hash_map<std::string, TaskPtr> tasks_;  // waiting and under way, by key
  std::set<MessagePtr> messages_;
  RecentIds cancels_;
};

std::string TaskKey(const std::string& instance, uint32_t frame, uint32_t attempt);

}  // namespace jaque
