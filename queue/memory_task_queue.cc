// SPDX-License-Identifier: Apache-2.0
#include "queue/memory_task_queue.h"

#include <algorithm>
#include <deque>
#include <list>
#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/recent_ids.h"
#include "base/status_macros.h"

namespace jaque {

// What the queue and its deliveries share. A message is in exactly one place: ready in its pool, or
// in `due_` (delivered and waiting for an acknowledgement, or handed back and waiting for its
// delay).
class MemoryTaskQueue::Core : public std::enable_shared_from_this<MemoryTaskQueue::Core> {
 public:
  using Deliveries = std::vector<std::unique_ptr<TaskDelivery>>;
  using DeliverFn = absl::AnyInvocable<void(Deliveries)>;

  Core(const Clock* clock, const Options& options)
      : clock_(clock),
        options_(options),
        recent_(options.dedup_window, limits::kDeduplicationIds) {}

  absl::Status Publish(const std::string& pool, const std::string& id, std::string bytes);
  void Pull(const std::string& pool, int max, absl::Duration wait, DeliverFn deliver);
  void ExpireOverdue();
  size_t size() const;
  std::vector<PoolDepth> Depths() const;

  // By a delivery: number `delivered` of message `id`.
  void Ack(uint64_t id);
  void Extend(uint64_t id, int delivered);
  void Release(uint64_t id, int delivered, absl::Duration delay);

  // Serves waiting pulls of the pool with what is ready, under no lock.
  void Serve(const std::string& pool);

 private:
  struct Message {
    std::string pool;
    std::shared_ptr<const std::string> bytes;
    int delivered = 0;
    bool ready = true;  // else it is in due_ at `due`
    absl::Duration due = absl::ZeroDuration();
  };
  struct WaitingPull {
    int max = 0;
    absl::Duration deadline;
    DeliverFn deliver;
  };
  struct Pool {
    std::deque<uint64_t> ready;  // ids acknowledged late are still in it, and skipped
    std::list<WaitingPull> pulls;
    size_t waiting = 0, running = 0;  // messages ready, and in due_
  };
  struct Served {
    DeliverFn deliver;
    Deliveries deliveries;
  };

  // Answers the pools concerned.
  std::set<std::string> MakeOverdueReady();
  Deliveries Take(Pool& pool, int max) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasReady(Pool& pool) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MakeReady(uint64_t id, Message& message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The message if `delivered` is its newest delivery and still open.
  Message* Open(uint64_t id, int delivered) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Schedule(uint64_t id, Message& message, absl::Duration due)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void Run(std::vector<Served> served);

  const Clock* const clock_;
  const Options options_;
  mutable absl::Mutex mutex_;
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  RecentIds recent_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint64_t, Message> messages_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::unique_ptr<Pool>> pools_ ABSL_GUARDED_BY(mutex_);
  std::set<std::pair<absl::Duration, uint64_t>> due_ ABSL_GUARDED_BY(mutex_);
};

class MemoryTaskQueue::Delivery final : public TaskDelivery {
 public:
  Delivery(std::shared_ptr<Core> core, uint64_t id, std::shared_ptr<const std::string> bytes,
           int delivered)
      : core_(std::move(core)), id_(id), bytes_(std::move(bytes)), delivered_(delivered) {}

  const std::string& bytes() const override { return *bytes_; }
  int delivered() const override { return delivered_; }
  void Ack() override { core_->Ack(id_); }
  void InProgress() override { core_->Extend(id_, delivered_); }
  void Nak(absl::Duration delay) override { core_->Release(id_, delivered_, delay); }

