// SPDX-License-Identifier: Apache-2.0
// Submit, check and delete definitions. On the Api's own threads; validation on one of its own,
// since it may take long.
#pragma once

#include "ui/api.h"
#include "ui/command_sender.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

// Schedules follow from definitions: storing or deleting one says so to its engine.
void AddDefinitionRoutes(const ApiParts& parts, const CommandSender* sender, WorkPool* pool,
                         WorkPool* loader, Routes* routes);

}  // namespace jaque::ui
