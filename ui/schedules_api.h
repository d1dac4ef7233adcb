// SPDX-License-Identifier: Apache-2.0
// Schedules: the list out of the store, one from its engine, and what can be done to it. Any
// thread.
#pragma once

#include "ui/api.h"
#include "ui/command_sender.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

void AddScheduleRoutes(const ApiParts& parts, const CommandSender* sender, WorkPool* pool,
                       Routes* routes);

}  // namespace jaque::ui