 private:
  const std::shared_ptr<Core> core_;
  const uint64_t id_;
  const std::shared_ptr<const std::string> bytes_;
  const int delivered_;
};

absl::Status MemoryTaskQueue::Core::Publish(const std::string& pool, const std::string& id,
                                            std::string bytes) {
  absl::MutexLock lock(&mutex_);
  const absl::Duration now = clock_->Monotonic();
  if (recent_.Find(id, now)) return absl::OkStatus();
  if (messages_.size() >= options_.capacity) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the task queue holds ", messages_.size(), " messages"));
  }
  const uint64_t number = ++last_id_;
  recent_.Insert(id, number, now);
  Message& message = messages_[number];
  message.pool = pool;
  message.bytes = std::make_shared<const std::string>(std::move(bytes));
  MakeReady(number, message);
  return absl::OkStatus();
}

void MemoryTaskQueue::Core::Pull(const std::string& pool, int max, absl::Duration wait,
                                 DeliverFn deliver) {
  JAQUE_CHECK(max > 0);
  Deliveries now_ready;
  {
    absl::MutexLock lock(&mutex_);
    std::unique_ptr<Pool>& slot = pools_[pool];
    if (slot == nullptr) slot = std::make_unique<Pool>();
    // Those that came before are served first.
    if (slot->pulls.empty()) now_ready = Take(*slot, max);
    if (now_ready.empty() && wait > absl::ZeroDuration()) {
      slot->pulls.push_back({max, clock_->Monotonic() + wait, std::move(deliver)});
      return;
    }
  }
  deliver(std::move(now_ready));
}

void MemoryTaskQueue::Core::Serve(const std::string& pool) {
  std::vector<Served> served;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = pools_.find(pool);
    if (found == pools_.end()) return;
    Pool& p = *found->second;
    while (!p.pulls.empty() && HasReady(p)) {
      served.push_back({std::move(p.pulls.front().deliver), Take(p, p.pulls.front().max)});
      p.pulls.pop_front();
    }
  }
  Run(std::move(served));
}

void MemoryTaskQueue::Core::ExpireOverdue() {
  for (const std::string& pool : MakeOverdueReady()) Serve(pool);
  std::vector<Served> served;
  {
    absl::MutexLock lock(&mutex_);
    const absl::Duration now = clock_->Monotonic();
    for (auto& [name, pool] : pools_) {
      for (auto it = pool->pulls.begin(); it != pool->pulls.end();) {
        if (it->deadline > now) {
          ++it;
          continue;
        }
        served.push_back({std::move(it->deliver), {}});
        it = pool->pulls.erase(it);
      }
    }
  }
  Run(std::move(served));
}

std::set<std::string> MemoryTaskQueue::Core::MakeOverdueReady() {
  absl::MutexLock lock(&mutex_);
  std::set<std::string> pools;
  const absl::Duration now = clock_->Monotonic();
  while (!due_.empty() && due_.begin()->first <= now) {
    const uint64_t id = due_.begin()->second;
    due_.erase(due_.begin());
    Message& message = messages_.at(id);
    MakeReady(id, message);
    pools.insert(message.pool);
  }
  return pools;
}

size_t MemoryTaskQueue::Core::size() const {
  absl::MutexLock lock(&mutex_);
  return messages_.size();
}

std::vector<PoolDepth> MemoryTaskQueue::Core::Depths() const {
  std::vector<PoolDepth> depths;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [name, pool] : pools_) depths.push_back({name, pool->waiting, pool->running});
  }
  std::sort(depths.begin(), depths.end(),
            [](const PoolDepth& a, const PoolDepth& b) { return a.pool < b.pool; });
  return depths;
}

// A late acknowledgement counts too, as it does on JetStream: the work was done.
void MemoryTaskQueue::Core::Ack(uint64_t id) {
  absl::MutexLock lock(&mutex_);
  const auto found = messages_.find(id);
  if (found == messages_.end()) return;
  Message& message = found->second;
  Pool& pool = *pools_.at(message.pool);
  --(message.ready ? pool.waiting : pool.running);
  if (!message.ready) due_.erase({message.due, id});
  messages_.erase(found);
}

