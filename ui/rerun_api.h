// SPDX-License-Identifier: Apache-2.0
// Retry and rerun: a new instance does an old one again, wholly or from a task on. On the Api's own
// threads.
#pragma once

#include "ui/api.h"
#include "ui/command_sender.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

void AddRerunRoutes(const ApiParts& parts, const CommandSender* sender, WorkPool* pool,
                    Routes* routes);

}  // namespace jaque::ui
