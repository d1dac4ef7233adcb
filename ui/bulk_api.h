// SPDX-License-Identifier: Apache-2.0
// One operation on every instance that a filter finds, or a preview of it: on the Api's own
// threads.
#pragma once

#include "ui/api.h"
#include "ui/command_sender.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

void AddBulkRoutes(const ApiParts& parts, const CommandSender* sender, WorkPool* pool,
                   Routes* routes);

}  // namespace jaque::ui
