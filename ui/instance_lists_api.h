// SPDX-License-Identifier: Apache-2.0
// Which instances there are, and how many: out of the store, on the Api's own threads.
#pragma once

#include "ui/api.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

void AddInstanceListRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes);

}  // namespace jaque::ui
