// SPDX-License-Identifier: Apache-2.0
// List, show and compare definitions, and draw them. On the Api's own threads: the first look at a
// definition may load it.
#pragma once

#include "ui/api.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

void AddDefinitionReadRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes);

}  // namespace jaque::ui
