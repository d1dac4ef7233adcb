// SPDX-License-Identifier: Apache-2.0
#include "ui/store_handler.h"

#include <utility>

#include "ui/answers.h"

namespace jaque::ui {

Routes::Handler OnPool(const ApiParts& parts, WorkPool* pool, StoreFn serve) {
  return [parts, pool, serve](Call call) {
    pool->Answer(std::move(call), [parts, serve](const Call& taken) {
      absl::StatusOr<HttpResponse> response = serve(parts, taken);
      return response.ok() ? *std::move(response) : ProblemOfRequest(response.status());
    });
  };
}

Routes::Handler OnStore(const ApiParts& parts, WorkPool* pool, StoreFn serve) {
  if (parts.store != nullptr) return OnPool(parts, pool, serve);
  return [](Call call) { call.reply(NoStoreResponse()); };
}

}  // namespace jaque::ui
