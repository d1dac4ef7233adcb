// SPDX-License-Identifier: Apache-2.0
// GET /instances/{id}/events: what happens in an instance, as it happens. Any thread.
#pragma once

#include "ui/api.h"
#include "ui/command_sender.h"
#include "ui/live_streams.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

// `streams` is null where there is no store.
void AddLiveRoutes(const ApiParts& parts, const CommandSender* sender, WorkPool* pool,
                   LiveStreams* streams, Routes* routes);

}  // namespace jaque::ui
