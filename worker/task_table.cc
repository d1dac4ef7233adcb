// SPDX-License-Identifier: Apache-2.0
#include "worker/task_table.h"

#include <utility>

#include "base/text.h"

namespace jaque {
namespace {

// A notice overtakes its task by the time that the task waits in the queue, at most.
constexpr absl::Duration kCancelWindow = absl::Minutes(10);
constexpr size_t kCancels = 10'000;

}  // namespace

std::string TaskKey(const std::string& instance, uint32_t frame, uint32_t attempt) {
  return Cat(instance, "/", frame, "/", attempt);
}

TaskTable::TaskTable(std::vector<int> slots) : cancels_(kCancelWindow, kCancels) {
  for (const int count : slots) pools_.push_back({count, 0, {}});
}

int TaskTable::FreeSlots(size_t pool) const {
  const Pool& p = pools_[pool];
  return p.slots - p.used - static_cast<int>(p.waiting.size());
}

void TaskTable::Add(size_t pool, std::unique_ptr<TaskDelivery> delivery,
                    const v1::TaskMessage& tasks, absl::Duration now,
                    std::vector<MessagePtr>* done) {
  auto message = std::make_shared<HeldMessage>();
  message->renewed = now;
  const int delivered = delivery->delivered();
  message->delivery = std::move(delivery);
  for (const v1::TaskRequest& request : tasks.tasks()) {
    std::string key = TaskKey(request.instance_id(), request.frame(), request.attempt());
    if (cancels_.Find(key, now).has_value()) continue;
    ++message->open;
    TaskPtr& known = tasks_[key];
    if (known == nullptr) {
      known = std::make_shared<HeldTask>();
      known->key = std::move(key);
      known->request = request;
      known->pool = pool;
      known->delivered = delivered;
      pools_[pool].waiting.push_back(known);
    }
    known->messages.push_back(message);
  }
  if (message->open > 0) {
    messages_.insert(std::move(message));
  } else {
    done->push_back(std::move(message));
  }
}

std::vector<TaskTable::TaskPtr> TaskTable::TakeStartable(size_t pool) {
  Pool& p = pools_[pool];
  std::vector<TaskPtr> startable;
  while (p.used < p.slots && !p.waiting.empty()) {
    startable.push_back(std::move(p.waiting.front()));
    p.waiting.pop_front();
    ++p.used;
  }
  return startable;
}

void TaskTable::Settle(const TaskPtr& task, bool incomplete, std::vector<MessagePtr>* done) {
  --pools_[task->pool].used;
  Release(task, incomplete, done);
}

void TaskTable::Release(const TaskPtr& task, bool incomplete, std::vector<MessagePtr>* done) {
  tasks_.erase(task->key);
  for (const MessagePtr& message : task->messages) {
    message->incomplete = message->incomplete || incomplete;
    if (--message->open > 0) continue;
    messages_.erase(message);
    done->push_back(message);
  }
}

void TaskTable::DropWaiting(std::vector<MessagePtr>* done) {
  for (Pool& pool : pools_) {
    while (!pool.waiting.empty()) {
      Release(pool.waiting.front(), true, done);
      pool.waiting.pop_front();
    }
  }
}

std::shared_ptr<TaskRun> TaskTable::Cancel(const TaskCancel& cancel, absl::Duration now) {
  std::string key = TaskKey(cancel.instance_id, cancel.frame, cancel.attempt);
  const auto found = tasks_.find(key);
  if (found != tasks_.end()) {
    found->second->cancelled = true;
    return found->second->run;
  }
  if (!cancels_.Find(key, now).has_value()) cancels_.Insert(std::move(key), 0, now);
  return nullptr;
}

std::vector<std::shared_ptr<TaskRun>> TaskTable::AbortAll() {
  std::vector<std::shared_ptr<TaskRun>> runs;
  for (auto& [key, task] : tasks_) {
    task->aborted = true;
    if (task->run != nullptr) runs.push_back(task->run);
  }
  return runs;
}

std::vector<TaskTable::MessagePtr> TaskTable::TakeRenewable(absl::Duration before,
                                                            absl::Duration now) {
  std::vector<MessagePtr> renewable;
  for (const MessagePtr& message : messages_) {
    if (message->renewed > before) continue;
    message->renewed = now;
    renewable.push_back(message);
  }
  return renewable;
}

}  // namespace jaque
