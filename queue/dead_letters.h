// SPDX-License-Identifier: Apache-2.0
// Commands of the ingress that were given up: kept to be looked at, submitted again or forgotten.
// Siblings: memory_command_bus (of its own), nats_dead_letters (stream DEAD). Any thread; calls may
// wait for a server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace jaque {

struct DeadLetter {
  uint64_t sequence = 0;
  std::string bytes;  // a serialized jaque.v1.Command
  std::string reason;
  int64_t at_micros = 0;  // Unix time; 0: not known
};

class DeadLetters {
 public:
  virtual ~DeadLetters() = default;

  // Those after `after`, the oldest first, at most `limit`.
  virtual absl::StatusOr<std::vector<DeadLetter>> ListDead(uint64_t after, size_t limit) = 0;
  virtual absl::StatusOr<uint64_t> CountDead() = 0;
  virtual absl::StatusOr<DeadLetter> GetDead(uint64_t sequence) = 0;  // NotFound
  virtual absl::Status DropDead(uint64_t sequence) = 0;               // NotFound
};

}  // namespace jaque
