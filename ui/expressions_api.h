// SPDX-License-Identifier: Apache-2.0
// Tries one expression on an input, with the bounds that expressions have everywhere. On a thread
// of the Api's own, since it may take a second.
#pragma once

#include "ui/api.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

void AddExpressionRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes);

}  // namespace jaque::ui
