// SPDX-License-Identifier: Apache-2.0
// Start, describe and cancel instances: each a command through the ingress. Any thread.
#pragma once

#include "ui/api.h"
#include "ui/routes.h"

namespace jaque::ui {

void AddInstanceRoutes(const ApiParts& parts, Routes* routes);

}  // namespace jaque::ui
