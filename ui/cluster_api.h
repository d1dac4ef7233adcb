// SPDX-License-Identifier: Apache-2.0
// Who is in the cluster, who owns which shard, how far the store is, which pools there are. On the
// Api's own threads.
#pragma once

#include "ui/api.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

void AddClusterRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes);

}  // namespace jaque::ui
