// SPDX-License-Identifier: Apache-2.0
// Makes a route's handler of a function that asks the store, and so runs on the Api's own threads.
#pragma once

#include "absl/status/statusor.h"
#include "ui/api.h"
#include "ui/routes.h"
#include "ui/work_pool.h"

namespace jaque::ui {

// A bad status becomes its problem details.
using StoreFn = absl::StatusOr<HttpResponse> (*)(const ApiParts& parts, const Call& call);

// 503 where there is no store.
Routes::Handler OnStore(const ApiParts& parts, WorkPool* pool, StoreFn serve);
// As OnStore, but `serve` can do without.
Routes::Handler OnPool(const ApiParts& parts, WorkPool* pool, StoreFn serve);

}  // namespace jaque::ui
