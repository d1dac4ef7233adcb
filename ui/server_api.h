// SPDX-License-Identifier: Apache-2.0
// What this server is, who the caller is, and who changed what. Any thread.
#pragma once

#include "ui/api.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

void AddServerRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes);

}  // namespace jaque::ui
