// SPDX-License-Identifier: Apache-2.0
// TaskCancels within one process: Publish calls the subscribers on the publisher's thread. The
// handle of a subscription may go while a notice is under way only after that notice's call has
// ended (it waits).
#pragma once

#include <memory>

#include "queue/task_cancels.h"

namespace jaque {

std::unique_ptr<TaskCancels> MakeMemoryTaskCancels();

}  // namespace jaque
