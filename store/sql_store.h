// SPDX-License-Identifier: Apache-2.0
// The Store of either database. Any thread; every call blocks.
#pragma once

#include <memory>

#include "store/database.h"
#include "store/store.h"

namespace jaque::store {

std::unique_ptr<Store> MakeStore(std::shared_ptr<Database> database);

}  // namespace jaque::store
