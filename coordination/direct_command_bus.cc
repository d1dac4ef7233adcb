// SPDX-License-Identifier: Apache-2.0
#include "coordination/direct_command_bus.h"

#include <set>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace jaque {

// Replies of commands that were given to the router: the first of reply and deadline counts.
class DirectCommandBus::Awaited {
 public:
  uint64_t Add(absl::Duration deadline, ReplyFn reply) {
    absl::MutexLock lock(&mutex_);
    const uint64_t token = ++last_token_;
    deadlines_.insert({deadline, token});
    replies_[token] = {deadline, std::move(reply)};
    return token;
  }

  // Null if its deadline came first.
  ReplyFn Take(uint64_t token) {
    absl::MutexLock lock(&mutex_);
    const auto found = replies_.find(token);
    if (found == replies_.end()) return nullptr;
    ReplyFn reply = std::move(found->second.second);
    deadlines_.erase({found->second.first, token});
    replies_.erase(found);
    return reply;
  }

  std::vector<ReplyFn> TakeOverdue(absl::Duration now) {
    std::vector<ReplyFn> overdue;
    absl::MutexLock lock(&mutex_);
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
      const auto found = replies_.find(deadlines_.begin()->second);
      overdue.push_back(std::move(found->second.second));
      replies_.erase(found);
      deadlines_.erase(deadlines_.begin());
    }
    return overdue;
  }

 private:
  absl::Mutex mutex_;
  uint64_t last_token_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<uint64_t, std::pair<absl::Duration, ReplyFn>> replies_
      ABSL_GUARDED_BY(mutex_);
  std::set<std::pair<absl::Duration, uint64_t>> deadlines_ ABSL_GUARDED_BY(mutex_);
};

DirectCommandBus::DirectCommandBus(std::string self, const Clock* clock, Router* router,
                                   CommandBus* bus)
    : self_(std::move(self)),
      clock_(clock),
      router_(router),
      bus_(bus),
      awaited_(std::make_shared<Awaited>()) {}

DirectCommandBus::~DirectCommandBus() = default;

void DirectCommandBus::Send(const std::string& engine_id, std::string command,
                            absl::Duration timeout, ReplyFn reply) {
  if (engine_id != self_) {
    return bus_->Send(engine_id, std::move(command), timeout, std::move(reply));
  }
  const uint64_t token = awaited_->Add(clock_->Monotonic() + timeout, std::move(reply));
  router_->Handle(std::move(command), /*from_ingress=*/false,
                  [awaited = awaited_, token](absl::StatusOr<std::string> result) {
                    if (ReplyFn taken = awaited->Take(token)) taken(std::move(result));
                  });
}

void DirectCommandBus::Submit(std::string command, const std::string& command_id,
                              absl::Duration timeout, ReplyFn reply) {
  const absl::Duration deadline = clock_->Monotonic() + timeout;
  const uint64_t token = awaited_->Add(deadline, std::move(reply));
  std::string copy = command;
  router_->Handle(
      std::move(copy), /*from_ingress=*/true,
      [awaited = awaited_, clock = clock_, bus = bus_, token, deadline,
       command = std::move(command), command_id](absl::StatusOr<std::string> result) mutable {
        ReplyFn taken = awaited->Take(token);
        if (!taken) return;
        if (result.ok()) return taken(std::move(result));
        bus->Submit(std::move(command), command_id, deadline - clock->Monotonic(),
                    std::move(taken));
      });
}

void DirectCommandBus::ExpireOverdue() {
  for (ReplyFn& reply : awaited_->TakeOverdue(clock_->Monotonic())) {
    // Not DeadlineExceeded, which promises that the command is stored.
    reply(absl::UnknownError("the engine has not answered in time"));
  }
}

}  // namespace jaque
