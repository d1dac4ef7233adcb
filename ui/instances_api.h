// SPDX-License-Identifier: Apache-2.0
// Start and describe instances, and change those that run: each a command through the ingress. What
// no engine knows any more is looked for in the store. Any thread.
#pragma once

#include "ui/api.h"
#include "ui/command_sender.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

void AddInstanceRoutes(const ApiParts& parts, const CommandSender* sender, WorkPool* pool,
                       Routes* routes);

}  // namespace jaque::ui
