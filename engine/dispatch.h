// SPDX-License-Identifier: Apache-2.0
// The request that a worker gets for a frame of a call or run: the task's input and the variables
// that its expressions name, nothing more (secrets and authorization are the worker's own). Pure.
#pragma once

#include "engine/state.h"
#include "jaque/v1/task.pb.h"

namespace jaque::engine {

v1::TaskRequest BuildTaskRequest(const Instance& instance, const Frame& frame,
                                 const std::string& engine_id);

// The deduplication id of one attempt: instance/frame/attempt.
std::string TaskId(const v1::TaskRequest& request);

}  // namespace jaque::engine
