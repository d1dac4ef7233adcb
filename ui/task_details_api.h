// SPDX-License-Identifier: Apache-2.0
// One task of an instance with its values, and the events that an instance waits for: read back
// from its history, on the Api's own threads.
#pragma once

#include "ui/api.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

void AddTaskDetailsRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes);

}  // namespace jaque::ui
