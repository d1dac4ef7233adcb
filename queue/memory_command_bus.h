// SPDX-License-Identifier: Apache-2.0
// Commands within one process. Any thread. Handlers run on the caller's thread, replies on the
// thread that gives them or calls ExpireOverdue; all under no lock. Nothing happens by itself when
// time passes: somebody calls ExpireOverdue at intervals (cmd/ with a Ticker; tests after stepping
// their clock).
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/limits.h"
#include "queue/command_bus.h"
#include "queue/dead_letters.h"

namespace jaque {

struct MemoryCommandBusOptions {
  size_t capacity = limits::kQueuedCommands;  // calls unanswered; ingress commands stored
  int ingress_attempts = limits::kIngressAttempts;
  absl::Duration ingress_backoff = absl::Milliseconds(50);  // doubles with each attempt, to 10 s
  absl::Duration dedup_window = absl::Seconds(limits::kDeduplicationSeconds);
  // What a call without reply in time is told: DeadlineExceeded promises that a submitted command
  // is stored, which is untrue where all else outlives the process.
  absl::StatusCode unanswered = absl::StatusCode::kDeadlineExceeded;
};

class MemoryCommandBus final : public CommandBus, public DeadLetters {
 public:
  using Options = MemoryCommandBusOptions;

  explicit MemoryCommandBus(const Clock* clock, const Options& options = {});
  ~MemoryCommandBus() override;  // drops waiting calls uncalled

  void Send(const std::string& engine_id, std::string command, absl::Duration timeout,
            ReplyFn reply) override;
  void Submit(std::string command, const std::string& command_id, absl::Duration timeout,
              ReplyFn reply) override;
  std::unique_ptr<Service> Serve(const std::string& engine_id, Handler handler) override;

  // Answers calls whose deadline has passed, and offers ingress commands again whose backoff is
  // over.
  void ExpireOverdue();

  // Ingress commands that were given up, the newest limits::kDeadLetters.
  absl::StatusOr<std::vector<DeadLetter>> ListDead(uint64_t after, size_t limit) override;
  absl::StatusOr<uint64_t> CountDead() override;
  absl::StatusOr<DeadLetter> GetDead(uint64_t sequence) override;
  absl::Status DropDead(uint64_t sequence) override;

 private:
  class Core;
  class MemoryService;
  std::shared_ptr<Core> core_;
};

}  // namespace jaque
