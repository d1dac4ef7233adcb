// SPDX-License-Identifier: Apache-2.0
// Takes CloudEvents into the event stream, from where listening instances get them, and says which
// took one. Any thread.
#pragma once

#include "ui/api.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

void AddEventRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes);

}  // namespace jaque::ui
