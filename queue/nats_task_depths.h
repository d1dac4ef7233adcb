// SPDX-License-Identifier: Apache-2.0
// The depths of the pools in stream TASKS: its consumers say what of their pool is delivered, the
// stream what it holds, also of a pool that no worker has served yet. Any thread.
#pragma once

#include <string>
#include <vector>

#include "nats/connection.h"
#include "nats/names.h"
#include "queue/task_depths.h"

namespace jaque {

class NatsTaskDepths final : public TaskDepths {
 public:
  // The connection outlives it.
  NatsTaskDepths(nats::Connection* connection, const nats::Names& names);

  absl::StatusOr<std::vector<PoolDepth>> Depths() override;

 private:
  nats::Connection* const connection_;
  const std::string stream_, prefix_;  // of the subjects: a pool's name follows, as a token
};

}  // namespace jaque
