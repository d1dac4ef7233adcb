// SPDX-License-Identifier: Apache-2.0
// Submit, list and show definitions. Any thread; validation runs on the thread given.
#pragma once

#include "boost/asio/thread_pool.hpp"
#include "ui/api.h"
#include "ui/routes.h"

namespace jaque::ui {

// `loader` outlives the calls that are in flight when it is joined.
void AddDefinitionRoutes(const ApiParts& parts, boost::asio::thread_pool* loader, Routes* routes);

}  // namespace jaque::ui