void MemoryTaskQueue::Core::Extend(uint64_t id, int delivered) {
  absl::MutexLock lock(&mutex_);
  Message* message = Open(id, delivered);
  if (message != nullptr) Schedule(id, *message, clock_->Monotonic() + options_.ack_wait);
}

void MemoryTaskQueue::Core::Release(uint64_t id, int delivered, absl::Duration delay) {
  std::string pool;
  {
    absl::MutexLock lock(&mutex_);
    Message* message = Open(id, delivered);
    if (message == nullptr) return;
    if (delay > absl::ZeroDuration()) {
      Schedule(id, *message, clock_->Monotonic() + delay);
      return;
    }
    due_.erase({message->due, id});
    MakeReady(id, *message);
    pool = message->pool;
  }
  Serve(pool);
}

MemoryTaskQueue::Core::Deliveries MemoryTaskQueue::Core::Take(Pool& pool, int max) {
  Deliveries taken;
  while (static_cast<int>(taken.size()) < max && HasReady(pool)) {
    const uint64_t id = pool.ready.front();
    pool.ready.pop_front();
    Message& message = messages_.at(id);
    message.ready = false;
    --pool.waiting;
    ++pool.running;
    message.due = clock_->Monotonic() + options_.ack_wait;
    due_.insert({message.due, id});
    taken.push_back(
        std::make_unique<Delivery>(shared_from_this(), id, message.bytes, ++message.delivered));
  }
  return taken;
}

bool MemoryTaskQueue::Core::HasReady(Pool& pool) {
  while (!pool.ready.empty() && !messages_.contains(pool.ready.front())) pool.ready.pop_front();
  return !pool.ready.empty();
}

void MemoryTaskQueue::Core::MakeReady(uint64_t id, Message& message) {
  std::unique_ptr<Pool>& slot = pools_[message.pool];
  if (slot == nullptr) slot = std::make_unique<Pool>();
  // What comes again comes before what has never been tried.
  if (message.delivered > 0) {
    slot->ready.push_front(id);
    --slot->running;
  } else {
    slot->ready.push_back(id);
  }
  message.ready = true;
  ++slot->waiting;
}

MemoryTaskQueue::Core::Message* MemoryTaskQueue::Core::Open(uint64_t id, int delivered) {
  const auto found = messages_.find(id);
  if (found == messages_.end() || found->second.ready) return nullptr;
  return found->second.delivered == delivered ? &found->second : nullptr;
}

void MemoryTaskQueue::Core::Schedule(uint64_t id, Message& message, absl::Duration due) {
  due_.erase({message.due, id});
  message.due = due;
  due_.insert({due, id});
}

void MemoryTaskQueue::Core::Run(std::vector<Served> served) {
  for (Served& one : served) one.deliver(std::move(one.deliveries));
}

MemoryTaskQueue::MemoryTaskQueue(const Clock* clock, const Options& options)
    : core_(std::make_shared<Core>(clock, options)) {}

MemoryTaskQueue::~MemoryTaskQueue() = default;

void MemoryTaskQueue::Publish(const std::string& pool, const std::string& id, std::string bytes,
                              absl::AnyInvocable<void(absl::Status)> done) {
  absl::Status status = core_->Publish(pool, id, std::move(bytes));
  const bool stored = status.ok();
  done(std::move(status));
  if (stored) core_->Serve(pool);
}

void MemoryTaskQueue::Pull(
    const std::string& pool, int max, absl::Duration wait,
    absl::AnyInvocable<void(std::vector<std::unique_ptr<TaskDelivery>>)> deliver) {
  core_->Pull(pool, max, wait, std::move(deliver));
}

void MemoryTaskQueue::ExpireOverdue() { core_->ExpireOverdue(); }

absl::StatusOr<std::vector<PoolDepth>> MemoryTaskQueue::Depths() { return core_->Depths(); }

size_t MemoryTaskQueue::size() const { return core_->size(); }

}  // namespace jaque
