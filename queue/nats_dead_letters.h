// SPDX-License-Identifier: Apache-2.0
// The stream DEAD, which nats_command_service fills: see dead_letters.h.
#pragma once

#include <string>

#include "nats/connection.h"
#include "nats/names.h"
#include "queue/dead_letters.h"

namespace jaque {

class NatsDeadLetters final : public DeadLetters {
 public:
  // The connection outlives this; the stream is made by nats_command_bus.
  NatsDeadLetters(nats::Connection* connection, const nats::Names& names);

  absl::StatusOr<std::vector<DeadLetter>> ListDead(uint64_t after, size_t limit) override;
  absl::StatusOr<uint64_t> CountDead() override;
  absl::StatusOr<DeadLetter> GetDead(uint64_t sequence) override;
  absl::Status DropDead(uint64_t sequence) override;

 private:
  // The first at or after that sequence.
  absl::StatusOr<DeadLetter> Next(uint64_t from);

  nats::Connection* const connection_;
  const std::string stream_, subject_;
};

}  // namespace jaque
