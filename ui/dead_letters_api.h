// SPDX-License-Identifier: Apache-2.0
// What was given up: to be looked at, tried again or forgotten. On the Api's own threads.
#pragma once

#include "ui/api.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

void AddDeadLetterRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes);

}  // namespace jaque::ui
