// SPDX-License-Identifier: Apache-2.0
// What happened in an instance: facts and tasks, out of the store, on the Api's own threads.
#pragma once

#include "ui/api.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

void AddHistoryRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes);

}  // namespace jaque::ui
