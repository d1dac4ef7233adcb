// SPDX-License-Identifier: Apache-2.0
// Takes CloudEvents into the event stream, from where listening instances get them. Any thread.
#pragma once

#include "ui/api.h"
#include "ui/routes.h"

namespace jaque::ui {

void AddEventRoutes(const ApiParts& parts, Routes* routes);

}  // namespace jaque::ui
